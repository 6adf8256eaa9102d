// Rules of runs (domain 2.5, and "Agents" of 16).
#include "commands/agent_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/agent.hpp"
#include "commands/facility.hpp"
#include "commands/trigger.hpp"
#include "core/glob.hpp"
#include "events/named_people.hpp"

namespace workforce::commands {
namespace {

using events::AgentRunRecord;
using events::AgentRunStatus;
using events::RunCancellation;

/// Those of an agent that are taken at a time, of each sort.
constexpr std::size_t kCancelledAtOnce = 100;

/// The run, where the caller sees it: as the facility that it is limited to says.
AgentRunRecord const* visible_run(View const& view, Id id, Context const& context) {
    auto const* run = view.get<AgentRunRecord>(id);
    if (!run || run->deleted) return nullptr;
    bool const seen = run->facilityId.value ? context.reaches(*run->facilityId.value) : context.facilities.empty();
    return seen ? run : nullptr;
}

/// The facility that the run is limited to. Errors: FACILITY_SCOPE_VIOLATION.
Result<core::Nullable<Id>> place_of_run(View const& view, events::AgentRecord const& agent, StartRun const& command,
                                        Context const& context) {
    auto place = command.facilityId;
    if (!place.value) place = agent.facilityId;
    if (!place.value && context.facilities.size() == 1) place = context.facilities.front();
    if (!place.value) {
        if (context.facilities.empty()) return place;
        return invalid_field("facilityId", "required", "must name one of your facilities");
    }
    if (agent.facilityId.value && place != agent.facilityId) {
        return refuse(Code::facility_scope_violation, "The agent is of another facility.");
    }
    if (auto found = facility_in_scope(view, *place.value, context); !found) return tl::unexpected(found.error());
    return place;
}

bool allows(events::AgentRecord const& agent, std::string_view tool) {
    return std::ranges::any_of(agent.allowedTools,
                               [&](auto const& pattern) { return core::matches_glob(pattern.value, tool); });
}

/// Adds the events that end a run early.
void cancel(View const& view, Context const& context, AgentRunRecord const& run, RunCancellation cause,
            std::vector<NewEvent>& events) {
    end_wait(view, context, run, events::RejectionCause::run_cancelled, events);
    events.push_back(run_event(run, events::AgentRunCancelled{cause}));
}

/// The people whom a run's input, event, plan and output name, also those of the agent's own plan.
events::NamedPeople people_of(events::AgentRunQueued const& queued) {
    auto people = events::people_named_by(queued.input.value.text);
    for (auto const* given : {&queued.event.value.value, &queued.output.value.value}) {
        if (*given) add_people(people, events::people_named_by((*given)->text));
    }
    for (auto const& step : queued.plan.value) add_people(people, events::people_named_by(step.arguments.text));
    return people;
}

/// Whether a run is over with the event.
bool ends_run(events::AgentRunEvent const& event) {
    return std::visit(
        []<class E>(E const&) {
            return boost::mp11::mp_contains<boost::mp11::mp_list<events::AgentRunCompleted, events::AgentRunFailed,
                                                                 events::AgentRunRejected, events::AgentRunCancelled>,
                                            E>::value;
        },
        event);
}

core::Id placed(core::Nullable<Id> const& facility) { return facility.value.value_or(0); }

}  // namespace

void end_wait(View const& view, Context const& context, AgentRunRecord const& run, events::RejectionCause cause,
              std::vector<NewEvent>& events) {
    if (run.status != AgentRunStatus::pending_approval || !run.approvalId.value) return;
    auto const* approval = view.get<events::ApprovalRecord>(*run.approvalId.value);
    if (!approval || approval->status != events::ApprovalStatus::pending) return;
    events::ApprovalRejected rejected;
    rejected.cause = cause;
    std::ranges::move(reject_approval(view, context, *approval, std::move(rejected)), std::back_inserter(events));
}

NewEvent run_event(AgentRunRecord const& run, events::AgentRunEvent event, std::int64_t calls) {
    std::visit(
        [&]<class E>(E& data) {
            if constexpr (requires { data.run = events::RunBrief{}; }) {
                data.run = brief_of(run);
                data.run.toolCalls += calls;
            }
        },
        event);
    return {{events::Kind::agent_run, run.id}, placed(run.facilityId), std::move(event)};
}

Result<NewEvent> queue_run(View const& view, StartRun const& command, Context const& context, Id run) {
    auto const* agent = visible_agent(view, command.agentId, context);
    if (!agent) return not_found("agent", command.agentId);
    if (!agent->isActive) return refuse(Code::agent_inactive, "The agent is not active.");
    if (command.runAs == 0) {
        return invalid_field("runAsUserId", "required", "needs a user, and none stands behind the credential");
    }
    auto const place = place_of_run(view, *agent, command, context);
    if (!place) return tl::unexpected(place.error());
    for (std::size_t step = 0; command.plan && step < command.plan->size(); ++step) {
        auto const& tool = (*command.plan)[step].tool.value;
        if (allows(*agent, tool)) continue;
        return invalid_field(fmt::format("plan[{}].tool", step), "known",
                             fmt::format("names '{}', which the agent may not call", tool));
    }
    bool const scripted = agent->executor == events::AgentExecutor::scripted;
    if (!scripted && (command.plan || command.output.value)) {
        return invalid_field(command.plan ? "plan" : "output", "executor",
                             "is not for an agent of which a model decides");
    }
    auto const& plan = command.plan ? *command.plan : agent->plan;
    if (scripted && plan.empty()) {
        return refuse(Code::plan_invalid, "Neither the request nor the agent has a plan.");
    }
    if (!command.triggerId.value && view.by<events::LiveRunsOfAgent>(command.agentId).size() >= events::kMostLiveRuns) {
        return refuse(Code::run_limit_reached, fmt::format("The agent has {} live runs.", events::kMostLiveRuns));
    }
    if (command.triggerId.value &&
        view.by<events::QueuedRunsOfAgent>(command.agentId).size() >= events::kMostQueuedRuns) {
        return refuse(Code::run_limit_reached, fmt::format("The agent has {} queued runs.", events::kMostQueuedRuns));
    }
    events::AgentRunQueued queued;
    queued.agentId = agent->id;
    queued.agentVersion = view.version({events::Kind::agent, agent->id});
    queued.triggerId = command.triggerId;
    queued.executor = agent->executor;
    queued.facilityId = *place;
    queued.runAsUserId = command.runAs;
    queued.requestedBy = command.requestedBy;
    bool const by_caller = queued.requestedBy.id == 0 && queued.requestedBy.type == events::ActorType::system;
    if (by_caller) queued.requestedBy = {context.actor.type, context.actor.id, context.actor.user};
    queued.limits = agent->limits;
    bool const stranger = command.plan && agent->approvalMode == events::AgentApprovalMode::trusted;
    queued.approvalMode = stranger ? events::AgentApprovalMode::default_ : agent->approvalMode;
    queued.lineage = command.lineage;
    queued.depth = command.depth;
    queued.input = command.input;
    if (scripted) queued.plan = plan;
    // The agent's output names steps of the agent's own plan.
    queued.output = command.output.value || command.plan ? command.output : agent->output;
    queued.event = command.event;
    static_cast<events::NamedPeople&>(queued) = people_of(queued);
    return NewEvent{{events::Kind::agent_run, run}, placed(*place), events::AgentRunEvent(std::move(queued))};
}

Result<Decision> decide(View const& view, StartRun const& command, Context const& context) {
    auto queued = queue_run(view, command, context, context.new_ids.at(0));
    if (!queued) return tl::unexpected(queued.error());
    return Decision{{*std::move(queued)}, {}};
}
events::AgentRun answer(View const& view, StartRun const&, Decision const& decision) {
    return *view.get<AgentRunRecord>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, CancelRun const& command, Context const& context) {
    auto const* run = visible_run(view, command.id, context);
    if (!run || run->agentId != command.agentId) return not_found("run", command.id);
    if (has_ended(run->status)) return Decision{};
    Decision decision;
    cancel(view, context, *run, RunCancellation::requested, decision.events);
    follow_run_ends(view, decision.events);
    return decision;
}
events::AgentRun answer(View const& view, CancelRun const& command, Decision const&) {
    return *view.get<AgentRunRecord>(command.id);
}

namespace {

/// Some of the agent's runs that have not ended.
std::vector<AgentRunRecord const*> some_open_runs(View const& view, Id agent) {
    std::vector<AgentRunRecord const*> found;
    auto const add = [&](auto const& runs) { std::ranges::copy(runs, std::back_inserter(found)); };
    Requirements questions(view);
    questions.ask([&] { add(view.by<events::LiveRunsOfAgent>(agent)); });
    questions.ask([&] { add(view.by<events::WaitingRunsOfAgent>(agent)); });
    questions.require();
    if (found.size() > 2 * kCancelledAtOnce) found.resize(2 * kCancelledAtOnce);
    std::vector<Id> approvals;
    for (auto const* run : found) {
        if (run->approvalId.value) approvals.push_back(*run->approvalId.value);
    }
    Requirements(view).rows<events::ApprovalRecord>(approvals).require();
    return found;
}

}  // namespace

void stop_runs(View const& view, Context const& context, Id agent, std::vector<NewEvent>& events) {
    for (auto const* run : some_open_runs(view, agent)) {
        cancel(view, context, *run, RunCancellation::agent_deactivated, events);
    }
}

Result<Decision> decide(View const& view, CancelRuns const& command, Context const& context) {
    auto const* agent = visible_agent(view, command.agentId, context);
    if (!agent) return not_found("agent", command.agentId);
    Decision decision;
    if (command.deactivated && agent->isActive) return decision;
    auto const cause = command.deactivated ? RunCancellation::agent_deactivated : RunCancellation::all_requested;
    for (auto const* run : some_open_runs(view, command.agentId)) cancel(view, context, *run, cause, decision.events);
    follow_run_ends(view, decision.events);
    return decision;
}
CancelledRuns answer(View const&, CancelRuns const&, Decision const& decision) {
    CancelledRuns cancelled;
    for (auto const& event : decision.events) {
        if (event.subject.kind == events::Kind::agent_run) cancelled.runIds.push_back(event.subject.id);
    }
    cancelled.cancelled = std::ssize(cancelled.runIds);
    return cancelled;
}

Result<Decision> decide(View const& view, TakeRun const& command, Context const& /*context*/) {
    auto const* run = view.get<AgentRunRecord>(command.id);
    if (!run) return not_found("run", command.id);
    Requirements questions(view);
    bool starts = false;
    bool orphaned = false;
    questions.ask([&] {
        auto const* agent = view.get<events::AgentRecord>(run->agentId);
        bool const works = agent && agent->isActive && !agent->deleted;
        bool const goes_on = run->status == AgentRunStatus::queued || run->status == AgentRunStatus::running;
        orphaned = goes_on && !run->deleted && !works;
    });
    questions.ask([&] {
        starts = run->status == AgentRunStatus::queued && !run->deleted &&
                 view.by<events::RunningRunsOfAgent>(run->agentId).size() < events::kMostLiveRuns;
    });
    questions.ask([&] {
        if (run->facilityId.value) std::ignore = view.get<events::Facility>(*run->facilityId.value);
    });
    questions.ask([&] { std::ignore = view.organization(); });  // whose zone the answer tells
    questions.require();
    if (orphaned) {
        Decision decision{{run_event(*run, events::AgentRunCancelled{RunCancellation::agent_deactivated})}, {}};
        follow_run_ends(view, decision.events);
        return decision;
    }
    if (!starts) return Decision{};
    return Decision{{run_event(*run, events::AgentRunStarted{})}, {}};
}
RunInHand answer(View const& view, TakeRun const& command, Decision const& decision) {
    auto const& run = *view.get<AgentRunRecord>(command.id);
    RunInHand in_hand{.run = run,
                      .version = view.version({events::Kind::agent_run, command.id}),
                      // One that starts by this is not to wait until its own start can be read.
                      .position = view.position({events::Kind::agent_run, command.id}) - std::ssize(decision.events),
                      .agent = {},
                      .agentVersion = view.version({events::Kind::agent, run.agentId}),
                      .timezone = view.organization().timezone.value};
    if (auto const* agent = view.get<events::AgentRecord>(run.agentId)) in_hand.agent = *agent;
    auto const* facility = run.facilityId.value ? view.get<events::Facility>(*run.facilityId.value) : nullptr;
    if (facility) in_hand.timezone = facility->timezone.value;
    return in_hand;
}

Result<Decision> decide(View const& view, RecordRun const& command, Context const& context) {
    auto const* run = view.get<AgentRunRecord>(command.id);
    if (!run) return not_found("run", command.id);
    bool const expected = view.version({events::Kind::agent_run, command.id}) == command.version &&
                          run->status == AgentRunStatus::running && !run->deleted;
    if (!expected) return refuse(Code::concurrent_modification, "The run has gone on, or has ended.");
    Decision decision;
    std::int64_t calls = 0;
    for (auto const& event : command.events) {
        auto const* const finished = std::get_if<events::AgentRunStepFinished>(&event);
        if (finished && finished->startedAt.value) ++calls;
        decision.events.push_back(run_event(*run, event, calls));
        if (ends_run(event)) break;
    }
    follow_run_ends(view, decision.events);
    if (!command.approval) return decision;
    Id const approval = context.new_ids.at(0);
    auto requested = request_approval(view, context, approval, *command.approval);
    if (!requested) return tl::unexpected(requested.error());
    auto waits_for = command.waits_for;
    waits_for.approvalId = approval;
    waits_for.expiresAt = events::get<events::ApprovalRequested>(requested->front().data).expiresAt;
    std::ranges::move(*requested, std::back_inserter(decision.events));
    decision.events.push_back(run_event(*run, std::move(waits_for), calls));
    return decision;
}
RunMark answer(View const& view, RecordRun const& command, Decision const&) {
    auto const& run = *view.get<AgentRunRecord>(command.id);
    return {view.version({events::Kind::agent_run, command.id}), run.status, run.updatedAt};
}

}  // namespace workforce::commands
