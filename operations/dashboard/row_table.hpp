// Lists as tables, declared by their columns and filters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operations/dashboard/form_inputs.hpp"
#include "operations/dashboard/row_names.hpp"

namespace workforce::operations {

/// The form in which a cell shows a member of a row.
enum class Shows : std::uint8_t {
    text,
    words,  ///< a name of ours, such as "per_diem"
    yes_no,
    list,
    changes,  ///< of members, as the audit log has them: how many, and which where the reader asks
    money,    ///< with the row's currency, where it has one
    hours,    ///< of minutes, as a decimal number
    person,   ///< the name of a staff member, or of several, as with those below
    user,
    facility,
    facility_or_all,  ///< null is all of them
    organization,
    agent,
    clock,  ///< a moment by the clocks of the row's facility
};

/// A column. Texts are static.
struct TableColumn {
    std::string_view member;  ///< with a dot, of a member of a member
    std::string_view header;
    Shows shows = Shows::text;
    std::string_view link{};              ///< the path below which the cell leads to an id; empty: it leads nowhere
    std::string_view link_member = "id";  ///< the row's member that has that id
    std::string_view noun{};              ///< an id, and an empty cell, are called by that and the row's id
};

/// A table of a list's rows. The first column names its rows.
struct TableShape {
    std::string_view caption;
    std::string_view none;  ///< what is said where there are no rows
    std::vector<TableColumn> columns;
    std::string_view picked_by{};  ///< rows whose member of that name is true can be ticked: by the field "pick:<id>"
};

/// A page of a list, with filters that are the list's parameters of their names.
struct ListShape {
    std::string_view operation;
    std::string_view path;
    std::string_view sort{};  ///< empty: as the list has it
    std::vector<FormField> filters;
    TableShape table;
};

/// A number with two decimals.
std::string money_text(core::JsonValue const& amount);
/// Minutes as hours with two decimals.
std::string hours_text(core::JsonValue const& minutes);

/// The text of a member; "" where it is absent or null. Throws as ask().
boost::asio::awaitable<std::string> member_text(RowNames& names, TableColumn const& column, core::JsonValue const& row);
/// The columns of one record for the part `facts_part`, without empty ones. Throws as ask().
boost::asio::awaitable<std::string> shown_facts(RowNames& names, core::JsonValue const& record,
                                                std::span<TableColumn const> columns);

/// Asks for a list, and adds it as a table; `next` is where the following page is, but for its cursor, empty: nowhere.
/// `mark` sees each row before. What the caller may not ask is left out. Returns whether it was answered. Throws as
/// ask().
boost::asio::awaitable<bool> add_table(Call& page, PageContent& content, RowNames& names, std::string_view member,
                                       TableShape const& shape, Question question, std::string next = {},
                                       RowMark mark = {});
/// Adds rows that are there already, as add_table() does. Throws as ask().
boost::asio::awaitable<void> add_table_of(PageContent& content, RowNames& names, std::string_view member,
                                          TableShape const& shape, core::JsonValue const& rows, std::string next = {});

/// Adds the page of the list that the page's address asks for, as `table`, and its filters, as `filters`. `options` are
/// those of filters by id; such a one without any is by facility. Throws as ask().
boost::asio::awaitable<void> add_list_page(Call& page, PageContent& content, RowNames& names, ListShape const& shape,
                                           RowMark mark = {}, InputOptions options = {});
/// The parameters of the address of such a page.
std::vector<std::string_view> list_parameters(ListShape const& shape);

}  // namespace workforce::operations
