// JSON Schema of the types that requests and answers are made of. It says more than the schema of an event, which is
// fixed once released: of a request all rules that its reader applies, of an answer which members always stand there.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/text.hpp"

namespace workforce::api {

enum class Side : std::uint8_t { request, answer };

/// The texts that core::clean_text takes and that then have at least `min` characters, as a regular expression
/// (ECMA-262).
inline std::string text_pattern(std::size_t min, bool multiline) {
    constexpr std::string_view kTrimmed = R"([ \t\r\n]*)";
    constexpr std::string_view kVisible = R"([^\u0000-\u0020\u007F-\u009F])";
    std::string_view const taken =
        multiline ? R"([^\u0000-\u0008\u000B-\u001F\u007F-\u009F])" : R"([^\u0000-\u001F\u007F-\u009F])";
    // What trimming leaves begins and ends with something visible.
    auto text = fmt::format("{}*", taken);
    if (min == 1) text = fmt::format("{}{}*", kVisible, taken);
    if (min > 1) text = fmt::format("{0}{1}{{{2},}}{0}", kVisible, taken, min - 2);
    return fmt::format("^{0}{1}{0}$", kTrimmed, text);
}

/// Writes the members of an open schema object; by default what events have.
template <class T>
struct ApiSchema {
    static void write(core::JsonWriter& w, Side) { core::JsonType<T>::schema(w); }
};

template <class T>
struct ApiSchema<std::optional<T>> : ApiSchema<T> {};
template <class T>
struct ApiSchema<core::Personal<T>> : ApiSchema<T> {};

template <class T>
void write_object(core::JsonWriter& w, Side side) {
    w.begin_object();
    ApiSchema<T>::write(w, side);
    w.end_object();
}

template <class T>
struct ApiSchema<core::Nullable<T>> {
    static void write(core::JsonWriter& w, Side side) {
        w.key("anyOf");
        w.begin_array();
        write_object<T>(w, side);
        w.raw(R"({"type":"null"})");
        w.end_array();
    }
};

template <class T>
struct ApiSchema<std::vector<T>> {
    static void write(core::JsonWriter& w, Side side) {
        w.member("type", "array");
        w.key("items");
        write_object<T>(w, side);
        if (side == Side::request) w.member("maxItems", core::JsonType<std::vector<T>>::kMaxItems);
    }
};

template <core::DescribedStruct T>
struct ApiSchema<T> {
    static void write(core::JsonWriter& w, Side side) {
        std::vector<std::string> required;
        w.member("type", "object");
        w.key("properties");
        w.begin_object();
        boost::mp11::mp_for_each<core::Members<T>>([&](auto d) {
            using Member = std::remove_cvref_t<decltype(std::declval<T>().*d.pointer)>;
            auto const name = core::wire_name(d.name);
            w.key(name);
            write_object<Member>(w, side);
            bool const stands = side == Side::answer ? !core::kIsOptional<Member> : core::is_required<T, Member>(name);
            if (stands) required.emplace_back(name);
        });
        w.end_object();
        if (required.empty()) return;
        w.key("required");
        core::write_json(w, required);
    }
};

template <class T>
    requires(std::integral<T> && !std::same_as<T, bool>)
struct ApiSchema<T> {
    static void write(core::JsonWriter& w, Side side) {
        w.member("type", "integer");
        if (side == Side::answer) return;
        w.member("minimum", std::numeric_limits<T>::min());
        w.member("maximum", std::numeric_limits<T>::max());
    }
};

template <std::size_t Min, std::size_t Max, core::TextForm Form>
struct ApiSchema<core::Text<Min, Max, Form>> {
    static void write(core::JsonWriter& w, Side side) {
        core::JsonType<core::Text<Min, Max, Form>>::schema(w);
        if (side == Side::request) w.member("pattern", text_pattern(Min, Form == core::TextForm::paragraph));
    }
};

template <>
struct ApiSchema<core::HttpsUrl> {
    static void write(core::JsonWriter& w, Side side) {
        if (side == Side::answer) return core::JsonType<core::HttpsUrl>::schema(w);
        w.member("type", "string");
        w.member("maxLength", 2048);
        w.member("pattern",
                 R"_(^https://[A-Za-z0-9._-]+(:[0-9]{1,5})?([/?](%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?@!$&'()*+,;=-])*)?)_"
                 R"_((#(%[0-9A-Fa-f]{2}|[A-Za-z0-9._~:/?@!$&'()*+,;=-])*)?$)_");
    }
};

template <>
struct ApiSchema<core::TimeZoneName> {
    static void write(core::JsonWriter& w, Side) {
        core::JsonType<core::TimeZoneName>::schema(w);
        w.member("format", "time-zone");
    }
};

}  // namespace workforce::api
