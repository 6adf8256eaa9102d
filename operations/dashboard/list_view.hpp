// Lists with filters, each from one table of columns: a page of rows, the form that narrows them, the way to the next.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operations/dashboard/form_view.hpp"
#include "operations/dashboard/row_names.hpp"

namespace workforce::operations {

/// How a list is narrowed: a field of a GET form, which is a parameter of the page and of the list. Texts are static.
struct ListFilter {
    enum class Look : std::uint8_t { text, day, choice };
    std::string_view name;
    std::string_view label;
    Look look = Look::text;
    std::vector<std::string_view> values{};  ///< choices that are always the same
    std::string_view unset = "any";          ///< the choice of nothing
};

/// A member of rows, and how people read it. Texts are static.
struct ListColumn {
    enum class Look : std::uint8_t { text, words, yes_no, list, staff, user, facility, organization, agent, changes };
    std::string_view title;
    std::string_view member;  ///< "actor/name" of one within another
    Look look = Look::text;
};

/// A list. Texts are static.
struct ListView {
    std::string_view path;        ///< of its page
    std::string_view operation;   ///< that answers with the rows
    std::string_view what;        ///< they are
    std::string_view row_path{};  ///< a row's own page is below that, by its id; empty: rows have none
    std::string_view noun{};      ///< what a row is called whose first column is empty
    std::vector<ListFilter> filters{};
    std::vector<ListColumn> columns{};
    std::string_view sort{};
    int limit = 50;
};

/// The parameters of a page with the list.
std::vector<std::string_view> parameters_of(ListView const& view);

/// Adds the list to the page as `list`, for the part `part_list`: the rows that the page's parameters ask for.
/// `choices` are those of filters, by their names. A refusal is told, but for one of what the caller may not ask.
/// Throws as ask().
boost::asio::awaitable<void> add_list_view(Call& page, PageContent& content, ListView const& view,
                                           std::map<std::string_view, InputChoices> choices = {});

/// What the record's members are, with their titles, as JSON for the part `part_facts`; empty ones are left out. Throws
/// as ask().
boost::asio::awaitable<std::string> facts_json(RowNames& names, core::JsonValue const& record,
                                               std::span<ListColumn const> columns);

/// A link to another page of the same matter. Texts are static.
struct Tab {
    std::string_view path;
    std::string_view title;
    std::string_view needs{};  ///< an operation: who may not ask for that does not see the tab
};
/// Adds those that the caller may see as `tabs`, for the part `part_tabs`; `current` is the path of this page's.
void add_tabs(Call const& page, PageContent& content, std::span<Tab const> tabs, std::string_view current);

}  // namespace workforce::operations
