// Tables of lists, and the filters above them.
#include "operations/dashboard/row_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/json_values.hpp"
#include "core/sql_values.hpp"
#include "operations/oauth/redirect_uri.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::string_view kTableCursor = "cursor";
constexpr double kMinutesOfHour = 60;

std::string cell_of(core::JsonValue const& value) {
    if (value.IsString()) return {value.GetString(), value.GetStringLength()};
    return value.IsNumber() ? core::json_of(value) : std::string();
}

awaitable<std::string> table_cell(RowNames& names, TableColumn const& column, core::JsonValue const& row) {
    auto const* const found = core::find_member(&row, column.member);
    if (found == nullptr) co_return "";
    auto const& value = *found;
    auto text = cell_of(value);
    switch (column.shows) {
        case Shows::text:
            break;
        case Shows::words:
            text = spoken(text);
            break;
        case Shows::money: {
            auto const* const currency = core::find_member(&row, "currency");
            text = money_text(value) + (currency == nullptr ? "" : " " + cell_of(*currency));
            break;
        }
        case Shows::hours:
            text = hours_text(value);
            break;
        case Shows::person:
            if (value.IsInt64()) text = co_await names.person(value.GetInt64());
            break;
        case Shows::facility:
            text = value.IsInt64() ? co_await names.name(NamedMember::What::facility, value.GetInt64()) : "all";
            break;
        case Shows::clock:
            text = wall_clock(value, co_await names.zone(row["facilityId"].GetInt64()));
            break;
    }
    co_return text;
}

awaitable<void> write_table_row(core::JsonWriter& w, RowNames& names, TableShape const& shape,
                                core::JsonValue const& row) {
    w.begin_object();
    w.key("cells");
    w.begin_array();
    std::string called;  // by its first two cells
    std::size_t place = 0;
    for (auto const& column : shape.columns) {
        auto const text = co_await table_cell(names, column, row);
        auto const* const id = column.link.empty() ? nullptr : core::find_member(&row, column.link_member);
        if (place < 2) called += (called.empty() ? "" : ", ") + text;
        w.begin_object();
        w.member("heading", place == 0);
        w.member("label", column.header);
        w.member("text", text);
        w.member("link", id != nullptr && id->IsInt64() ? fmt::format("{}{}", column.link, id->GetInt64()) : "");
        w.end_object();
        ++place;
    }
    w.end_array();
    auto const* const pickable = shape.picked_by.empty() ? nullptr : core::find_member(&row, shape.picked_by);
    bool const picks = pickable != nullptr && pickable->IsTrue();
    w.member("pick", picks ? fmt::format("pick:{}", row["id"].GetInt64()) : "");
    w.member("called", called);
    w.end_object();
}

std::string with_parameter(std::string_view address, std::string_view name, std::string_view value) {
    bool const first = address.find('?') == std::string_view::npos;
    return fmt::format("{}{}{}={}", address, first ? "?" : "&", name, form_encoded(value));
}

awaitable<void> add_filters(Call& page, PageContent& content, RowNames& names, ListShape const& shape,
                            FormFields const& values) {
    InputOptions options;
    std::string only;
    for (auto const& filter : shape.filters) {
        if (filter.kind == FieldKind::id) {
            auto const facilities =
                co_await ask(page, {.operation = "facilities.list", .parameters = {{"limit", "200"}}});
            if (facilities.status >= 300) continue;
            options.emplace(filter.name, options_of(*core::parse_json(facilities.body), {"name"}));
        }
        auto const kept =
            filter.kind == FieldKind::kept ? core::parse_integer(field(values, filter.name)) : std::nullopt;
        if (!kept || *kept < 1 || *kept > core::kMaxId) continue;
        only = filter.label.empty() ? co_await names.person(*kept) : fmt::format("{} {}", filter.label, *kept);
    }
    core::JsonWriter w;
    w.begin_object();
    w.member("path", shape.path);
    w.member("only", only);
    w.key("inputs");
    w.raw(shown_fields(shape.filters, values, options, "filter"));
    w.end_object();
    content.add_json("filters", w.text());
}

}  // namespace

std::string money_text(core::JsonValue const& amount) {
    return amount.IsNumber() ? fmt::format("{:.2f}", amount.GetDouble()) : std::string();
}

std::string hours_text(core::JsonValue const& minutes) {
    return minutes.IsNumber() ? fmt::format("{:.2f}", minutes.GetDouble() / kMinutesOfHour) : std::string();
}

awaitable<void> add_table_of(PageContent& content, RowNames& names, std::string_view member, TableShape const& shape,
                             core::JsonValue const& rows, std::string next) {
    core::JsonWriter w;
    w.begin_object();
    w.member("caption", shape.caption);
    w.member("none", shape.none);
    w.member("next", next);
    w.member("any", !rows.Empty());
    w.member("picks", !shape.picked_by.empty());
    w.key("headers");
    w.begin_array();
    for (auto const& column : shape.columns) w.string(column.header);
    w.end_array();
    w.key("rows");
    w.begin_array();
    for (auto const& row : rows.GetArray()) co_await write_table_row(w, names, shape, row);
    w.end_array();
    w.end_object();
    content.add_json(member, w.text());
}

awaitable<bool> add_table(Call& page, PageContent& content, RowNames& names, std::string_view member,
                          TableShape const& shape, Question question, std::string next, RowMark mark) {
    auto const outcome = co_await ask(page, std::move(question));
    if (outcome.status >= 300) co_return content.take(member, outcome);
    auto document = core::parse_json(outcome.body);
    for (auto& row : (*document)["data"].GetArray()) {
        if (mark) mark(row, document->GetAllocator());
    }
    auto const& cursor = (*document)["pagination"]["nextCursor"];
    if (!cursor.IsString()) {
        next.clear();
    } else if (!next.empty()) {
        next = with_parameter(next, kTableCursor, cursor.GetString());
    } else {
        content.remark(fmt::format("There are more {} than this page shows.", member));
    }
    co_await add_table_of(content, names, member, shape, (*document)["data"], std::move(next));
    co_return true;
}

awaitable<void> add_list_page(Call& page, PageContent& content, RowNames& names, ListShape const& shape, RowMark mark) {
    QueryMap query{{"limit", "50"}, {"sort", std::string(shape.sort)}};
    FormFields values;
    std::string next(shape.path);
    for (auto const& filter : shape.filters) {
        auto value = parameter_of(page, filter.name);
        if (value.empty()) continue;
        next = with_parameter(next, filter.name, value);
        query.emplace(filter.name, value);
        values.emplace(filter.name, std::move(value));
    }
    if (auto cursor = parameter_of(page, kTableCursor); !cursor.empty()) query.emplace(kTableCursor, std::move(cursor));
    co_await add_filters(page, content, names, shape, values);
    co_await add_table(page, content, names, "table", shape.table,
                       {.operation = shape.operation, .parameters = std::move(query)}, std::move(next),
                       std::move(mark));
}

std::vector<std::string_view> list_parameters(ListShape const& shape) {
    std::vector<std::string_view> names{kTableCursor};
    for (auto const& filter : shape.filters) names.push_back(filter.name);
    return names;
}

}  // namespace workforce::operations
