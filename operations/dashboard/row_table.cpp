// Tables of lists, and the filters above them.
#include "operations/dashboard/row_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/json_values.hpp"
#include "core/sql_values.hpp"
#include "operations/dashboard/page_options.hpp"
#include "operations/oauth/redirect_uri.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::string_view kTableCursor = "cursor";

/// "2 fields" of an object of that many members.
std::string counted_members(core::JsonValue const& row, TableColumn const& column) {
    auto const* const object = member_at(row, column.member);
    auto const count = object != nullptr && object->IsObject() ? object->MemberCount() : 0;
    return count == 0 ? "" : fmt::format("{} {}", count, count == 1 ? "field" : "fields");
}

awaitable<void> write_table_row(core::JsonWriter& w, RowNames& names, TableShape const& shape,
                                core::JsonValue const& row) {
    w.begin_object();
    w.key("cells");
    w.begin_array();
    std::string called;  // by its first two cells
    std::size_t place = 0;
    for (auto const& column : shape.columns) {
        auto text = co_await member_text(names, column, row);
        if (!column.noun.empty() && (text.empty() || column.member == "id")) {
            text = fmt::format("{} {}", column.noun, row["id"].GetInt64());
        }
        auto details = column.shows == Shows::changes ? std::exchange(text, counted_members(row, column)) : "";
        auto const* const id = column.link.empty() ? nullptr : core::find_member(&row, column.link_member);
        if (place < 2) called += (called.empty() ? "" : ", ") + text;
        w.begin_object();
        w.member("heading", place == 0);
        w.member("label", column.header);
        w.member("text", text);
        w.member("details", details);
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
                            FormFields const& values, InputOptions options, std::string_view first) {
    std::string only;
    for (auto const& filter : shape.filters) {
        if (filter.kind == FieldKind::id && !options.contains(filter.name)) {
            options.emplace(filter.name, co_await facility_choices(page));
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
    w.member("first", first);
    w.key("inputs");
    w.raw(shown_fields(shape.filters, values, options, "filter"));
    w.end_object();
    content.add_json("filters", w.text());
}

}  // namespace

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

awaitable<void> add_list_page(Call& page, PageContent& content, RowNames& names, ListShape const& shape, RowMark mark,
                              InputOptions options) {
    QueryMap query{{"limit", "50"}};
    if (!shape.sort.empty()) query.emplace("sort", shape.sort);
    FormFields values;
    std::string next(shape.path);
    for (auto const& filter : shape.filters) {
        auto value = parameter_of(page, filter.name);
        if (value.empty()) continue;
        next = with_parameter(next, filter.name, value);
        query.emplace(filter.name, value);
        values.emplace(filter.name, std::move(value));
    }
    auto cursor = parameter_of(page, kTableCursor);
    auto const first = cursor.empty() ? std::string() : next;
    if (!cursor.empty()) query.emplace(kTableCursor, std::move(cursor));
    co_await add_filters(page, content, names, shape, values, std::move(options), first);
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
