// Text that names an enumerator where it comes in, and may be anything where it was stored before that was a rule.
#pragma once

#include <string>
#include <utility>

#include "core/json.hpp"
#include "core/text.hpp"

namespace workforce::core {

/// The wire name of an E. Text of ours that is stored stays as it is, whatever it says.
template <DescribedEnum E>
struct EnumText {
    std::string value;

    EnumText() = default;
    EnumText(std::string v) : value(std::move(v)) {}       // NOLINT(google-explicit-constructor): stands for its value
    EnumText(char const* v) : value(v) {}                  // NOLINT(google-explicit-constructor)
    operator std::string const&() const { return value; }  // NOLINT(google-explicit-constructor)
    bool operator==(EnumText const&) const = default;
};

template <DescribedEnum E>
struct JsonType<EnumText<E>> {
    static void write(JsonWriter& w, EnumText<E> const& v) { w.string(v.value); }
    static void read(JsonValue const& v, EnumText<E>& out, JsonReader& r) {
        if (r.outside() && !read_enum(v, kEnumerators<E>, r)) return;
        JsonType<std::string>::read(v, out.value, r);
    }
    /// Of an event, which is fixed: stored text may be any.
    static void schema(JsonWriter& w) { JsonType<ShortText>::schema(w); }
};

}  // namespace workforce::core
