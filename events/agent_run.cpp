// How events of runs fold: the one definition, for the write side's memory and for read models.
#include "events/agent_run.hpp"

#include <algorithm>

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void grow(AgentRunRecord& run, std::size_t bytes) { run.internals.bytes += static_cast<std::int64_t>(bytes); }

void queue(AgentRunRecord& run, AgentRunQueued const& queued, Envelope const& meta) {
    static_cast<RunFacts&>(run) = queued;
    add_people(run, queued);
    run.input = queued.input.value;
    run.plan = queued.plan.value;
    run.correlationId = meta.correlation();
    run.isSandbox = meta.sandbox;
    auto& internals = run.internals;
    internals.limits = queued.limits;
    internals.approvalMode = queued.approvalMode;
    internals.lineage = queued.lineage;
    internals.depth = queued.depth;
    internals.outputTemplate = queued.output.value;
    internals.event = queued.event.value;
    grow(run, run.input.text.size());
    if (internals.event.value) grow(run, internals.event.value->text.size());
    for (std::size_t place = 0; place < run.plan.size(); ++place) {
        RunStep step;
        step.id = step_name(run.plan[place], place);
        step.tool = run.plan[place].tool.value;
        if (run.plan[place].forEach) {
            step.items = std::vector<RunCall>();
            step.result.text = "[]";
        }
        grow(run, run.plan[place].arguments.text.size());
        run.steps.push_back(std::move(step));
    }
}

/// The step of that name, which a model may begin.
RunStep& step_of(AgentRunRecord& run, RunPlace const& place) {
    auto const found = std::ranges::find(run.steps, place.step, &RunStep::id);
    if (found != run.steps.end()) return *found;
    auto& step = run.steps.emplace_back();
    step.id = place.step;
    step.tool = place.tool;
    return step;
}

/// Of an item, or of the step itself.
RunCall& call_of(AgentRunRecord& run, RunPlace const& place) {
    auto& step = step_of(run, place);
    if (!place.item.value) return step;
    if (!step.items) step.items = std::vector<RunCall>();
    auto& items = *step.items;
    auto const number = static_cast<std::size_t>(*place.item.value);
    if (items.size() <= number) items.resize(number + 1);
    return items[number];
}

void append_result(RunStep& step, std::string const& result) {
    auto& text = step.result.text;
    if (!text.starts_with('[')) text = "[]";
    text.pop_back();
    if (text.size() > 1) text += ',';
    text.append(result).append("]");
}

/// The step with items is over with its last one: as its calls went.
void close_step(RunStep& step, Timestamp time) {
    auto const& items = *step.items;
    auto const failed = std::ranges::find(items, RunStepStatus::error, &RunCall::status);
    step.status = failed == items.end() ? RunStepStatus::ok : RunStepStatus::error;
    step.finishedAt = time;
    step.startedAt = items.front().startedAt;
    if (failed != items.end()) step.error = failed->error;
}

void finish(AgentRunRecord& run, RunPlace const& place, CallFinding const& finding, bool last, Timestamp time) {
    auto& call = call_of(run, place);
    call.status = finding.status;
    call.error = finding.error.value;
    call.finishedAt = time;
    auto& step = step_of(run, place);
    auto const& result = finding.result.value.text;
    grow(run, result.size());
    if (!place.item.value) {
        step.result.text = result;
        return;
    }
    append_result(step, result);
    if (last) close_step(step, time);
}

void finish_step(AgentRunRecord& run, AgentRunStepFinished const& finished, Envelope const& meta) {
    add_people(run, finished);
    auto& call = call_of(run, finished);
    call.arguments = finished.arguments.value;
    call.startedAt = finished.startedAt;
    grow(run, call.arguments.text.size());
    if (finished.startedAt.value) ++run.usage.toolCalls;
    finish(run, finished, finished, finished.last, meta.time);
}

void wait(AgentRunRecord& run, AgentRunPendingApproval const& pending, Envelope const& meta) {
    auto& call = call_of(run, pending);
    call.arguments = pending.arguments.value;
    call.startedAt = pending.startedAt;
    call.status = RunStepStatus::deferred;
    call.approvalId = pending.approvalId;
    auto& step = step_of(run, pending);
    step.status = RunStepStatus::deferred;
    step.approvalId = pending.approvalId;
    grow(run, call.arguments.text.size());
    ++run.usage.toolCalls;
    run.status = AgentRunStatus::pending_approval;
    run.approvalId = pending.approvalId;
    auto& internals = run.internals;
    internals.waitsFor = static_cast<RunPlace const&>(pending);
    internals.lastItem = pending.last;
    internals.waitsSince = meta.time;
    internals.waitsUntil = pending.expiresAt;
}

