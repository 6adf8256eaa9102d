// Showing lists.
#include "operations/dashboard/list_view.hpp"

#include <fmt/format.h>
#include <rapidjson/pointer.h>

#include <algorithm>
#include <utility>

#include "core/json_values.hpp"
#include "operations/oauth/redirect_uri.hpp"

namespace workforce::operations {

/// A filter as the template takes it.
struct ShownFilter {
    std::string name;
    std::string label;
    std::string value;
    std::string unset;
    bool line = false;
    bool day = false;
    bool pick = false;
    InputChoices choices;
};
BOOST_DESCRIBE_STRUCT(ShownFilter, (), (name, label, value, unset, line, day, pick, choices))

struct ShownCell {
    std::string title;
    std::string text;
    std::string href;     ///< empty: it leads nowhere
    std::string details;  ///< shown once its reader opens it; empty: there are none
};
BOOST_DESCRIBE_STRUCT(ShownCell, (), (title, text, href, details))
struct ShownRow {
    std::vector<ShownCell> cells;
};
BOOST_DESCRIBE_STRUCT(ShownRow, (), (cells))

struct ShownList {
    std::string path;
    std::string what;
    bool filtered = false;
    std::vector<ShownFilter> filters;
    std::vector<std::string> titles;
    bool any = false;
    std::vector<ShownRow> rows;
    std::string next;   ///< address of the rows after these; empty: there are none
    std::string first;  ///< address of the first rows; empty: these are
};
BOOST_DESCRIBE_STRUCT(ShownList, (), (path, what, filtered, filters, titles, any, rows, next, first))

struct ShownTab {
    std::string path;
    std::string title;
    bool current = false;
};
BOOST_DESCRIBE_STRUCT(ShownTab, (), (path, title, current))
struct ShownFact {
    std::string title;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ShownFact, (), (title, text))

namespace {

constexpr std::string_view kListCursor = "cursor";

core::JsonValue const* member_of(core::JsonValue const& row, std::string_view member) {
    auto const place = "/" + std::string(member);
    return rapidjson::Pointer(place.data(), place.size()).Get(row);
}

std::string plain_text(core::JsonValue const& value) {
    if (value.IsNull()) return "";
    if (value.IsString()) return std::string(core::text_of(value));
    return core::json_of(value);
}

std::string list_text(core::JsonValue const& value) {
    std::string text;
    if (!value.IsArray()) return text;
    for (auto const& item : value.GetArray()) text += (text.empty() ? "" : ", ") + plain_text(item);
    return text;
}

/// "role: viewer → admin; status: …" of what changed.
std::string changes_text(core::JsonValue const& changes) {
    std::string text;
    if (!changes.IsObject()) return text;
    auto const side = [](core::JsonValue const* value) {
        auto shown = value == nullptr ? std::string() : plain_text(*value);
        return shown.empty() ? std::string("nothing") : shown;
    };
    for (auto const& [name, change] : changes.GetObject()) {
        text += fmt::format("{}{}: {} → {}", text.empty() ? "" : "; ", name.GetString(),
                            side(core::find_member(&change, "from")), side(core::find_member(&change, "to")));
    }
    return text;
}

boost::asio::awaitable<std::string> text_of_column(RowNames& names, core::JsonValue const& row,
                                                   ListColumn const& column) {
    using enum ListColumn::Look;
    static std::map<ListColumn::Look, NamedMember::What> const kinds{{staff, NamedMember::What::person},
                                                                     {user, NamedMember::What::user},
                                                                     {facility, NamedMember::What::facility},
                                                                     {organization, NamedMember::What::organization},
                                                                     {agent, NamedMember::What::agent}};
    auto const* const value = member_of(row, column.member);
    if (value == nullptr || value->IsNull()) co_return "";
    if (auto const named = kinds.find(column.look); named != kinds.end()) {
        if (value->IsInt64()) co_return co_await names.name(named->second, value->GetInt64());
        std::string all;
        for (auto const& item : value->GetArray()) {
            all += (all.empty() ? "" : ", ") + co_await names.name(named->second, item.GetInt64());
        }
        co_return all;
    }
    if (column.look == words) co_return in_words(plain_text(*value));
    if (column.look == yes_no) co_return value->IsTrue() ? "yes" : "no";
    if (column.look == list) co_return list_text(*value);
    if (column.look == changes) co_return changes_text(*value);
    co_return plain_text(*value);
}

/// The parameters of the page that narrow the list.
QueryMap asked_filters(Call const& page, ListView const& view) {
    QueryMap asked;
    for (auto const& filter : view.filters) {
        if (auto value = parameter_of(page, filter.name); !value.empty()) asked.emplace(filter.name, std::move(value));
    }
    return asked;
}

std::string address_with(ListView const& view, QueryMap const& parameters) {
    std::string address(view.path);
    for (auto const& [name, value] : parameters) {
        address += fmt::format("{}{}={}", address.size() == view.path.size() ? '?' : '&', name, form_encoded(value));
    }
    return address;
}

ShownFilter shown_filter(ListFilter const& filter, QueryMap const& asked, InputChoices more) {
    ShownFilter shown;
    shown.name = filter.name;
    shown.label = filter.label;
    shown.unset = filter.unset;
    if (auto const found = asked.find(filter.name); found != asked.end()) shown.value = found->second;
    shown.line = filter.look == ListFilter::Look::text;
    shown.day = filter.look == ListFilter::Look::day;
    shown.pick = filter.look == ListFilter::Look::choice;
    for (auto const value : filter.values) shown.choices.push_back({std::string(value), in_words(value)});
    std::ranges::move(more, std::back_inserter(shown.choices));
    for (auto& choice : shown.choices) choice.chosen = choice.value == shown.value;
    return shown;
}

boost::asio::awaitable<ShownRow> shown_row(RowNames& names, core::JsonValue const& row, ListView const& view) {
    ShownRow shown;
    for (auto const& column : view.columns) {
        ShownCell cell{std::string(column.title), co_await text_of_column(names, row, column), "", ""};
        if (shown.cells.empty() && !view.row_path.empty()) {
            auto const id = row["id"].GetInt64();
            if (cell.text.empty() || column.member == "id") cell.text = fmt::format("{} {}", view.noun, id);
            cell.href = fmt::format("{}/{}", view.row_path, id);
        }
        if (column.look == ListColumn::Look::changes && !cell.text.empty()) {
            auto const count = member_of(row, column.member)->MemberCount();
            cell.details = std::exchange(cell.text, fmt::format("{} {}", count, count == 1 ? "field" : "fields"));
        }
        shown.cells.push_back(std::move(cell));
    }
    co_return shown;
}

}  // namespace

std::vector<std::string_view> parameters_of(ListView const& view) {
    std::vector<std::string_view> names{kListCursor};
    for (auto const& filter : view.filters) names.push_back(filter.name);
    return names;
}

boost::asio::awaitable<void> add_list_view(Call& page, PageContent& content, ListView const& view,
                                           std::map<std::string_view, InputChoices> choices) {
    auto const asked = asked_filters(page, view);
    ShownList shown;
    shown.path = view.path;
    shown.what = view.what;
    shown.filtered = !view.filters.empty();
    for (auto const& filter : view.filters) shown.filters.push_back(shown_filter(filter, asked, choices[filter.name]));
    for (auto const& column : view.columns) shown.titles.emplace_back(column.title);
    auto query = asked;
    query.emplace("limit", std::to_string(view.limit));
    if (!view.sort.empty()) query.emplace("sort", view.sort);
    auto const cursor = parameter_of(page, kListCursor);
    if (!cursor.empty()) {
        query.emplace(kListCursor, cursor);
        shown.first = address_with(view, asked);
    }
    auto const outcome = co_await ask(page, {.operation = view.operation, .parameters = std::move(query)});
    if (outcome.status >= 300) {
        if (outcome.status == 403) co_return;
        content.remark("They can't be shown: " + problem_of(outcome));
    } else {
        RowNames names(page);
        auto const document = core::parse_json(outcome.body);
        for (auto const& row : (*document)["data"].GetArray()) {
            shown.rows.push_back(co_await shown_row(names, row, view));
        }
        auto const* const pagination = core::find_member(&*document, "pagination");
        if (auto const next = core::as_text(core::find_member(pagination, "nextCursor"))) {
            auto further = asked;
            further.emplace(kListCursor, *next);
            shown.next = address_with(view, further);
        }
    }
    shown.any = !shown.rows.empty();
    content.add_json("list", core::to_json(shown));
}

boost::asio::awaitable<std::string> facts_json(RowNames& names, core::JsonValue const& record,
                                               std::span<ListColumn const> columns) {
    std::vector<ShownFact> facts;
    for (auto const& column : columns) {
        auto text = co_await text_of_column(names, record, column);
        if (!text.empty()) facts.push_back({std::string(column.title), std::move(text)});
    }
    co_return core::to_json(facts);
}

void add_tabs(Call const& page, PageContent& content, std::span<Tab const> tabs, std::string_view current) {
    std::vector<ShownTab> shown;
    for (auto const& tab : tabs) {
        if (!tab.needs.empty() && !may_ask(*page.caller, tab.needs)) continue;
        shown.push_back({std::string(tab.path), std::string(tab.title), tab.path == current});
    }
    content.add_json("tabs", core::to_json(shown));
}

}  // namespace workforce::operations
