// Field types that carry their own rules: bounded text, formats, bounded numbers, money, and personal fields.
//
// Each is a plain value with its rule in the type, so that a body, an event and a resource declare a field the same way
// and validation, OpenAPI and event schemas follow from the declaration. Rules are checked on text from outside only.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "core/json.hpp"
#include "core/time.hpp"

namespace workforce::core {

/// Trims, brings to NFC and checks text from outside. `multiline` allows '\n' and '\t'.
/// Returns the fault's text, or nothing when `text` is now clean.
std::optional<std::string> clean_text(std::string& text, bool multiline);
/// Code points of UTF-8 text.
std::size_t count_code_points(std::string_view text);
/// Brings text that somebody typed to NFC, and leaves it as it is else. False for what is no UTF-8, or has control
/// characters.
bool is_typed(std::string& text);

bool is_email(std::string_view text);      ///< one '@', a dotted domain, no spaces, at most 254 bytes
bool is_phone(std::string_view text);      ///< `^[+0-9 ().x-]{0,32}$`
bool is_https_url(std::string_view text);  ///< https://host…, at most 2048 bytes, no spaces
bool is_currency(std::string_view text);   ///< a code of ISO 4217, in capitals

enum class TextForm : std::uint8_t { line, paragraph };

/// What text has to be like: of `min` to `max` code points.
struct TextRules {
    std::size_t min;
    std::size_t max;
    TextForm form;
};
/// Reads text, and records what is wrong with one from outside.
void read_text(JsonValue const& v, std::string& out, JsonReader& r, TextRules const& rules);

/// Text of Min to Max code points.
template <std::size_t Min, std::size_t Max, TextForm Form = TextForm::line>
struct Text {
    std::string value;

    Text() = default;
    Text(std::string v) : value(std::move(v)) {}           // NOLINT(google-explicit-constructor): stands for its value
    Text(char const* v) : value(v) {}                      // NOLINT(google-explicit-constructor)
    operator std::string const&() const { return value; }  // NOLINT(google-explicit-constructor)
    bool operator==(Text const&) const = default;
};

using Name = Text<1, 200>;
using ShortText = Text<0, 200>;
using LongText = Text<0, 4000, TextForm::paragraph>;

template <std::size_t Min, std::size_t Max, TextForm Form>
struct JsonType<Text<Min, Max, Form>> {
    using Type = Text<Min, Max, Form>;
    static void write(JsonWriter& w, Type const& v) { w.string(v.value); }
    static void read(JsonValue const& v, Type& out, JsonReader& r) { read_text(v, out.value, r, {Min, Max, Form}); }
    static void schema(JsonWriter& w) {
        w.member("type", "string");
        if (Min > 0) w.member("minLength", Min);
        w.member("maxLength", Max);
    }
};

/// Reads what is_typed() takes, wherever it comes from, and records what is wrong with it.
void read_typed(JsonValue const& v, std::string& out, JsonReader& r, TextRules const& rules);

/// A secret that a person types, of Min to 1024 code points: as it is but for NFC (RFC 8265 4.2), so that spaces count.
template <std::size_t Min>
struct Typed {
    static constexpr std::size_t kMost = 1024;
    std::string value;
};

template <std::size_t Min>
struct JsonType<Typed<Min>> {
    static void write(JsonWriter& w, Typed<Min> const& v) { w.string(v.value); }
    static void read(JsonValue const& v, Typed<Min>& out, JsonReader& r) {
        read_typed(v, out.value, r, {Min, Typed<Min>::kMost, TextForm::line});
    }
    static void schema(JsonWriter& w) {
        w.member("type", "string");
        w.member("format", "password");
        w.member("minLength", Min);
        w.member("maxLength", Typed<Min>::kMost);
    }
};

/// The rule of a format: text is normalised, and checked then.
struct FormatRules {
    std::string_view rule;
    std::string_view message;
    void (*normalise)(std::string&);
    bool (*check)(std::string_view);
};
/// Reads text of one line, and records what is wrong with one from outside.
void read_formatted(JsonValue const& v, std::string& out, JsonReader& r, FormatRules const& rules);

/// Text of a format: the policy gives `check(text)`, `normalise(text)`, the rule's name, message and JSON Schema
/// members.
template <class Policy>
struct Formatted {
    std::string value;

