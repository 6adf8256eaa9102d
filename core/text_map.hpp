// A field of free names and texts, of which a caller says what they like.
#pragma once

#include <map>
#include <string>

#include "core/text.hpp"

namespace workforce::core {

/// At most `Most` names of 1 to 100 characters, each with a text of at most `Longest`; a JSON object.
template <std::size_t Most, std::size_t Longest>
struct TextMap {
    std::map<std::string, std::string, std::less<>> value;
    bool operator==(TextMap const&) const = default;
};

template <std::size_t Most, std::size_t Longest>
struct JsonType<TextMap<Most, Longest>> {
    using Type = TextMap<Most, Longest>;
    static void write(JsonWriter& w, Type const& v) {
        w.begin_object();
        for (auto const& [name, text] : v.value) w.member(name, text);
        w.end_object();
    }
    static void read(JsonValue const& v, Type& out, JsonReader& r) {
        if (!v.IsObject()) return r.fail("type", "must be an object of texts");
        if (r.outside() && v.MemberCount() > Most) {
            return r.fail("max_properties", "takes at most " + std::to_string(Most) + " members");
        }
        out.value.clear();
        for (auto const& member : v.GetObject()) {
            Text<1, 100> name;
            JsonType<Text<1, 100>>::read(member.name, name, r);
            PathGuard const at(r.path(), name.value);
            Text<0, Longest, TextForm::paragraph> text;
            JsonType<decltype(text)>::read(member.value, text, r);
            out.value.insert_or_assign(std::move(name.value), std::move(text.value));
        }
    }
    static void schema(JsonWriter& w) {
        w.member("type", "object");
        w.member("maxProperties", Most);
        w.key("additionalProperties");
        w.begin_object();
        w.member("type", "string");
        w.member("maxLength", Longest);
        w.end_object();
    }
};

}  // namespace workforce::core
