// A filter's true or false that can be told to let both pass.
#pragma once

#include <optional>
#include <string_view>

#include "core/json.hpp"

namespace workforce::core {

/// true, false, or "any".
struct BoolOrAny {
    static constexpr std::string_view kAny = "any";

    std::optional<bool> value;  ///< nothing: any
    bool operator==(BoolOrAny const&) const = default;
};

template <>
struct JsonType<BoolOrAny> {
    static void write(JsonWriter& w, BoolOrAny const& v) {
        if (v.value) return w.boolean(*v.value);
        w.string(BoolOrAny::kAny);
    }
    static void read(JsonValue const& v, BoolOrAny& out, JsonReader& r) {
        if (v.IsBool()) {
            out.value = v.GetBool();
        } else if (v.IsString() && v.GetString() == BoolOrAny::kAny) {
            out.value.reset();
        } else {
            r.fail("enum", "must be true, false or any");
        }
    }
    static void schema(JsonWriter& w) {
        w.key("enum");
        w.raw(R"([true,false,"any"])");
    }
};

}  // namespace workforce::core