    Formatted() = default;
    Formatted(std::string v) : value(std::move(v)) {}      // NOLINT(google-explicit-constructor): stands for its value
    Formatted(char const* v) : value(v) {}                 // NOLINT(google-explicit-constructor)
    operator std::string const&() const { return value; }  // NOLINT(google-explicit-constructor)
    bool operator==(Formatted const&) const = default;
};

template <class Policy>
struct JsonType<Formatted<Policy>> {
    static void write(JsonWriter& w, Formatted<Policy> const& v) { w.string(v.value); }
    static void read(JsonValue const& v, Formatted<Policy>& out, JsonReader& r) {
        read_formatted(v, out.value, r, {Policy::kRule, Policy::kMessage, &Policy::normalise, &Policy::check});
    }
    static void schema(JsonWriter& w) {
        w.member("type", "string");
        if constexpr (requires { Policy::schema(w); }) {
            Policy::schema(w);
        } else {
            w.member(Policy::kSchemaKey, Policy::kSchemaValue);
        }
    }
};

struct EmailPolicy {
    static constexpr auto kRule = "email", kMessage = "must be an e-mail address", kSchemaKey = "format",
                          kSchemaValue = "email";
    static void normalise(std::string& text);  ///< lower case
    static bool check(std::string_view text) { return is_email(text); }
};
struct OptionalEmailPolicy : EmailPolicy {
    static bool check(std::string_view text) { return text.empty() || is_email(text); }
    static void schema(JsonWriter& w) {
        w.key("anyOf");
        w.raw(R"([{"format":"email"},{"const":""}])");
    }
};
struct PhonePolicy {
    static constexpr auto kRule = "phone", kMessage = "may have digits, spaces and + ( ) . x -, at most 32",
                          kSchemaKey = "pattern", kSchemaValue = "^[+0-9 ().x-]{0,32}$";
    static void normalise(std::string&) {}
    static bool check(std::string_view text) { return is_phone(text); }
};
struct HttpsUrlPolicy {
    static constexpr auto kRule = "https_url", kMessage = "must be an https URL", kSchemaKey = "format",
                          kSchemaValue = "uri";
    static void normalise(std::string&) {}
    static bool check(std::string_view text) { return is_https_url(text); }
};
struct TimeZonePolicy {
    static constexpr auto kRule = "time_zone", kMessage = "must be an IANA time zone", kSchemaKey = "examples",
                          kSchemaValue = "";
    static void normalise(std::string&) {}
    static bool check(std::string_view text) { return is_time_zone(text); }
};
struct CurrencyPolicy {
    static constexpr auto kRule = "currency", kMessage = "must be a currency of ISO 4217", kSchemaKey = "pattern",
                          kSchemaValue = "^[A-Z]{3}$";
    static void normalise(std::string&) {}
    static bool check(std::string_view text) { return is_currency(text); }
};
using Email = Formatted<EmailPolicy>;
using OptionalEmail = Formatted<OptionalEmailPolicy>;
using Phone = Formatted<PhonePolicy>;
using HttpsUrl = Formatted<HttpsUrlPolicy>;
using TimeZoneName = Formatted<TimeZonePolicy>;
using Currency = Formatted<CurrencyPolicy>;

template <>
struct JsonType<TimeZoneName> {
    static void write(JsonWriter& w, TimeZoneName const& v) { w.string(v.value); }
    static void read(JsonValue const& v, TimeZoneName& out, JsonReader& r);
    static void schema(JsonWriter& w) {
        w.member("type", "string");
        w.member("description", "IANA time zone, such as Europe/Berlin");
    }
};

/// Reads an integer, and records one from outside that is not from `min` to `max`.
void read_integer(JsonValue const& v, std::int64_t& out, JsonReader& r, std::int64_t min, std::int64_t max);

/// An integer from Min to Max.
template <std::int64_t Min, std::int64_t Max>
struct Int {
    std::int64_t value = Min > 0 ? Min : 0;

