// GET /developers/usage and /developers/sandbox: what credentials did, and rows to try things out on.
#include "core/json_values.hpp"
#include "operations/dashboard/developer_pages.hpp"
#include "operations/dashboard/page_options.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_names.hpp"
#include "operations/dashboard/usage_chart.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kUsagePage = "pages.usage";
constexpr std::string_view kSandboxPage = "pages.sandbox";
constexpr std::string_view kResetSandbox = "pages.reset_sandbox";
constexpr std::string_view kFacilityName = "facilityId";
constexpr std::string_view kDaysName = "days";

FormField usage_facility_filter(std::string_view blank) {
    return {.name = kFacilityName, .label = "Facility", .kind = FieldKind::id, .blank = blank};
}

/// Adds the filters for the part `inputs_part`, with what the address or a form has in them.
boost::asio::awaitable<void> add_usage_filters(Call& call, PageContent& content, std::span<FormField const> filters,
                                               FormFields const& values) {
    InputOptions options;
    options.emplace(kFacilityName, co_await facility_choices(call));
    content.add_json("inputs", shown_fields(filters, values, options, "filter"));
}

boost::asio::awaitable<void> fill_usage(Call& call, PageContent& content) {
    add_developer_tabs(call, content, "/developers/usage");
    auto const facility = parameter_of(call, kFacilityName);
    auto days = parameter_of(call, kDaysName);
    if (days.empty()) days = "30";
    std::array const filters{usage_facility_filter("all"),
                             FormField{.name = kDaysName, .label = "Days, 1 to 365", .kind = FieldKind::number}};
    co_await add_usage_filters(call, content, filters,
                               {{std::string(kFacilityName), facility}, {std::string(kDaysName), days}});
    QueryMap query{{std::string(kDaysName), days}};
    if (!facility.empty()) query.emplace(kFacilityName, facility);
    std::string csv = "/api/api-usage/export?days=" + form_encoded(days);
    if (!facility.empty()) csv += "&facilityId=" + form_encoded(facility);
    bool const shown = co_await content.add("usage", {.operation = "usage.summary", .parameters = query});
    if (!shown) co_return;
    content.add_text("csv", csv);
    auto const series = co_await ask(call, {.operation = "usage.timeseries", .parameters = query});
    if (series.status < 300) {
        auto const chart = usage_chart(*core::parse_json(series.body));
        if (!chart.empty()) content.add_json("chart", chart);
    } else {
        content.remark("The chart can't be shown: " + problem_of(series));
    }
    co_await content.add("by_key", {.operation = "usage.by_key", .parameters = query});
    co_await content.add("by_agent", {.operation = "usage.by_agent", .parameters = query});
    co_await content.add("by_tool", {.operation = "usage.by_tool", .parameters = query});
    co_await content.add("outcomes", {.operation = "usage.outcomes", .parameters = query});
}

/// Rows of a sandbox by their kinds, as a list for the template: "kind", "count".
std::string counts_json(core::JsonValue const& counts) {
    core::JsonWriter w;
    w.begin_array();
    for (auto const& [name, count] : counts.GetObject()) {
        w.begin_object();
        w.member("kind", spoken(name.GetString()));
        w.member("count", core::json_of(count));
        w.end_object();
    }
    w.end_array();
    return w.take();
}

boost::asio::awaitable<void> fill_sandbox(Call& call, PageContent& content) {
    add_developer_tabs(call, content, "/developers/sandbox");
    auto const facility = kept_of(call, kFacilityName);
    std::array const filters{usage_facility_filter("the only one")};
    co_await add_usage_filters(call, content, filters, {{std::string(kFacilityName), facility}});
    QueryMap query;
    if (!facility.empty()) query.emplace(kFacilityName, facility);
    auto const outcome = co_await ask(call, {.operation = "sandbox.get", .parameters = std::move(query)});
    if (outcome.refused == core::Code::facility_required) {
        content.add_json("unchosen", "true");
        co_return;
    }
    if (outcome.status >= 300) {
        content.remark("The sandbox can't be shown: " + problem_of(outcome));
        co_return;
    }
    auto const sandbox = core::parse_json(outcome.body);
    RowNames names(call);
    auto const id = (*sandbox)["facilityId"].GetInt64();
    content.add_text("facility", std::to_string(id));
    content.add_text("facility_name", co_await names.name(NamedMember::What::facility, id));
    content.add_json("counts", counts_json((*sandbox)["counts"]));
    auto const& last = (*sandbox)["lastReset"];
    if (!last.IsNull()) content.add_json("last", core::json_of(last));
}

core::Result<Question> reset_sandbox_of(Call const& /*call*/, FormFields const& fields) {
    static FormShape const form{.form = kResetSandbox,
                                .inputs = {{.name = kFacilityName, .label = {}, .kind = FieldKind::id},
                                           {.name = "seed", .label = {}, .kind = FieldKind::number}}};
    return body_from(form, fields).map([](std::string body) {
        return Question{.operation = "sandbox.reset", .body = std::move(body)};
    });
}

}  // namespace

void add_developer_tabs(Call const& page, PageContent& content, std::string_view current) {
    static constexpr std::array kTabs{
        Tab{"/developers", "Keys and webhooks", "events.list"}, Tab{"/developers/usage", "Usage", "usage.summary"},
        Tab{"/developers/events", "Events", "events.list"}, Tab{"/developers/sandbox", "Sandbox", "sandbox.get"}};
    add_tabs(page, content, kTabs, current);
}

DashboardSection usage_section() {
    return {{.name = kUsagePage,
             .path = "/developers/usage",
             .title = "Usage",
             .summary = "What credentials did",
             .needs = "usage.summary",
             .in_menu = false,
             .text = templates::dashboard_usage,
             .parameters = {kFacilityName, kDaysName},
             .fill = fill_usage}};
}

DashboardSection sandbox_section() {
    return {{.name = kSandboxPage,
             .path = "/developers/sandbox",
             .title = "Sandbox",
             .summary = "Rows to try things out on",
             .needs = "sandbox.get",
             .in_menu = false,
             .text = templates::dashboard_sandbox,
             .parameters = {kFacilityName},
             .fill = fill_sandbox},
            {{.name = kResetSandbox,
              .path = "/developers/sandbox",
              .summary = "Empty a facility's sandbox and fill it anew by the form",
              .page = kSandboxPage,
              .done = "The sandbox is filled anew.",
              .shows_answer = true,
              .question = reset_sandbox_of}}};
}

}  // namespace workforce::operations
