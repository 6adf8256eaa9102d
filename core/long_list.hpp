// A list of which requests may give more items than of others.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/json.hpp"

namespace workforce::core {

/// At most `Most` items where it comes from outside; a JSON array.
template <class T, std::size_t Most>
struct LongList : std::vector<T> {
    static constexpr std::size_t kMaxItems = Most;

    using std::vector<T>::vector;
    LongList() = default;
    LongList(std::vector<T> items)  // NOLINT(google-explicit-constructor): stands for its items
        : std::vector<T>(std::move(items)) {}
};

template <class T, std::size_t Most>
struct JsonType<LongList<T, Most>> {
    using Type = LongList<T, Most>;
    static void write(JsonWriter& w, Type const& v) { JsonType<std::vector<T>>::write(w, v); }
    static void read(JsonValue const& v, Type& out, JsonReader& r) {
        if (!v.IsArray()) return r.fail("type", "must be an array");
        if (r.outside() && v.Size() > Most) {
            return r.fail("max_items", "takes at most " + std::to_string(Most) + " items");
        }
        out.clear();
        out.reserve(v.Size());
        for (rapidjson::SizeType i = 0; i < v.Size(); ++i) {
            PathGuard const at(r.path(), i);
            JsonType<T>::read(v[i], out.emplace_back(), r);
        }
    }
    static void schema(JsonWriter& w) { JsonType<std::vector<T>>::schema(w); }
};

}  // namespace workforce::core