    Int() = default;
    Int(std::int64_t v) : value(v) {}                // NOLINT(google-explicit-constructor): stands for its value
    operator std::int64_t() const { return value; }  // NOLINT(google-explicit-constructor)
};

template <std::int64_t Min, std::int64_t Max>
struct JsonType<Int<Min, Max>> {
    static void write(JsonWriter& w, Int<Min, Max> v) { w.integer(v.value); }
    static void read(JsonValue const& v, Int<Min, Max>& out, JsonReader& r) { read_integer(v, out.value, r, Min, Max); }
    static void schema(JsonWriter& w) {
        w.member("type", "integer");
        w.member("minimum", Min);
        w.member("maximum", Max);
    }
};

/// The id of a resource: a positive integer below 2^53.
using Id = std::int64_t;
inline constexpr Id kMaxId = (Id{1} << 53) - 1;

/// A decimal number of at most two decimals, kept as integer hundredths; Min and Max in whole units.
template <std::int64_t Min, std::int64_t Max>
struct Decimal {
    std::int64_t hundredths = 0;
    auto operator<=>(Decimal const&) const = default;
};
using Rate = Decimal<0, 10000>;

/// "12.5" for 1250 hundredths: no trailing zeros.
std::string format_hundredths(std::int64_t hundredths);
/// Reads a number as hundredths; one within 10^-6 of a hundredth is that hundredth, for binary fractions miss most of
/// them. Records one from outside that is not from `min` to `max`, or has more decimals.
void read_hundredths(JsonValue const& v, std::int64_t& out, JsonReader& r, std::int64_t min, std::int64_t max);

template <std::int64_t Min, std::int64_t Max>
struct JsonType<Decimal<Min, Max>> {
    static void write(JsonWriter& w, Decimal<Min, Max> v) { w.raw(format_hundredths(v.hundredths)); }
    static void read(JsonValue const& v, Decimal<Min, Max>& out, JsonReader& r) {
        read_hundredths(v, out.hundredths, r, Min, Max);
    }
    static void schema(JsonWriter& w) {
        w.member("type", "number");
        w.member("minimum", Min);
        w.member("maximum", Max);
        // No multipleOf: validators compute it in binary fractions, in which 38.75 is no multiple of 0.01.
        w.member("description", "At most two decimals");
    }
};

/// What comes from outside is of the years 1 to 9999 (domain 14): PostgreSQL has no year 0. Stored text may be older
/// than that rule.
inline constexpr Date kFirstDate{-719'162};  // 0001-01-01
inline constexpr Timestamp kFirstMoment{kFirstDate.days * 86'400'000LL};

template <>
struct JsonType<Timestamp> {
    static void write(JsonWriter& w, Timestamp v) { w.string(to_string(v)); }
    static void read(JsonValue const& v, Timestamp& out, JsonReader& r);
    static void schema(JsonWriter& w) {
        w.member("type", "string");
        w.member("format", "date-time");
    }
};

template <>
struct JsonType<Date> {
    static void write(JsonWriter& w, Date v) { w.string(to_string(v)); }
    static void read(JsonValue const& v, Date& out, JsonReader& r);
    static void schema(JsonWriter& w) {
        w.member("type", "string");
        w.member("format", "date");
    }
};

template <>
struct JsonType<TimeOfDay> {
    static void write(JsonWriter& w, TimeOfDay v) { w.string(to_string(v)); }
    static void read(JsonValue const& v, TimeOfDay& out, JsonReader& r);
    static void schema(JsonWriter& w) {
        w.member("type", "string");
        w.member("pattern", "^([01][0-9]|2[0-3]):[0-5][0-9]$");
    }
};

/// A field about a person. In events it stands sealed under that person's key; once the key is gone it reads as T's
/// empty value, erased. Everywhere else it is its value.
template <class T>
struct Personal {
    T value{};
    bool erased = false;

    Personal() = default;
    Personal(T v) : value(std::move(v)) {}       // NOLINT(google-explicit-constructor): stands for its value
    operator T const&() const { return value; }  // NOLINT(google-explicit-constructor)
};

template <class T>
inline constexpr bool IsPersonal<Personal<T>> = true;

/// A field of an event that is for the service itself: GET /api/events leaves it out (JsonWriter::leave_out_untold).
/// Stored it is its value.
template <class T>
struct Internal {
    T value{};

    Internal() = default;
    template <class V>
        requires(std::convertible_to<V, T> && !std::same_as<std::remove_cvref_t<V>, Internal>)
    Internal(V&& v) : value(std::forward<V>(v)) {}  // NOLINT(google-explicit-constructor): stands for its value
    operator T const&() const { return value; }     // NOLINT(google-explicit-constructor)
};

template <class T>
inline constexpr bool kIsInternal<Internal<T>> = true;

template <class T>
struct JsonType<Internal<T>> {
    static void write(JsonWriter& w, Internal<T> const& v) { JsonType<T>::write(w, v.value); }
    static void read(JsonValue const& v, Internal<T>& out, JsonReader& r) { JsonType<T>::read(v, out.value, r); }
    static void schema(JsonWriter& w) { JsonType<T>::schema(w); }
};

/// What a sealed field holds: its JSON, or nothing where it was erased or is at fault.
struct OpenedField {
    std::optional<rapidjson::Document> json;
    bool erased = false;
};
/// Opens a sealed field by the reader's opener; records one that is none.
OpenedField open_sealed(JsonValue const& v, JsonReader& r);

template <class T>
struct JsonType<Personal<T>> {
    static void write(JsonWriter& w, Personal<T> const& v) {
        if (!w.sealer()) return write_json(w, v.value);
        w.begin_object();
        JsonWriter clear;
        write_json(clear.leave_out_absent(), v.value);
        w.member("sealed", (*w.sealer())(w.path(), clear.text()));
        w.end_object();
    }
    static void read(JsonValue const& v, Personal<T>& out, JsonReader& r) {
        if (!r.opener()) return JsonType<T>::read(v, out.value, r);
        auto const opened = open_sealed(v, r);
        out.erased = opened.erased;
        if (opened.erased) out.value = T{};
        if (opened.json) JsonType<T>::read(*opened.json, out.value, r);
    }
    static void schema(JsonWriter& w) {
        if (!w.sealer()) return JsonType<T>::schema(w);
        w.member("type", "object");
        w.member("description", "Sealed under the person's own key (AES-256-GCM, base64url)");
        w.key("properties");
        w.raw(R"({"sealed":{"type":"string"}})");
        w.key("required");
        w.raw(R"(["sealed"])");
    }
};

}  // namespace workforce::core
