// Fields whose shape is somebody else's: arguments, results, settings. They are kept as JSON text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/json.hpp"

namespace workforce::core {

/// How deep such a field may be nested. What holds it is nested itself, and parse_json() refuses what is deeper
/// than 32.
inline constexpr std::size_t kMostNesting = 24;

/// How deep arrays and objects of the value lie within one another: 0 for what is neither. Looks at most at
/// kMostNesting + 1 levels.
std::size_t nesting_of(JsonValue const& value);

/// Reads any value as JSON text without white space. What is wrong with one from outside: more than `most` bytes of it,
/// more than kMostNesting levels, or a NUL in a text or a name, of which Postgres makes no text.
void read_any(JsonValue const& value, std::string& text, std::size_t most, JsonReader& reader);

/// Any JSON value of at most `Most` bytes.
template <std::size_t Most>
struct AnyJson {
    std::string text = "null";
    bool operator==(AnyJson const&) const = default;
};

/// A JSON object of any members, of at most `Most` bytes.
template <std::size_t Most>
struct AnyObject {
    std::string text = "{}";
    bool operator==(AnyObject const&) const = default;
};

template <std::size_t Most>
struct JsonType<AnyJson<Most>> {
    static void write(JsonWriter& w, AnyJson<Most> const& v) { w.raw(v.text); }
    static void read(JsonValue const& v, AnyJson<Most>& out, JsonReader& r) { read_any(v, out.text, Most, r); }
    static void schema(JsonWriter&) {}
};

template <std::size_t Most>
struct JsonType<AnyObject<Most>> {
    static void write(JsonWriter& w, AnyObject<Most> const& v) { w.raw(v.text); }
    static void read(JsonValue const& v, AnyObject<Most>& out, JsonReader& r) {
        if (!v.IsObject()) return r.fail("type", "must be an object");
        read_any(v, out.text, Most, r);
    }
    static void schema(JsonWriter& w) {
        w.member("type", "object");
        w.member("additionalProperties", true);
    }
};

/// The value as JSON, in which the texts and numbers of members that are named as secrets are (password, token, apiKey,
/// authorization and the like) read "[redacted]", at any depth.
std::string without_secrets(JsonValue const& value);

/// Whether a member of that name holds a secret, in whatever case it is written.
bool names_secret(std::string_view member);

}  // namespace workforce::core
