// Looking through values of any shape.
#include "core/any_json.hpp"

#include <rapidjson/writer.h>

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/json_values.hpp"

namespace workforce::core {
namespace {

constexpr std::string_view kRedacted = "[redacted]";

/// Of names without case, punctuation and a final s: those that end so; short ones are whole.
constexpr std::array<std::string_view, 26> kSecretEndings{
    "password",   "passwd",    "passphrase", "pin",           "secret",     "token",   "apikey",    "accesskey",
    "privatekey", "secretkey", "signature",  "authorization", "credential", "cookie",  "passcode",  "otp",
    "pwd",        "pass",      "auth",       "bearer",        "jwt",        "session", "sessionid", "cvv",
    "iban",       "ssn"};
constexpr std::size_t kShortName = 4;

/// How texts begin that are secrets whatever they are called.
constexpr std::array<std::string_view, 5> kSecretBeginnings{"Bearer ", "Basic ", "sk-", "svc_", "ghp_"};

bool looks_secret(JsonValue const& value) {
    if (!value.IsString()) return false;
    auto const text = text_of(value);
    return std::ranges::any_of(kSecretBeginnings, [&](std::string_view begin) { return text.starts_with(begin); });
}

/// Whether an object names a secret by a member beside it: {"name": "password", "value": "x"}.
bool tells_of_secret(JsonValue const& object) {
    for (auto const* member : {"name", "key"}) {
        auto const name = as_text(find_member(&object, member));
        if (name && names_secret(*name)) return true;
    }
    return false;
}

std::size_t nesting_below(JsonValue const& value, std::size_t left) {
    if (left == 0 || !(value.IsObject() || value.IsArray())) return 0;
    std::size_t deepest = 0;
    if (value.IsObject()) {
        for (auto const& member : value.GetObject()) deepest = std::max(deepest, nesting_below(member.value, left - 1));
    } else {
        for (auto const& item : value.GetArray()) deepest = std::max(deepest, nesting_below(item, left - 1));
    }
    return deepest + 1;
}

/// Hides everything of what belongs to a secret, and else what secrets' members hold.
void write_redacted(JsonWriter& w, JsonValue const& value, bool secret) {
    if (value.IsObject()) {
        w.begin_object();
        bool const told = tells_of_secret(value);
        for (auto const& member : value.GetObject()) {
            auto const name = text_of(member.name);
            w.key(name);
            write_redacted(w, member.value, secret || names_secret(name) || (told && name == "value"));
        }
        return w.end_object();
    }
    if (value.IsArray()) {
        w.begin_array();
        for (auto const& item : value.GetArray()) write_redacted(w, item, secret);
        return w.end_array();
    }
    bool const tells = value.IsString() || value.IsNumber();
    if ((secret && tells) || looks_secret(value)) return w.string(kRedacted);
    w.raw(json_of(value));
}

/// Whether a text or a name in the value has a NUL.
bool has_nul(JsonValue const& value) {
    auto const in_text = [](JsonValue const& text) { return text_of(text).find('\0') != std::string_view::npos; };
    if (value.IsString()) return in_text(value);
    if (value.IsArray()) return std::ranges::any_of(value.GetArray(), has_nul);
    return value.IsObject() && std::ranges::any_of(value.GetObject(), [&](auto const& member) {
               return in_text(member.name) || has_nul(member.value);
           });
}

}  // namespace

std::size_t nesting_of(JsonValue const& value) { return nesting_below(value, kMostNesting + 1); }

void read_any(JsonValue const& value, std::string& text, std::size_t most, JsonReader& reader) {
    text = json_of(value);
    if (!reader.outside()) return;
    if (text.size() > most) {
        reader.fail("max_bytes", "takes at most " + std::to_string(most) + " bytes of JSON");
    } else if (nesting_of(value) > kMostNesting) {
        reader.fail("max_depth", "is nested more than " + std::to_string(kMostNesting) + " levels deep");
    } else if (has_nul(value)) {
        reader.fail("characters", "must not have the character U+0000");
    }
}

bool names_secret(std::string_view member) {
    std::string plain;
    for (char const c : member) {
        if (c != '_' && c != '-' && c != ' ' && c != '.') plain += c;
    }
    plain = ascii_lower(plain);
    if (plain.ends_with('s') && !plain.ends_with("ss")) plain.pop_back();
    return std::ranges::any_of(kSecretEndings, [&](std::string_view ending) {
        // Short names are whole: "spin" is none, nor "compass".
        return ending.size() > kShortName ? plain.ends_with(ending) : plain == ending;
    });
}

std::string without_secrets(JsonValue const& value) {
    JsonWriter writer;
    write_redacted(writer, value, false);
    return writer.take();
}

}  // namespace workforce::core
