// One command that approves a call, carries it out, and tells what came of it.
#include "operations/approvals/approve.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "core/json_values.hpp"
#include "events/agent_run.hpp"
#include "operations/approvals/requester_rights.hpp"
#include "operations/declare.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;
using commands::ApprovalOutcome;
using commands::Decision;
using commands::NewEvent;
using events::ApprovalRecord;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kPending = "EXECUTION_PENDING";
/// Whoever approves waits so long for what is asked outside (domain 16).
constexpr std::chrono::seconds kOutsidePatience{25};
constexpr std::chrono::milliseconds kFirstResultLook{40};
constexpr std::chrono::milliseconds kLongestResultLook{250};
/// An answer needs so long to get to whoever forwarded the call.
constexpr std::chrono::milliseconds kForAnswer{500};

/// What is to be done in one append.
struct Whole {
    commands::ResolveApproval resolve;
    std::string arguments{};                        ///< that the rest was made of; empty: of none
    std::optional<ApprovedCall> call{};             ///< null: it can't be
    std::optional<ApprovalOutcome> known{};         ///< what comes of it, without a command
    std::optional<commands::Submission> command{};  ///< that carries it out
};

/// The command's context with the time, and the rights of who asked as they stand here.
core::Result<std::shared_ptr<commands::Context const>> acting_context(commands::View const& view, core::Timestamp now,
                                                                      Whole const& whole) {
    auto context = rights_at(view, *whole.call, whole.command->context);
    if (!context) return tl::unexpected(context.error());
    context->now = now;
    return std::make_shared<commands::Context const>(*std::move(context));
}

void add_outcome(commands::View const& view, commands::Context const& context, ApprovalRecord const& approval,
                 ApprovalOutcome const& outcome, Tool const* tool, std::vector<NewEvent>& events) {
    events.push_back(commands::execution_event(approval, outcome, people_in_result(tool, outcome.result)));
    commands::tell_waiter(view, context, approval, outcome, events);
}

core::Result<Decision> decide_whole(commands::View const& view, commands::Context const& context,
                                    std::shared_ptr<Whole const> const& whole) {
    auto approved = commands::approve(view, context, whole->resolve);
    if (!approved) return tl::unexpected(approved.error());
    auto const& approval = *view.get<ApprovalRecord>(whole->resolve.id);
    if (whole->arguments != approval.arguments.text) {
        return core::refuse(core::Code::concurrent_modification, "The approval changed meanwhile.");
    }
    Decision decision{{*std::move(approved)}, {}};
    if (whole->resolve.outside) return decision;
    auto const* const tool = whole->call ? whole->call->tool : nullptr;
    auto const fail = [&](ApprovalOutcome const& outcome) {
        add_outcome(view, context, approval, outcome, tool, decision.events);
        return decision;
    };
    if (whole->known) return fail(*whole->known);
    auto const acting = acting_context(view, context.now, *whole);
    if (!acting) return fail(failed_with(acting.error()));
    auto inner = whole->command->decide(view, **acting);
    if (!inner && is_passing(inner.error().code)) return tl::unexpected(inner.error());
    if (!inner) return fail(failed_with(inner.error()));
    for (auto event : inner->events) {
        event.as = *acting;
        decision.events.push_back(std::move(event));
    }
    decision.part = std::make_shared<Decision const>(*std::move(inner));
    ApprovalOutcome done;
    done.result = "null";
    add_outcome(view, context, approval, done, tool, decision.later);
    decision.after = [&view, context, whole, tool](commands::Rendered const& rendered) {
        std::vector<NewEvent> events;
        auto const outcome = outcome_of_call(*tool, Outcome{.body = rendered.part});
        add_outcome(view, context, *view.get<ApprovalRecord>(whole->resolve.id), outcome, tool, events);
        return events;
    };
    return decision;
}

/// What the events of a decision say of the execution; nothing where it is done afterwards, or follows the answer.
std::optional<ApprovalAnswer> told_answer(Decision const& decision) {
    for (std::size_t i = 0; i < decision.events.size(); ++i) {
        // Whatever follows is of what waits for the call.
        bool const resumed = i + 1 < decision.events.size();
        if (auto const* failed = events::get_if<events::ApprovalExecutionFailed>(decision.events[i].data)) {
            return ApprovalAnswer{false, resumed, {}, failed->error.value};
        }
        if (auto const* done = events::get_if<events::ApprovalExecuted>(decision.events[i].data)) {
            return ApprovalAnswer{true, resumed, {done->result.value.text}, {}};
        }
    }
    return std::nullopt;
}

commands::Rendered render_whole(commands::View const& view, commands::Context const& context, Decision const& decision,
                                Whole const& whole) {
    commands::Rendered rendered;
    ApprovalAnswer answer{false, false, {}, std::string(kPending)};
    if (decision.part) {
        rendered.part = whole.command->render(view, *decision.part).body;
        auto const outcome = outcome_of_call(*whole.call->tool, Outcome{.body = rendered.part});
        std::vector<NewEvent> unused;
        bool const resumed =
            commands::tell_waiter(view, context, *view.get<ApprovalRecord>(whole.resolve.id), outcome, unused);
        answer = {true, resumed, {outcome.result}, {}};
    } else if (auto told = told_answer(decision)) {
        answer = *std::move(told);
    }
    rendered.body = core::to_json(answer);
    return rendered;
}

