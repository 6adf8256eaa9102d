// Rows to the parameters of a statement: an array for each column.
#pragma once

#include <functional>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/connection.hpp"

namespace workforce::core {

namespace detail {

template <class Row>
struct ColumnsOf;
template <class... Values>
struct ColumnsOf<std::tuple<Values...>> {
    using Type = std::tuple<std::vector<Values>...>;
};

}  // namespace detail

/// Executes a statement whose parameters are `before`, and then an array for each of the values that `values_of(row)`
/// gives, as a tuple, of every row. Of no rows it executes nothing, and the result is empty. Views in the tuples refer
/// to the rows. Errors: those of Connection::execute().
template <class Rows, class ValuesOf, class... Before>
pqxx::result execute_rows(Connection& connection, Statement const& statement, Rows const& rows, ValuesOf values_of,
                          Before const&... before) {
    using Row = std::remove_cvref_t<std::invoke_result_t<ValuesOf&, decltype(*std::begin(rows))>>;
    typename detail::ColumnsOf<Row>::Type columns;
    for (auto const& row : rows) {
        std::apply(
            [&](auto&... column) {
                std::apply([&](auto&&... value) { (column.push_back(std::forward<decltype(value)>(value)), ...); },
                           values_of(row));
            },
            columns);
    }
    if (std::get<0>(columns).empty()) return {};
    return std::apply([&](auto const&... column) { return connection.execute(statement, before..., column...); },
                      columns);
}

}  // namespace workforce::core
