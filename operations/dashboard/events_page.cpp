// GET /developers/events: events, as those hear of them who follow them by the API.
#include <fmt/format.h>

#include <array>

#include "core/json_values.hpp"
#include "operations/dashboard/developer_pages.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_table.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {

struct ShownEvent {
    std::string type;
    std::string time;
    std::string resource;
    std::string facility;  ///< its name; empty: at none
    std::string by;
    std::string data;  ///< JSON text
};
BOOST_DESCRIBE_STRUCT(ShownEvent, (), (type, time, resource, facility, by, data))

struct ShownEvents {
    std::vector<ShownEvent> rows;
    std::string next;   ///< the address of those that follow
    bool more = false;  ///< some may follow: there are rows
};
BOOST_DESCRIBE_STRUCT(ShownEvents, (), (rows, next, more))

namespace {

constexpr std::string_view kPath = "/developers/events";
constexpr std::string_view kTypes = "types";
constexpr std::string_view kAfter = "after";
constexpr std::string_view kPageRows = "50";

boost::asio::awaitable<std::string> name_of_actor(RowNames& names, core::JsonValue const& actor) {
    std::string_view const type = actor["type"].GetString();
    auto const id = actor["id"].GetInt64();
    if (type == "user") co_return co_await names.name(NamedMember::What::user, id);
    if (type == "oauth") co_return "a program of " + co_await names.name(NamedMember::What::user, id);
    if (type == "system") co_return "the service itself";
    co_return spoken(type) + ' ' + std::to_string(id);
}

/// "2026-07-24 10:00:12.012 UTC": several events may be of one second.
std::string precise_time(std::string_view time) {
    constexpr std::size_t kDate = 10;
    return fmt::format("{} {} UTC", time.substr(0, kDate), time.substr(kDate + 1, time.size() - kDate - 2));
}

boost::asio::awaitable<ShownEvent> shown_event(RowNames& names, core::JsonValue const& event) {
    ShownEvent shown{.type = event["type"].GetString(),
                     .time = precise_time(event["time"].GetString()),
                     .resource = event["resource"].GetString(),
                     .facility = {},
                     .by = co_await name_of_actor(names, event["actor"]),
                     .data = indented_json(event["data"])};
    auto const& facility = event["facilityId"];
    if (!facility.IsNull()) {
        shown.facility = co_await names.name(NamedMember::What::facility, facility.GetInt64());
    }
    co_return shown;
}

boost::asio::awaitable<void> fill_events(Call& call, PageContent& content) {
    add_developer_tabs(call, content, kPath);
    auto const types = parameter_of(call, kTypes);
    auto const after = parameter_of(call, kAfter);
    std::array const filters{FormField{.name = kTypes, .label = "Types, such as shift.*,staff.created"}};
    content.add_json("inputs", shown_fields(filters, {{std::string(kTypes), types}}, {}, "filter"));
    QueryMap query{{"limit", std::string(kPageRows)}};
    if (!types.empty()) query.emplace(kTypes, types);
    if (!after.empty()) query.emplace(kAfter, after);
    auto const outcome = co_await ask(call, {.operation = "events.list", .parameters = std::move(query)});
    if (outcome.status >= 300) {
        content.remark("The events can't be shown: " + problem_of(outcome));
        co_return;
    }
    auto const answer = core::parse_json(outcome.body);
    RowNames names(call);
    ShownEvents shown;
    for (auto const& event : (*answer)["data"].GetArray()) {
        shown.rows.push_back(co_await shown_event(names, event));
    }
    shown.next = fmt::format("{}?types={}&after={}", kPath, form_encoded(types),
                             form_encoded((*answer)["nextAfter"].GetString()));
    shown.more = !shown.rows.empty();
    content.add_json("events", core::to_json(shown));
}

}  // namespace

DashboardSection events_section() {
    return {{.name = "pages.events",
             .path = kPath,
             .title = "Events",
             .summary = "Events, in their order",
             .needs = "events.list",
             .in_menu = false,
             .text = templates::dashboard_events,
             .parameters = {kTypes, kAfter},
             .fill = fill_events}};
}

}  // namespace workforce::operations