commands::Submission submission_of_whole(Call const& call, std::shared_ptr<Whole const> const& whole) {
    commands::Submission submission;
    submission.context = command_context(call);
    if (whole->command) submission.context.new_ids = whole->command->context.new_ids;
    if (whole->call) submission.context.cause.correlation_id = whole->call->meta.cause.correlation_id;
    submission.decide = [whole](commands::View const& view, commands::Context const& context) {
        return decide_whole(view, context, whole);
    };
    submission.render = [whole, context = submission.context](commands::View const& view, Decision const& decision) {
        return render_whole(view, context, decision, *whole);
    };
    return submission;
}

/// What the command inside is told of its own fate.
commands::Reply reply_of_part(Outcome const& whole, commands::Submission const& command, std::string_view request_id) {
    commands::Reply reply;
    if (whole.status >= 300) {
        reply.status = whole.status;
        reply.body = whole.body;
        reply.refused = whole.refused.value_or(core::Code::concurrent_modification);
        return reply;
    }
    auto const answer = core::from_stored_json<ApprovalAnswer>(whole.body);
    reply.facility = whole.facility;
    reply.replayed = whole.replayed;
    reply.outcome = whole.marker;
    if (answer.success) {
        reply.status = command.success_status;
        reply.body = answer.result.text;
        return reply;
    }
    // The code stands before the text.
    auto const text = answer.error.value_or("");
    auto const code = core::parse_code(text.substr(0, text.find(':'))).value_or(core::Code::internal_error);
    reply.status = core::info(code).status;
    reply.body = render_problem({code, text}, request_id);
    reply.refused = code;
    return reply;
}

/// Has the call carried out within the approval. Returns what the approval answers.
awaitable<Outcome> approve_and_run(Call& call, std::shared_ptr<Whole> whole) {
    auto& services = call.services;
    std::optional<Outcome> answer;
    PerformCall const within = [&](Call& inner) -> awaitable<Outcome> {
        if (inner.meta.organization != call.meta.organization) {
            co_return refuse(inner, {core::Code::not_found, "What the call is about is of another organization."});
        }
        inner.submit_within = [&](commands::Submission command) -> awaitable<commands::Reply> {
            if (answer && answer->status < 300) {  // what follows the call
                co_return co_await services.processor.submit(std::move(command));
            }
            if (answer) co_return reply_of_part(*answer, command, whole->call->meta.request_id);
            whole->command = std::move(command);
            answer = co_await submit(call, submission_of_whole(call, whole), 0);
            co_return reply_of_part(*answer, *whole->command, whole->call->meta.request_id);
        };
        co_return co_await inner.operation.handler(inner);
    };
    auto result = co_await run_tool(
        services,
        {*whole->call->tool, whole->call->arguments, whole->call->caller, whole->call->context, whole->call->meta},
        within);
    auto* const outcome = std::get_if<Outcome>(&result.what);
    if (outcome == nullptr) {
        co_return refuse(call, {core::Code::internal_error, "An approved call waits once more."});
    }
    if (!answer && outcome->refused && is_passing(*outcome->refused)) {
        co_return refuse(call, {*outcome->refused, "The call can't be carried out now; nothing was decided."});
    }
    if (!answer) {  // it took no command
        whole->known = outcome_of_call(*whole->call->tool, *outcome);
        answer = co_await submit(call, submission_of_whole(call, whole), 0);
    }
    if (answer->status < 300 && !answer->replayed) {
        observe_call(services, *whole->call, *outcome, call.meta.organization, call.meta.sandbox);
    }
    answer->marker = {};  // it is the call's
    co_return *std::move(answer);
}

/// Whether the run's call that waited for the approval has ended: nothing but the approval's outcome ends it.
bool has_gone_on(events::AgentRun const& run, Id approval) {
    auto const ended = [&](events::RunCall const& call) {
        return call.approvalId.value == approval && call.finishedAt.value;
    };
    return std::ranges::any_of(run.steps, [&](events::RunStep const& step) {
        return ended(step) || (step.items.value && std::ranges::any_of(*step.items.value, ended));
    });
}

/// Whether a run goes on by what came of the approval, as its partition has it.
awaitable<bool> resumed_run(Call const& call, events::Approval const& approval) {
    auto const run = approval.runId.value;
    if (!run) co_return false;
    commands::Submission look;
    look.context = command_context(call);
    look.deadline = std::min(look.deadline, call.meta.deadline);
    look.decide = [run](commands::View const& view, commands::Context const&) -> core::Result<Decision> {
        if (!view.get<events::AgentRunRecord>(*run)) return commands::not_found("run", *run);
        return Decision{};
    };
    look.render = [run, id = approval.id](commands::View const& view, Decision const&) {
        bool const resumed = has_gone_on(*view.get<events::AgentRunRecord>(*run), id);
        return commands::Rendered{.body = resumed ? "true" : "false", .created = {}};
    };
    look.render_problem = [](core::Problem const&) { return std::string(); };
    auto const reply = co_await call.services.processor.submit(std::move(look));
    co_return reply.status < 300 && reply.body == "true";
}

