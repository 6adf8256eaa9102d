// Query strings into described structs: the same rules, messages and OpenAPI schemas as for bodies.
#pragma once

#include <charconv>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/bool_or_any.hpp"
#include "core/json.hpp"
#include "core/result.hpp"
#include "core/text.hpp"
#include "operations/schema/ids.hpp"

namespace workforce::operations {

/// Decoded parameters by name.
using QueryMap = std::map<std::string, std::string, std::less<>>;

/// Decodes `a=b&c=d` (WHATWG URL form: '+' is a space). Errors: VALIDATION_ERROR for broken percent-encoding, text that
/// is no UTF-8, and a parameter that comes twice.
core::Result<QueryMap> parse_query(std::string_view query);

/// Percent-decodes one path segment or value, or nothing when it is broken.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

/// How the text of a parameter becomes the JSON value that T reads.
template <class T>
struct FromText {
    static core::JsonValue value(std::string_view text, rapidjson::Document::AllocatorType& allocator) {
        if constexpr (std::same_as<T, bool> || std::same_as<T, core::BoolOrAny>) {
            if (text == "true" || text == "false") return core::JsonValue(text == "true");
        } else if constexpr (std::integral<T> ||
                             requires(T t) { requires std::same_as<decltype(t.value), std::int64_t>; }) {
            std::int64_t number = 0;
            auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
            if (fault == std::errc{} && end == text.data() + text.size() && !text.empty())
                return core::JsonValue(number);
        }
        return {text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator};
    }
};
/// Lists are separated by commas.
template <class T>
struct FromText<std::vector<T>> {
    static core::JsonValue value(std::string_view text, rapidjson::Document::AllocatorType& allocator) {
        core::JsonValue array(rapidjson::kArrayType);
        while (true) {
            auto const comma = text.find(',');
            array.PushBack(FromText<T>::value(text.substr(0, comma), allocator), allocator);
            if (comma == std::string_view::npos) return array;
            text.remove_prefix(comma + 1);
        }
    }
};
template <class T>
struct FromText<std::optional<T>> : FromText<T> {};

/// How a parameter's text becomes the value of a member.
struct QueryField {
    std::string_view name;
    core::JsonValue (*value)(std::string_view text, rapidjson::Document::AllocatorType& allocator);
};

/// An object of the parameters that are fields.
rapidjson::Document query_object(QueryMap const& parameters, std::span<QueryField const> fields);

template <core::DescribedStruct T>
inline constexpr auto kQueryFields = core::table_of<T, QueryField>(
    []<class D>() { return QueryField{core::wire_name(D::name), &FromText<core::MemberType<T, D>>::value}; });

/// Reads the parameters that T declares; others are ignored. Errors: VALIDATION_ERROR naming all wrong ones.
template <class T>
core::Result<T> read_query(QueryMap const& parameters) {
    T value;
    core::JsonReader reader;
    core::JsonType<T>::read(query_object(parameters, kQueryFields<T>), value, reader);
    check_ids(value, reader);
    if (!reader.errors().empty()) return tl::unexpected(core::validation_problem(reader.errors()));
    return value;
}

}  // namespace workforce::operations
