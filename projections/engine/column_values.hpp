// Values of resources and of filters as columns and parameters hold them, and the SQL types that these have.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "core/sql_values.hpp"
#include "core/time.hpp"
#include "projections/engine/row_arrays.hpp"

namespace workforce::projections {

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

/// The value without the type that gives it rules: an enumerator's name, a decimal's hundredths.
template <class T>
decltype(auto) bare(T const& value) {
    if constexpr (core::DescribedEnum<T>) {
        return core::enum_name(value);
    } else if constexpr (requires { value.hundredths; }) {
        return (value.hundredths);
    } else if constexpr (!core::kIsOptional<T> && requires { value.value; }) {
        return bare(value.value);
    } else {
        return (value);
    }
}
template <class T>
using Bare = std::remove_cvref_t<decltype(bare(std::declval<T const&>()))>;

/// The type of an array of such values.
template <class T>
constexpr std::string_view sql_array_type() {
    using Value = Bare<T>;
    if constexpr (core::kIsOptional<Value>) {
        return sql_array_type<typename Value::value_type>();
    } else if constexpr (std::same_as<Value, bool>) {
        return "boolean[]";
    } else if constexpr (std::same_as<Value, std::int16_t>) {
        return "smallint[]";
    } else if constexpr (std::same_as<Value, std::int64_t>) {
        return "bigint[]";
    } else if constexpr (std::same_as<Value, core::Timestamp>) {
        return "timestamptz[]";
    } else if constexpr (std::same_as<Value, core::Date>) {
        return "date[]";
    } else {
        static_assert(std::convertible_to<Value, std::string_view>, "a value that no column holds");
        return "text[]";
    }
}

/// The type of such a value, which may be a list.
template <class T>
constexpr std::string_view sql_type() {
    using Value = Bare<T>;
    if constexpr (core::kIsOptional<Value>) {
        return sql_type<typename Value::value_type>();
    } else if constexpr (kIsList<Value>) {
        return sql_array_type<typename Value::value_type>();
    } else {
        auto const array = sql_array_type<Value>();
        return array.substr(0, array.size() - std::string_view("[]").size());
    }
}

/// An array's text.
template <class T>
std::string array_text(std::vector<T> const& values) {
    std::string array = "{";
    for (auto const& value : values) core::append_array_element(array, core::to_parameter(bare(value)));
    array += '}';
    return array;
}

/// Adds a value to its column; a list travels as an array's text.
template <class T>
void add_value(ArrayColumn& column, T const& value) {
    if constexpr (core::kIsOptional<T>) {
        if (!value) return column.add_null();
        add_value(column, *value);
    } else if constexpr (kIsList<T>) {
        column.add(array_text(value));
    } else if constexpr (std::same_as<Bare<T>, T>) {
        column.add(value);
    } else {
        add_value(column, bare(value));
    }
}

/// The parameter of a filter: NULL, which lets everything pass, for nothing, and for an empty text or list.
template <class T>
core::Parameter filter_parameter(T const& value) {
    if constexpr (core::kIsOptional<T>) {
        return value ? filter_parameter(*value) : std::nullopt;
    } else if constexpr (kIsList<T>) {
        return value.empty() ? core::Parameter() : array_text(value);
    } else if constexpr (std::convertible_to<T, std::string_view>) {
        std::string_view const text = value;
        return text.empty() ? core::Parameter() : core::to_parameter(text);
    } else if constexpr (std::same_as<Bare<T>, T>) {
        return core::to_parameter(value);
    } else {
        return filter_parameter(bare(value));
    }
}

}  // namespace workforce::projections
