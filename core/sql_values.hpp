// Values between C++ and Postgres' text form: statement parameters one way, fields of a result the other.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <pqxx/result>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace workforce::core {

/// A statement's parameter in Postgres' text form; nothing is NULL.
using Parameter = std::optional<std::string>;

/// Binary data for a bytea parameter. Refers to the data, does not own it.
struct Bytes {
    std::string_view data;
};
/// The same, of data that it owns.
struct Blob {
    std::string data;
};

/// The parameter of a value: text, numbers, booleans, moments, Bytes, Blob, optionals of them (NULL when empty) and
/// contiguous ranges of them (arrays). Text with a NUL byte, which Postgres can't hold, throws std::invalid_argument.
Parameter to_parameter(std::string_view text);
Parameter to_parameter(Bytes bytes);
Parameter to_parameter(double value);
inline Parameter to_parameter(Blob const& blob) { return to_parameter(Bytes{blob.data}); }
inline Parameter to_parameter(std::string const& text) { return to_parameter(std::string_view(text)); }
inline Parameter to_parameter(char const* text) { return to_parameter(std::string_view(text)); }
inline Parameter to_parameter(std::nullopt_t) { return std::nullopt; }
inline Parameter to_parameter(bool value) { return value ? "t" : "f"; }
inline Parameter to_parameter(Timestamp value) { return to_string(value); }
inline Parameter to_parameter(Date value) { return to_string(value); }
inline Parameter to_parameter(TimeOfDay value) { return to_string(value); }
template <std::integral T>
    requires(!std::same_as<T, bool>)
Parameter to_parameter(T value) {
    return std::to_string(value);
}
template <class T>
Parameter to_parameter(std::optional<T> const& value) {
    return value ? to_parameter(*value) : std::nullopt;
}

/// Appends one element to an array's text that `{` began.
void append_array_element(std::string& array, Parameter const& element);

/// A Postgres array's text, `{1,2,NULL}`, for a parameter of an array type, as `unnest($1::bigint[])` wants it. Takes
/// any range of what to_parameter() takes.
template <std::ranges::input_range Range>
std::string array_literal(Range const& values) {
    std::string array = "{";
    for (std::ranges::range_value_t<Range> const& value : values) append_array_element(array, to_parameter(value));
    array += '}';
    return array;
}
template <class T>
Parameter to_parameter(std::vector<T> const& values) {
    return array_literal(values);
}
template <class T, std::size_t Extent>
Parameter to_parameter(std::span<T, Extent> values) {
    return array_literal(values);
}

/// Reads fields; the specialisations are what read<T> takes.
template <class T>
struct FieldReader;

/// The field's value: std::int64_t, int, bool, double, std::string, Timestamp, Date, TimeOfDay, std::optional of them,
/// and std::vector of std::string or integers. Throws std::runtime_error when the field is NULL (but for an optional)
/// or its text does not fit. The session must be one that Connection opened (its time zone is UTC).
template <class T>
T read(pqxx::field const& field) {
    return FieldReader<T>::read(field);
}

/// The field's text without a copy, valid as long as the result; "" for NULL.
inline std::string_view read_view(pqxx::field const& field) { return {field.c_str(), field.size()}; }
/// A bytea field's data. Throws std::runtime_error for NULL and other types.
std::string read_bytes(pqxx::field const& field);

/// The field's text; throws std::runtime_error, naming the column, when it is NULL.
std::string_view require_text(pqxx::field const& field);
/// Throws the std::runtime_error of a field whose text does not fit the type asked for.
[[noreturn]] void throw_misfit(pqxx::field const& field, char const* wanted);
/// The elements of an array field. Throws std::runtime_error for NULL, for NULL elements and for nested arrays.
std::vector<std::string> read_array(pqxx::field const& field);
/// The integer that is the whole text, or nothing.
std::optional<std::int64_t> parse_integer(std::string_view text);

template <std::integral T>
struct FieldReader<T> {
    static T read(pqxx::field const& field) {
        auto const value = parse_integer(require_text(field));
        if (!value || !std::in_range<T>(*value)) throw_misfit(field, "integer");
        return static_cast<T>(*value);
    }
};
template <>
struct FieldReader<bool> {
    static bool read(pqxx::field const& field);
};
template <>
struct FieldReader<double> {
    static double read(pqxx::field const& field);
};
template <>
struct FieldReader<std::string> {
    static std::string read(pqxx::field const& field) { return std::string(require_text(field)); }
};
template <>
struct FieldReader<Timestamp> {
    static Timestamp read(pqxx::field const& field);
};
template <>
struct FieldReader<Date> {
    static Date read(pqxx::field const& field);
};
template <>
struct FieldReader<TimeOfDay> {
    static TimeOfDay read(pqxx::field const& field);
};
template <class T>
struct FieldReader<std::optional<T>> {
    static std::optional<T> read(pqxx::field const& field) {
        if (field.is_null()) return std::nullopt;
        return FieldReader<T>::read(field);
    }
};
template <>
struct FieldReader<std::vector<std::string>> {
    static std::vector<std::string> read(pqxx::field const& field) { return read_array(field); }
};
template <std::integral T>
struct FieldReader<std::vector<T>> {
    static std::vector<T> read(pqxx::field const& field) {
        std::vector<T> values;
        for (auto const& text : read_array(field)) {
            auto const value = parse_integer(text);
            if (!value || !std::in_range<T>(*value)) throw_misfit(field, "integers");
            values.push_back(static_cast<T>(*value));
        }
        return values;
    }
};

}  // namespace workforce::core
