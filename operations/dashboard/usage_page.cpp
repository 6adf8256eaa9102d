// GET /developers/usage and /developers/sandbox: what credentials did, and rows to try things out on.
#include "core/json_values.hpp"
#include "operations/dashboard/developer_pages.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kUsagePage = "pages.usage";
constexpr std::string_view kSandboxPage = "pages.sandbox";
constexpr std::string_view kFacilityName = "facilityId";
constexpr std::string_view kDaysName = "days";

/// The facilities as choices, of which the address names one.
boost::asio::awaitable<std::string> chosen_facility(Call& call, PageContent& content) {
    auto facility = parameter_of(call, kFacilityName);
    auto choices = co_await facility_choices(call);
    for (auto& choice : choices) choice.chosen = choice.value == facility;
    content.add_json("facilities", core::to_json(choices));
    co_return facility;
}

boost::asio::awaitable<void> fill_usage(Call& call, PageContent& content) {
    add_developer_tabs(call, content, "/developers/usage");
    auto const facility = co_await chosen_facility(call, content);
    auto days = parameter_of(call, kDaysName);
    if (days.empty()) days = "30";
    content.add_text("days", days);
    QueryMap query{{std::string(kDaysName), days}};
    if (!facility.empty()) query.emplace(kFacilityName, facility);
    std::string csv = "/api/api-usage/export?days=" + form_encoded(days);
    if (!facility.empty()) csv += "&facilityId=" + form_encoded(facility);
    bool const shown = co_await content.add("usage", {.operation = "usage.summary", .parameters = query});
    if (!shown) co_return;
    content.add_text("csv", csv);
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
        w.member("kind", in_words(name.GetString()));
        w.member("count", core::json_of(count));
        w.end_object();
    }
    w.end_array();
    return w.take();
}

boost::asio::awaitable<void> fill_sandbox(Call& call, PageContent& content) {
    add_developer_tabs(call, content, "/developers/sandbox");
    auto facility = co_await chosen_facility(call, content);
    if (auto const sent = sent_by(call, "pages.reset_sandbox")) facility = field(*sent, kFacilityName);
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
    static std::vector<FormInput> const inputs{{.member = kFacilityName, .label = {}, .kind = InputKind::id},
                                               {.member = "seed", .label = {}, .kind = InputKind::number}};
    return body_of(inputs, fields, Emptied::left_out).map([](std::string body) {
        return Question{.operation = "sandbox.reset", .body = std::move(body)};
    });
}

}  // namespace

void add_developer_tabs(Call const& page, PageContent& content, std::string_view current) {
    static constexpr std::array kTabs{Tab{"/developers", "Keys and webhooks", "events.list"},
                                      Tab{"/developers/usage", "Usage", "usage.summary"},
                                      Tab{"/developers/sandbox", "Sandbox", "sandbox.get"}};
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
            {{.name = "pages.reset_sandbox",
              .path = "/developers/sandbox",
              .summary = "Empty a facility's sandbox and fill it anew by the form",
              .page = kSandboxPage,
              .done = "The sandbox is filled anew.",
              .shows_answer = true,
              .question = reset_sandbox_of}}};
}

}  // namespace workforce::operations
