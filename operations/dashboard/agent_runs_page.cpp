// GET /agents/runs and /agents/runs/{id}: what agents did, step by step.
#include "core/json_values.hpp"
#include "operations/dashboard/agent_pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kRunsPage = "pages.agent_runs";
constexpr std::size_t kMostRunText = 20'000;  // of one value of a run

ListShape const& run_list() {
    static ListShape const shape{
        .operation = "agent_runs.list",
        .path = "/agents/runs",
        .sort = "-createdAt",
        .filters = {{.name = "agentId", .label = "Agent", .kind = FieldKind::id, .blank = "any"},
                    {.name = "status",
                     .label = "Status",
                     .kind = FieldKind::choice,
                     .values = {"queued", "running", "pending_approval", "completed", "failed", "rejected",
                                "cancelled"},
                     .blank = "any"},
                    {.name = "from", .label = "From", .kind = FieldKind::date},
                    {.name = "to", .label = "To", .kind = FieldKind::date}},
        .table = {.caption = "Runs, the newest first",
                  .none = "There are none.",
                  .columns = {{.member = "id", .header = "Run", .link = "/agents/runs/", .noun = "Run"},
                              {.member = "agentId", .header = "Agent", .shows = Shows::agent},
                              {.member = "status", .header = "Status", .shows = Shows::words},
                              {.member = "startedAt", .header = "Begun"},
                              {.member = "completedAt", .header = "Ended"},
                              {.member = "runAsUserId", .header = "For", .shows = Shows::user}}}};
    return shape;
}

boost::asio::awaitable<void> fill_runs(Call& call, PageContent& content) {
    add_agent_tabs(call, content, "/agents/runs");
    RowNames names(call);
    InputOptions options;
    options.emplace("agentId", co_await agent_choices(call));
    co_await add_list_page(call, content, names, run_list(), {}, std::move(options));
}

std::vector<TableColumn> const& run_facts() {
    static std::vector<TableColumn> const facts{
        {.member = "status", .header = "Status", .shows = Shows::words},
        {.member = "error.message", .header = "Why"},
        {.member = "error.code", .header = "Code"},
        {.member = "executor", .header = "Works by", .shows = Shows::words},
        {.member = "runAsUserId", .header = "For", .shows = Shows::user},
        {.member = "facilityId", .header = "Facility", .shows = Shows::facility},
        {.member = "usage.toolCalls", .header = "Calls of tools"},
        {.member = "createdAt", .header = "Asked for"},
        {.member = "startedAt", .header = "Begun"},
        {.member = "completedAt", .header = "Ended"}};
    return facts;
}

/// The value as text that a page can show; what is very long is cut.
std::string shown_value(core::JsonValue const& value) {
    auto text = indented_json(value);
    if (text.size() <= kMostRunText) return text;
    auto end = kMostRunText;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // whole characters
    return text.substr(0, end) + "\n… and more, which the API shows";
}

/// The steps as the template takes them: of values the text.
std::string steps_json(core::JsonValue const& run) {
    core::JsonWriter w;
    w.begin_array();
    for (auto const& step : run["steps"].GetArray()) {
        w.begin_object();
        for (auto const* const name : {"id", "tool"}) w.member(name, core::text_of(step[name]));
        w.member("state", spoken(core::text_of(step["status"])));
        for (auto const* const name : {"startedAt", "finishedAt", "error", "approvalId"}) {
            w.key(name);
            w.raw(core::json_of(step[name]));
        }
        w.member("called_with", shown_value(step["arguments"]));
        w.member("gave", step["result"].IsNull() ? "" : shown_value(step["result"]));
        w.end_object();
    }
    w.end_array();
    return w.take();
}

boost::asio::awaitable<void> fill_run(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    add_agent_tabs(call, content, "");
    auto const outcome = co_await ask(call, {.operation = "agent_runs.get", .path = path_of(id)});
    if (!content.take_subject(outcome)) co_return;
    auto const run = core::parse_json(outcome.body);
    content.set_title(fmt::format("Run {}", id));
    RowNames names(call);
    auto const agent = (*run)["agentId"].GetInt64();
    content.add_json("found", "true");
    content.add_text("run_id", std::to_string(id));
    content.add_text("agent_id", std::to_string(agent));
    content.add_text("agent_name", co_await names.name(NamedMember::What::agent, agent));
    content.add_json("facts", co_await shown_facts(names, *run, run_facts()));
    content.add_json("steps", steps_json(*run));
    content.add_text("given", shown_value((*run)["input"]));
    auto const& output = (*run)["output"];
    if (!output.IsNull()) content.add_text("gave_in_all", shown_value(output));
    auto const& status = (*run)["status"];
    bool const waits = status == "pending_approval";
    bool const live = waits || status == "queued" || status == "running";
    content.add_json("waits", waits && may_ask(*call.caller, "approvals.list") ? "true" : "false");
    content.add_json("live", live ? "true" : "false");
    content.add_json("cancellable", live && may_ask(*call.caller, "agent_runs.cancel") ? "true" : "false");
}

/// The run's agent stands in the form: the operation is about a run of that.
core::Result<Question> cancel_run_of(Call const& call, FormFields const& fields) {
    return id_field(fields, "agentId").map([&](Id agent) {
        auto path = path_of(agent);
        path.add({.name = "runId", .id = call.input.path.id()});
        return Question{.operation = "agent_runs.cancel", .path = path};
    });
}

}  // namespace

DashboardSection agent_runs_section() {
    return {{.name = kRunsPage,
             .path = "/agents/runs",
             .title = "Runs of agents",
             .summary = "What agents did",
             .needs = "agent_runs.list",
             .in_menu = false,
             .text = templates::dashboard_agent_runs,
             .parameters = list_parameters(run_list()),
             .fill = fill_runs}};
}

DashboardSection agent_run_section() {
    return {{.name = kRunPage,
             .path = "/agents/runs/{id:int}",
             .title = "Run",
             .summary = "A run of an agent, step by step",
             .needs = "agent_runs.get",
             .in_menu = false,
             .text = templates::dashboard_agent_run,
             .fill = fill_run},
            {{.name = "pages.cancel_run",
              .path = "/agents/runs/{id:int}/cancel",
              .summary = "Cancel a run by the form",
              .page = kRunPage,
              .done = "The run is cancelled.",
              .question = cancel_run_of}}};
}

}  // namespace workforce::operations
