// The agent of the data set, and the events of its runs as workers would have recorded them.
#include "commands/sandbox_agent.hpp"

#include <fmt/format.h>

#include "commands/agent_run.hpp"
#include "commands/approval.hpp"
#include "commands/sandbox_pay.hpp"
#include "events/agent.hpp"
#include "events/agent_run.hpp"
#include "events/approval.hpp"
#include "events/named_people.hpp"
#include "events/timesheet.hpp"
#include "events/trigger.hpp"

namespace workforce::commands {
namespace {

using events::Kind;

constexpr std::string_view kReadStep = "hours";
constexpr std::string_view kReadTool = "timesheets_list";
constexpr std::string_view kApproveStep = "approve";
constexpr std::string_view kApproveTool = "timesheets_approve";
constexpr std::string_view kAgentPlan =
    R"([{"id":"hours","tool":"timesheets_list","arguments":{"shiftId":"{{input.shiftId}}","status":["submitted"]}},)"
    R"({"id":"approve","tool":"timesheets_approve","arguments":{"timesheetIds":"{{steps.hours.result.data[*].id}}"},)"
    R"("when":{"path":"steps.hours.result.data[0]","op":"exists","value":true}}])";

/// The envelope of an event that the reset adds, as far as folds read it.
events::Envelope envelope_of(DataSetInput const& input, events::AggregateRef const& subject, std::int64_t seq) {
    events::Envelope meta;
    meta.time = input.now;
    meta.subject = subject;
    meta.organization = input.organization;
    meta.facility = input.facility;
    meta.sandbox = true;
    meta.seq = seq;
    meta.actor = input.actor;
    meta.request_id = input.request_id;
    return meta;
}

/// A run of the agent, folded while its events are added.
class RecordedRun {
   public:
    RecordedRun(DataSetInput const& input, Id id, std::vector<NewEvent>& events) : input_(input), events_(events) {
        run_.id = id;
        run_.facilityId = input.facility;
    }

    void add(events::AgentRunEvent event) {
        auto added = run_event(run_, std::move(event));
        auto const& data = *events::get_if<events::AgentRunEvent>(added.data);
        evolve(run_, data, envelope_of(input_, added.subject, ++seq_));
        events_.push_back(std::move(added));
    }

    void begin(Id agent, Id shift) {
        events::AgentRunQueued queued;
        queued.agentId = agent;
        queued.agentVersion = std::int64_t{1};
        queued.facilityId = input_.facility;
        queued.runAsUserId = input_.run_as;
        queued.requestedBy = {input_.actor.type, input_.actor.id, input_.actor.user};
        queued.input = events::RunObject{fmt::format(R"({{"shiftId":{}}})", shift)};
        queued.plan = core::from_stored_json<events::Plan>(kAgentPlan);
        add(std::move(queued));
        add(events::AgentRunStarted{});
    }

    /// The step that reads what was submitted, which gives these timesheets.
    void finish_reading(Id shift, std::string const& timesheets) {
        events::AgentRunStepFinished finished;
        finished.step = kReadStep;
        finished.tool = kReadTool;
        finished.arguments = events::RunValue{fmt::format(R"({{"shiftId":{},"status":["submitted"]}})", shift)};
        auto result = fmt::format(R"({{"data":[{}],"pagination":{{"limit":50,"hasMore":false,"nextCursor":null}},)"
                                  R"("scope":{{"facilityId":{}}}}})",
                                  timesheets, input_.facility);
        auto const named = events::named_in(core::parse_json(result).value(), Kind::timesheet);
        static_cast<events::NamedPeople&>(finished) = events::people_among(named);
        finished.result = events::RunValue{std::move(result)};
        finished.startedAt = input_.now;
        finished.requestId = input_.request_id;
        add(std::move(finished));
    }

    [[nodiscard]] events::AgentRunRecord const& folded() const { return run_; }