/// What came of a call that is carried out outside, once that is known or time is over.
awaitable<Outcome> await_execution(Call& call, Outcome outcome) {
    auto const until = std::min(Clock::now() + kOutsidePatience, call.meta.deadline - kForAnswer);
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    for (auto pause = kFirstResultLook; Clock::now() < until; pause = std::min(2 * pause, kLongestResultLook)) {
        timer.expires_after(pause);
        co_await timer.async_wait(boost::asio::use_awaitable);
        auto const found = co_await find_approval(call, call.input.path.id());
        if (!found || !found->approval.executionResult.value) continue;
        auto const& done = *found->approval.executionResult.value;
        bool const resumed = co_await resumed_run(call, found->approval);
        ApprovalAnswer answer{done.success, resumed, {done.result.text}, done.error.value};
        outcome.body = core::to_json(answer);
        co_return outcome;
    }
    outcome.status = 202;
    co_return outcome;
}

/// The approval as its partition has it, where the participant may approve it now. Read models may not show it yet.
awaitable<std::optional<FoundApproval>> find_waiting(Call const& call, commands::ResolveApproval const& resolve) {
    commands::Submission look;
    look.context = command_context(call);
    look.deadline = std::min(look.deadline, call.meta.deadline);
    look.decide = [resolve](commands::View const& view, commands::Context const& context) -> core::Result<Decision> {
        auto const found = commands::require_resolvable(view, context, resolve, commands::Resolution::approve);
        if (!found) return tl::unexpected(found.error());
        return Decision{};
    };
    look.render = [id = resolve.id](commands::View const& view, Decision const&) {
        return commands::Rendered{.body = core::to_json(*view.get<ApprovalRecord>(id)), .created = {}};
    };
    look.render_problem = [](core::Problem const&) { return std::string(); };
    auto const reply = co_await call.services.processor.submit(std::move(look));
    if (reply.status >= 300) co_return std::nullopt;
    auto record = core::from_stored_json<ApprovalRecord>(reply.body);
    co_return FoundApproval{record, {record.internals, {}}, 0};
}

template <bool InApp>
awaitable<Outcome> approve_waiting_call(Call& call) {
    auto whole = std::make_shared<Whole>();
    whole->resolve = {call.input.path.id(), InApp, participant_of(*call.caller)};
    if (auto const found = co_await find_waiting(call, whole->resolve)) {
        whole->arguments = found->approval.arguments.text;
        auto const* const tool = find_tool(found->approval.tool);
        whole->resolve.outside = tool != nullptr && is_done_outside(*tool);
        auto approved = co_await approved_call(call.services, *found);
        if (!approved && is_passing(approved.error().code)) co_return refuse(call, approved.error());
        if (!approved) whole->known = failed_with(approved.error());
        if (approved) whole->call = *std::move(approved);
        if (whole->call && !whole->resolve.outside) co_return co_await approve_and_run(call, std::move(whole));
    }
    auto outcome = co_await submit(call, submission_of_whole(call, whole), 0);
    bool const waits = outcome.status < 300 && outcome.body.find(kPending) != std::string::npos;
    if (waits) outcome = co_await await_execution(call, std::move(outcome));
    co_return outcome;
}

Operation approval(std::string_view name, Handler handler) {
    Operation row;
    row.name = name;
    row.summary = "Approve a call that waits: it is carried out";
    row.effect = Effect::write;
    row.parameters = parameters_of<TargetQuery>();
    row.versioned = true;
    row.answer = &answer_of<ApprovalAnswer>;
    row.answer_example = &example<ApprovalAnswer, Side::answer>;
    row.handler = handler;
    row.reads = {projections::approvals().spec().name, core::enum_name(events::Kind::user)};
    return std::move(row)
        .says(
            "Carries out a call that waits, once, as who asked for it, with the rights and the state of now. Returns "
            "what the tool answered; success false where it was refused, which changes the approval no more. What is "
            "asked outside and has not answered within 25 seconds is 202 with error EXECUTION_PENDING: read the "
            "approval for its result.")
        .refuses({core::Code::self_approval_forbidden})
        .waits_for_end(202, kOutsidePatience)
        .on(events::Kind::approval)
        .audit();
}

}  // namespace

Operation approve_operation() {
    auto row = approval("approvals.approve", approve_waiting_call<false>);
    row.refusals.push_back(core::Code::already_resolved);
    return row;
}

Operation approve_operation_in_app() {
    auto row = approval("ai_actions.approve", approve_waiting_call<true>);
    row.refusals.push_back(core::Code::already_resolved_in_app);
    return row;
}

}  // namespace workforce::operations
