// Triggers, which start an agent by itself, on the agent's page.
#include "core/json_values.hpp"
#include "operations/dashboard/agent_pages.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kAddTrigger = "pages.add_trigger";

FormShape trigger_form() {
    return {
        .form = kAddTrigger,
        .inputs = {{.name = "name", .label = "Name", .required = true},
                   {.name = "type", .label = "It fires", .kind = FieldKind::choice, .values = {"schedule", "event"}},
                   {.name = "cron", .label = "Schedule, as crontab has it", .hint = "Of a schedule: 0 6 * * 1-5"},
                   {.name = "timezone", .label = "Time zone of the schedule", .hint = "The organization's by default"},
                   {.name = "eventType",
                    .label = "Event",
                    .kind = FieldKind::choice,
                    .values = {"shift.*", "shift.posted", "shift.filled", "shift.updated", "shift.unassigned",
                               "shift.started", "shift.completed", "shift.cancelled", "staff.onboarded",
                               "lead.qualified", "credential.expired"},
                    .blank = "–",
                    .hint = "Of an event"},
                   {.name = "filter",
                    .label = "Only events that have, as JSON",
                    .kind = FieldKind::json,
                    .nullable = true,
                    .hint = "An object"},
                   {.name = "input",
                    .label = "Input of its runs, as JSON",
                    .kind = FieldKind::json,
                    .nullable = true,
                    .hint = "An object, with templates over event and now"},
                   {.name = "maxRunsPerHour", .label = "Runs an hour at most", .kind = FieldKind::number}}};
}

core::Result<Question> add_trigger(Call const& call, FormFields const& fields) {
    return body_from(trigger_form(), fields).map([&](std::string body) {
        return Question{.operation = "triggers.create", .path = call.input.path, .body = std::move(body)};
    });
}
core::Result<Question> toggle_trigger(Call const& call, FormFields const& fields) {
    bool const enable = field(fields, "enable") == "true";
    return Question{.operation = "triggers.toggle",
                    .path = call.input.path,
                    .body = enable ? R"({"isEnabled":true})" : R"({"isEnabled":false})"};
}

}  // namespace

boost::asio::awaitable<void> add_triggers(Call& page, PageContent& content, bool is_active) {
    if (!may_ask(*page.caller, "triggers.list")) co_return;
    auto const id = page.input.path.id();
    auto const mark = [is_active](core::JsonValue& row, Allocator& allocator) {
        auto const why = spoken(row["disabledReason"].GetString());
        row.AddMember("why", core::JsonValue(why, allocator), allocator);
        row.AddMember("runnable", is_active, allocator);
    };
    co_await content.add_rows(
        "triggers", {.operation = "triggers.list", .path = path_of(id), .parameters = {{"limit", "50"}}}, mark);
    if (!is_active || !may_ask(*page.caller, "triggers.create")) co_return;
    content.add_json("add_trigger", shown_form(page, trigger_form(), {}));
}

std::vector<DashboardForm> trigger_forms() {
    return {{.name = kAddTrigger,
             .path = "/agents/{id:int}/triggers",
             .summary = "Add a trigger by the form",
             .page = kAgentPage,
             .done = "The trigger is added.",
             .question = add_trigger},
            {.name = "pages.toggle_trigger",
             .path = "/agents/{id:int}/triggers/{triggerId:int}/toggle",
             .summary = "Enable or disable a trigger by the form",
             .page = kAgentPage,
             .done = "The trigger is switched.",
             .question = toggle_trigger},
            {.name = "pages.run_trigger",
             .path = "/agents/{id:int}/triggers/{triggerId:int}/run",
             .summary = "Fire a trigger now by the form",
             .page = kAgentPage,
             .done = "The run is queued.",
             .leads_to = kRunPage,
             .made = "/id",
             .operation = "triggers.run_now"},
            {.name = "pages.delete_trigger",
             .path = "/agents/{id:int}/triggers/{triggerId:int}/delete",
             .summary = "Delete a trigger by the form",
             .page = kAgentPage,
             .done = "The trigger is deleted.",
             .operation = "triggers.delete"}};
}

}  // namespace workforce::operations