/// It waits for nobody from then on.
void stop_waiting(AgentRunRecord& run, Timestamp time) {
    auto& internals = run.internals;
    if (internals.waitsSince.value) internals.waitedMs += time.ms - internals.waitsSince.value->ms;
    internals.waitsFor = {};
    internals.waitsSince = {};
    internals.waitsUntil = {};
}

void resume(AgentRunRecord& run, AgentRunResumed const& resumed, Envelope const& meta) {
    auto const place = run.internals.waitsFor.value.value_or(RunPlace{});
    bool const last = run.internals.lastItem;
    stop_waiting(run, meta.time);
    run.status = AgentRunStatus::running;
    run.approvalId = {};
    auto& step = step_of(run, place);
    if (place.item.value) step.status = RunStepStatus::pending;
    finish(run, place, resumed, last, meta.time);
}

void end(AgentRunRecord& run, AgentRunStatus status, Envelope const& meta) {
    stop_waiting(run, meta.time);
    run.status = status;
    run.completedAt = meta.time;
}

void fail(AgentRunRecord& run, AgentRunStatus status, RunError error, Envelope const& meta) {
    end(run, status, meta);
    run.error = std::move(error);
}

void erase(AgentRunRecord& run) {
    run.input = {};
    run.plan.clear();
    run.steps.clear();
    run.output = {};
    if (run.error.value) run.error.value->message.clear();
    run.internals.outputTemplate = {};
    run.internals.event = {};
    run.internals.turns.clear();
    run.internals.bytes = 0;  // else it would tell whether the fold could read what was given
    static_cast<NamedPeople&>(run) = {};
}

}  // namespace

RunStep const* find_step(AgentRun const& run, std::string_view name) {
    auto const found = std::ranges::find(run.steps, name, &RunStep::id);
    return found == run.steps.end() ? nullptr : &*found;
}

std::string_view rejection_text(core::Nullable<RunRejection> const& cause) {
    switch (cause.value.value_or(RunRejection::rejected)) {
        case RunRejection::withdrawn:
            return "The call was withdrawn.";
        case RunRejection::erased:
            return "What the call says was erased.";
        case RunRejection::rejected:
            break;
    }
    return "A person rejected the call.";
}

RunBrief brief_of(AgentRun const& run) {
    return {run.agentId, run.triggerId, run.requestedBy, run.startedAt, run.usage.toolCalls};
}

void evolve(AgentRunRecord& run, AgentRunEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](AgentRunQueued const& e) { queue(run, e, meta); },
                          [&](AgentRunStarted const&) {
                              run.status = AgentRunStatus::running;
                              run.startedAt = meta.time;
                          },
                          [&](AgentRunStepFinished const& e) { finish_step(run, e, meta); },
                          [&](AgentRunTurnFinished const& e) {
                              run.internals.turns.push_back(e.turn.value);
                              grow(run, e.turn.value.text.size());
                              run.usage.inputTokens += e.inputTokens;
                              run.usage.outputTokens += e.outputTokens;
                          },
                          [&](AgentRunPendingApproval const& e) { wait(run, e, meta); },
                          [&](AgentRunResumed const& e) { resume(run, e, meta); },
                          [&](AgentRunCompleted const& e) {
                              end(run, AgentRunStatus::completed, meta);
                              run.output = e.output.value;
                          },
                          [&](AgentRunFailed const& e) {
                              if (e.approvalId.value) run.approvalId = e.approvalId;
                              fail(run, AgentRunStatus::failed, {e.code, e.message.value.value}, meta);
                          },
                          [&](AgentRunRejected const& e) {
                              std::string message(rejection_text(e.cause));
                              auto const& reason = e.reason.value.value;
                              if (!reason.empty()) message.replace(message.size() - 1, 1, ": " + reason);
                              fail(run, AgentRunStatus::rejected, {"APPROVAL_REJECTED", std::move(message)}, meta);
                              run.approvalId = e.approvalId;
                          },
                          [&](AgentRunCancelled const&) { end(run, AgentRunStatus::cancelled, meta); },
                          [&](AgentRunDeleted const&) {
                              if (!has_ended(run.status)) end(run, AgentRunStatus::cancelled, meta);
                              run.deleted = true;
                          },
                          [&](AgentRunErased const&) {
                              if (!has_ended(run.status)) end(run, AgentRunStatus::cancelled, meta);
                              erase(run);
                          }},
               event);
    stamp(run, meta);
}

template struct DataCodec<AgentRunEvent>;

}  // namespace workforce::events