   private:
    DataSetInput const& input_;
    std::vector<NewEvent>& events_;
    events::AgentRunRecord run_;
    std::int64_t seq_ = 0;
};

/// The timesheet as these events leave it, as callers see it.
std::string shown_timesheet(DataSetInput const& input, Id id, std::vector<NewEvent> const& events) {
    events::TimesheetRecord log;
    std::int64_t seq = 0;
    events::AggregateRef const subject{Kind::timesheet, id};
    for (auto const& event : events) {
        if (event.subject != subject) continue;
        evolve(log, *events::get_if<events::TimesheetEvent>(event.data), envelope_of(input, subject, ++seq));
    }
    return core::to_json(resource_of(log));
}

/// Nothing was submitted for the shift: its hours were approved before.
void add_completed_run(DataSetInput const& input, std::vector<NewEvent>& events) {
    Id const shift = input.id(Kind::shift, kShiftOfApprovedLog);
    RecordedRun run(input, input.id(Kind::agent_run), events);
    run.begin(input.id(Kind::agent), shift);
    run.finish_reading(shift, "");
    events::AgentRunStepFinished skipped;
    skipped.step = kApproveStep;
    skipped.tool = kApproveTool;
    skipped.status = events::RunStepStatus::skipped;
    skipped.result = events::RunValue{"null"};
    skipped.arguments = events::RunValue{"{}"};
    run.add(std::move(skipped));
    run.add(events::AgentRunCompleted{events::RunValue{run.folded().steps.front().result.text}});
}

events::ApprovalRequested approval_of_hours(DataSetInput const& input, Id run, std::string const& arguments) {
    events::ApprovalRequested requested;
    requested.tool = kApproveTool;
    requested.facilityId = input.facility;
    requested.agentId = input.id(Kind::agent);
    requested.runId = run;
    requested.sessionId = std::to_string(run);
    requested.origin = events::ApprovalOrigin::agent_run;
    requested.requestedBy.userId = input.run_as;
    requested.expiresAt = input.approval_expires;
    requested.requester = {
        events::ActorType::agent, input.id(Kind::agent), input.organization, fmt::format("user/{}", input.run_as), {}};
    requested.correlationId = input.request_id;
    requested.step = kApproveStep;
    requested.depth = 1;
    requested.arguments.value.text = arguments;
    return requested;
}

void add_waiting_run(DataSetInput const& input, std::vector<NewEvent>& events) {
    Id const log = input.id(Kind::timesheet, kSubmittedLog);
    Id const shift = input.id(Kind::shift, kShiftOfSubmittedLog);
    auto const hours = shown_timesheet(input, log, events);
    RecordedRun run(input, input.id(Kind::agent_run, 1), events);
    run.begin(input.id(Kind::agent), shift);
    run.finish_reading(shift, hours);
    auto const arguments = fmt::format(R"({{"timesheetIds":[{}]}})", log);
    events.push_back({{Kind::approval, input.id(Kind::approval)},
                      input.facility,
                      events::ApprovalEvent(approval_of_hours(input, input.id(Kind::agent_run, 1), arguments))});
    events::AgentRunPendingApproval pending;
    pending.step = kApproveStep;
    pending.tool = kApproveTool;
    pending.approvalId = input.id(Kind::approval);
    pending.expiresAt = input.approval_expires;
    pending.arguments = events::RunValue{arguments};
    pending.startedAt = input.now;
    run.add(std::move(pending));
}

}  // namespace

void add_agent(DataSetInput const& input, std::vector<NewEvent>& events) {
    events::AgentCreated created;
    created.facilityId = input.facility;
    // Names are unique in an organization.
    created.name = core::Name(fmt::format("Hours of facility {}", input.facility));
    created.description = core::LongText("Has the hours of a shift approved, once a person agrees.");
    created.plan = core::from_stored_json<events::Plan>(kAgentPlan);
    created.allowedTools = {core::Name(std::string(kReadTool)), core::Name(std::string(kApproveTool))};
    events.push_back({{Kind::agent, input.id(Kind::agent)}, input.facility, events::AgentEvent(std::move(created))});
    events::TriggerCreated trigger;
    trigger.agentId = input.id(Kind::agent);
    trigger.facilityId = input.facility;
    if (input.actor.user != 0) trigger.createdBy = input.actor.user;
    trigger.name = core::Name("A shift is over");
    trigger.type = events::TriggerType::event;
    trigger.eventType = core::ShortText("shift.completed");
    trigger.input = {R"({"shiftId":"{{event.data.shiftId}}"})"};
    trigger.runAsUserId = input.run_as;
    trigger.isEnabled = false;
    events.push_back(
        {{Kind::trigger, input.id(Kind::trigger)}, input.facility, events::TriggerEvents(std::move(trigger))});
    add_completed_run(input, events);
    add_waiting_run(input, events);
}

}  // namespace workforce::commands
