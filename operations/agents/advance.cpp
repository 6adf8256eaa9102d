// A turn of a run: what its executor wants next, one after the other, each recorded before the next call begins. A call
// that changes something has an idempotency key that follows from the run, the step and the item: whoever makes it
// again after a crash is told what came of the first one.
#include "operations/agents/advance.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/any_json.hpp"
#include "core/crypto.hpp"
#include "core/excerpt.hpp"
#include "core/ids.hpp"
#include "core/json_values.hpp"
#include "core/logging.hpp"
#include "core/nesting.hpp"
#include "core/outage.hpp"
#include "events/named_people.hpp"
#include "operations/agents/agents.hpp"
#include "operations/agents/plan_check.hpp"
#include "operations/agents/run_caller.hpp"
#include "operations/approvals/approve.hpp"
#include "operations/approvals/deferral.hpp"
#include "operations/declare.hpp"
#include "operations/tools/tool_runner.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;
using core::Code;
using events::AgentRunStatus;
using Clock = std::chrono::steady_clock;

/// Other runs wait no longer for their turns.
constexpr std::chrono::milliseconds kTurn{1000};

constexpr std::string_view kLimitCode = "LIMIT_EXCEEDED";
constexpr std::string_view kTimeoutCode = "RUN_TIMEOUT";
constexpr std::string_view kUserCode = "RUN_AS_USER_INACTIVE";

/// What came of a call.
struct CallEnd {
    events::CallFinding finding;
    bool too_large = false;       ///< its result, which ends the run
    events::NamedPeople named{};  ///< by its result
};

/// A refusal that passes: the call is made again, under the same key.
bool passes(Outcome const& outcome) {
    if (!outcome.refused) return outcome.status == 503;
    switch (*outcome.refused) {
        case Code::service_unavailable:
        case Code::log_unavailable:
        case Code::read_model_behind:
        case Code::idempotency_in_progress:
            return true;
        default:
            return false;
    }
}

CallEnd failed_call(std::string code, std::string message) {
    CallEnd end;
    end.finding.status = events::RunStepStatus::error;
    end.finding.error = core::Nullable<events::RunError>(events::RunError{std::move(code), std::move(message)});
    return end;
}

CallEnd failed_call(core::Problem const& problem) {
    return failed_call(std::string(core::info(problem.code).name), problem.message);
}

/// What the envelope of a refusal says.
CallEnd failed_call(Outcome const& outcome) {
    auto const document = core::parse_json(outcome.body);
    auto const* const error = document ? core::find_member(&*document, "error") : nullptr;
    auto const text = [&](char const* name) {
        return std::string(core::as_text(core::find_member(error, name)).value_or(""));
    };
    auto code = text("code");
    if (code.empty()) code = core::info(Code::internal_error).name;
    return failed_call(std::move(code), text("message"));
}

CallEnd end_of(Tool const& tool, Outcome outcome) {
    if (outcome.status >= 400) return failed_call(outcome);
    CallEnd end;
    auto json = structured_content(tool, std::move(outcome.body));
    bool const large = json.size() > events::kLongestRunField;
    if (large || core::is_nested_deeper(json, core::kMostResultNesting)) {
        auto message = large ? "The result has more than 256 KiB." : "The result is nested too deep.";
        end = failed_call(std::string(kLimitCode), message);
        end.too_large = true;
        return end;
    }
    end.named = people_in_result(&tool, json);
    end.finding.result = events::RunValue{std::move(json)};
    return end;
}

/// The arguments as the run shows them: what goes outside may have secrets.
std::string shown_arguments(std::string_view name, std::string arguments) {
    auto const* const tool = find_tool(name);
    if (tool == nullptr || !tool->operation->asks_provider) return arguments;
    auto const document = core::parse_json(arguments);
    return document ? core::without_secrets(*document) : arguments;
}

/// The stricter of how the run began and how the agent is now.
ApprovalMode mode_of(commands::RunInHand const& in_hand) {
    using enum events::AgentApprovalMode;
    auto const begun = in_hand.run.internals.approvalMode;
    auto const now = in_hand.agent.approvalMode;
    if (begun == always || now == always) return ApprovalMode::always;
    return begun == trusted && now == trusted ? ApprovalMode::trusted : ApprovalMode::by_tool;
}

/// What makes the call of a run recognisable: no client's key is ever the same, which is a keyed digest of other text.
/// A step is called once, whatever its templates give when it is asked for again.
commands::Idempotency key_of_call(Id run, CallTool const& call) {
    auto const item = call.place.item.value ? fmt::format("{}", *call.place.item.value) : std::string();
    auto const place = fmt::format("agent run {}\n{}\n{}", run, call.place.step, item);
    return commands::key_that_names(core::base64url_encode(core::bytes(core::sha256(place))));
}

class Turn {
   public:
    Turn(Call& call, commands::RunInHand in_hand)
        : call_(call), services_(call.services), agents_(*call.services.agents), in_hand_(std::move(in_hand)) {}

    awaitable<TurnAnswer> work() {
        auto caller = co_await caller_of_run(services_, in_hand_);
        if (!caller) {
            fail(std::string(kUserCode), caller.error().message);
            co_await record();
            co_return answer_;
        }
        caller_ = *std::move(caller);
        auto const until = Clock::now() + kTurn;
        while (!over_) {
            if (Clock::now() >= until) {
                co_await record();
                if (!over_) answer_.end = TurnEnd::goes_on;
                break;
            }
            co_await go_on();
        }
        co_return answer_;
    }

   private:
    awaitable<void> go_on() {
        if (has_ended(in_hand_.run.status) || check_limits()) {
            co_await record();
            co_return;
        }
        bool const asks = in_hand_.run.executor == events::AgentExecutor::llm;
        if (asks && !co_await record()) co_return;
        auto next = co_await ask_executor();
        if (auto* const call = std::get_if<CallTool>(&next)) co_return co_await make(std::move(*call));
        if (auto* const only = std::get_if<RecordOnly>(&next)) co_return add(std::move(only->event));
        if (auto* const later = std::get_if<TryLater>(&next)) co_return co_await leave(std::move(later->why));
        if (auto* const failed = std::get_if<FailRun>(&next)) {
            fail(std::move(failed->code), std::move(failed->message));
        } else {
            add(events::AgentRunCompleted{events::RunValue{std::get<FinishRun>(std::move(next)).output}});
        }
        co_await record();
    }

    /// What comes next. A run of a model is never scripted instead, and reaches no provider from the sandbox.
    awaitable<NextInRun> ask_executor() {
        if (in_hand_.run.executor != events::AgentExecutor::llm) co_return co_await agents_.scripted.next(in_hand_);
        constexpr std::string_view kCode = "LLM_ERROR";
        if (in_hand_.run.isSandbox) co_return FailRun{std::string(kCode), "In the sandbox no model is asked."};
        if (agents_.llm == nullptr) co_return FailRun{std::string(kCode), "No provider of models is configured."};
        co_return co_await agents_.llm->next(in_hand_);
    }

    /// Whether the run has come to a limit; then it has failed.
    bool check_limits() {
        auto const& run = in_hand_.run;
        auto const& internals = run.internals;
        auto const taken = core::now().ms - run.startedAt.value.value_or(core::now()).ms - internals.waitedMs;
        if (taken > internals.limits.timeoutSeconds.value * 1000) {
            fail(std::string(kTimeoutCode),
                 fmt::format("The run took more than {} seconds.", internals.limits.timeoutSeconds.value));
        } else if (internals.bytes > events::kMostRunBytes) {
            fail(std::string(kLimitCode), "The run has more than 4 MiB of input, arguments and results.");
        } else if (run.usage.inputTokens + run.usage.outputTokens > internals.limits.maxTokens.value) {
            fail(std::string(kLimitCode),
                 fmt::format("The run took more than {} tokens.", internals.limits.maxTokens.value));
        } else {
            return false;
        }
        return true;
    }

    /// Makes a call, and adds what came of it.
    awaitable<void> make(CallTool wanted) {
        if (in_hand_.run.usage.toolCalls >= in_hand_.run.internals.limits.maxToolCalls.value) {
            fail(std::string(kLimitCode),
                 fmt::format("The run made {} calls of tools, which are the most.", in_hand_.run.usage.toolCalls));
            co_return;
        }
        // What was found before stands in the log before anything changes by it, and what is called is told from that:
        // from the log's times.
        bool const told = unsaved_.empty();
        if (!co_await record() || !told) co_return;
        auto const started = core::now();
        auto const request = core::request_id();
        auto end = co_await call_tool(wanted, request);
        if (!end) co_return;
        events::AgentRunStepFinished finished;
        static_cast<events::RunPlace&>(finished) = wanted.place;
        finished.tool = recorded_tool(wanted.place.tool);
        static_cast<events::CallFinding&>(finished) = std::move(end->finding);
        static_cast<events::NamedPeople&>(finished) = std::move(end->named);
        add_people(finished, events::people_named_by(wanted.arguments));
        bool const failed = finished.status == events::RunStepStatus::error;
        finished.arguments = events::RunValue{shown_arguments(wanted.place.tool, std::move(wanted.arguments))};
        finished.startedAt = started;
        finished.requestId = request;
        finished.last = wanted.last || (failed && wanted.ends_on_error) || end->too_large;
        ++answer_.steps;
        add(std::move(finished));
        if (end->too_large) fail(std::string(kLimitCode), "A result has more than 256 KiB, or is nested too deep.");
    }

    /// What came of the call; nothing where the turn is over with it. What it reads shows all that stood when the run
    /// last went on, so whatever had it start, and what a person approved.
    awaitable<std::optional<CallEnd>> call_tool(CallTool const& wanted, std::string const& request) {
        auto const* const tool = find_tool(wanted.place.tool);
        if (tool == nullptr || !tool->binding().headless) {
            auto const name = core::excerpt(wanted.place.tool, kLongestToolName);
            co_return failed_call("NOT_FOUND", fmt::format("There is no tool {} for runs.", name));
        }
        if (!is_allowed(in_hand_.agent.allowedTools, tool->name)) {
            co_return failed_call("FORBIDDEN", fmt::format("The agent may not call {}.", tool->name));
        }
        if (auto const problem = check_tool_access(*caller_, *tool, services_.model_tiers)) {
            co_return failed_call(*problem);
        }
        auto const arguments = core::parse_json(wanted.arguments);
        if (!arguments) co_return failed_call(arguments.error());
        if (auto const faults = check_arguments(*tool, *arguments); !faults.empty()) {
            auto const& first = faults.named().front();
            co_return failed_call("VALIDATION_ERROR", fmt::format("{} {}.", first.field, first.message));
        }
        ToolRequest asked{
            .tool = *tool,
            .arguments = *arguments,
            .caller = caller_,
            .context = {.channel = ToolChannel::agent, .agent = in_hand_.run.agentId, .mode = mode_of(in_hand_)},
            .meta = {.request_id = request, .cause = cause(), .seen = in_hand_.position}};
        asked.meta.idempotency = key_of_call(in_hand_.run.id, wanted);
        auto const called = core::now();
        auto const started = Clock::now();
        auto result = co_await run_tool(services_, std::move(asked));
        if (auto const* const deferral = std::get_if<ToolDeferral>(&result.what)) {
            co_return co_await defer(wanted, approval_request_of(*caller_, *tool, *arguments, *deferral), called);
        }
        auto outcome = std::get<Outcome>(std::move(result.what));
        if (passes(outcome)) {
            co_await leave("a call could not be made now");
            co_return std::nullopt;
        }
        if (result.stale && tool->operation->effect == Effect::read) {
            co_await leave("read models are behind");
            co_return std::nullopt;
        }
        tell(*tool, outcome, request, Clock::now() - started);
        co_return end_of(*tool, std::move(outcome));
    }

    /// Has the run wait for a person, with the approval in one append. What came of it where that is refused.
    awaitable<std::optional<CallEnd>> defer(CallTool const& wanted, commands::ApprovalRequest request,
                                            core::Timestamp called) {
        auto const& run = in_hand_.run;
        auto const& by = run.requestedBy;
        bool const by_key = by.type == events::ActorType::api_key;
        Id const user = by.userId == 0 ? run.runAsUserId : by.userId;
        request.agent = run.agentId;
        request.run = run.id;
        request.step = wanted.place.step;
        request.session = std::to_string(run.id);
        request.origin = events::ApprovalOrigin::agent_run;
        // Whoever had the run start asked for what it calls.
        request.requested_by = {user, {}};
        request.requester.lineage = run.internals.lineage;
        if (run.internals.lineage.empty()) {  // a trigger's
            request.requester.lineage = by_key ? fmt::format("key/{}", by.id) : fmt::format("user/{}", user);
        }
        commands::RecordRun command{run.id, in_hand_.version, {}};
        command.approval = std::move(request);
        static_cast<events::RunPlace&>(command.waits_for) = wanted.place;
        command.waits_for.arguments = events::RunValue{shown_arguments(wanted.place.tool, wanted.arguments)};
        command.waits_for.startedAt = called;
        command.waits_for.last = wanted.last;
        auto const refused = co_await submit_record(std::move(command), true);
        if (over_ || !refused) co_return std::nullopt;
        co_return failed_call(*refused);
    }

    /// Has usage count the call.
    void tell(Tool const& tool, Outcome const& outcome, std::string const& request, Clock::duration took) {
        if (!services_.observe) return;
        Facts facts;
        note_caller(facts, *caller_, kAgentChannel);
        facts.verb = tool.operation->name;
        facts.row = tool.operation->row;
        facts.tool = tool.name;
        facts.status = outcome.status;
        facts.refused = outcome.refused;
        facts.replayed = outcome.replayed;
        if (!outcome.replayed) facts.marker = outcome.marker;
        if (facts.facility == 0) facts.facility = outcome.facility;
        facts.correlation = CorrelationId(request);
        facts.client = ShortName<64>(in_hand_.agent.name.value);
        facts.run = in_hand_.run.id;
        facts.organization = in_hand_.run.organizationId;
        facts.sandbox = in_hand_.run.isSandbox;
        facts.seconds = std::chrono::duration<double>(took).count();
        services_.observe(facts);
    }

    commands::Cause cause() const {
        auto const& run = in_hand_.run;
        return {.verb = call_.operation.name,
                .channel = kAgentChannel,
                .correlation_id = run.correlationId,
                .run_id = std::to_string(run.id),
                .depth = run.internals.depth + 1};
    }

    /// Folds an event into the run in hand; it is recorded with the next ones.
    void add(events::AgentRunEvent event) {
        events::Envelope meta;
        meta.subject = {events::Kind::agent_run, in_hand_.run.id};
        meta.organization = in_hand_.run.organizationId;
        meta.seq = in_hand_.version + static_cast<std::int64_t>(unsaved_.size()) + 1;
        meta.time = core::now();
        evolve(in_hand_.run, event, meta);
        unsaved_.push_back(std::move(event));
    }

    void fail(std::string code, std::string_view message) {
        add(events::AgentRunFailed{std::move(code), core::LongText(core::excerpt(message, kLongestMessage))});
    }

    /// Writes what was added. False: the turn is over.
    awaitable<bool> record() {
        if (over_) co_return false;
        if (unsaved_.empty()) co_return true;
        commands::RecordRun command{in_hand_.run.id, in_hand_.version, std::exchange(unsaved_, {})};
        if (co_await submit_record(std::move(command), false)) end(TurnEnd::later);
        co_return !over_;
    }

    /// Writes what the command says, and goes on from what it left: the turn is over where nothing is left to do, or
    /// somebody else went on. Gives what it was refused with otherwise, where the turn may go on.
    awaitable<std::optional<core::Problem>> submit_record(commands::RecordRun command, bool waits) {
        auto context = command_context(call_);
        if (caller_) {  // else nobody stands behind the run any more
            context.actor = {events::ActorType::agent, in_hand_.run.agentId, in_hand_.run.runAsUserId};
            context.credential_type = "agent";
        }
        context.cause = cause();
        // The call is where the run may act, and so is its approval.
        if (waits && caller_) context.facilities = caller_->facilities;
        if (waits) context.new_ids = co_await services_.processor.ids().take(events::Kind::approval, 1);
        auto submission = commands::make_submission(std::move(command), std::move(context));
        submission.render_problem = [](core::Problem const& problem) { return problem.message; };
        auto const reply = co_await services_.processor.submit(std::move(submission));
        bool const moved = reply.refused == Code::concurrent_modification || (reply.status == 404 && !waits);
        if (moved || reply.refused == Code::unauthenticated) {
            end(TurnEnd::busy);  // whoever looks next sees what became of it
        } else if (reply.status >= 500) {
            end(TurnEnd::later);
        } else if (reply.status >= 300) {
            co_return core::Problem{reply.refused.value_or(Code::internal_error), reply.body};
        } else {
            auto const mark = core::from_stored_json<commands::RunMark>(reply.body);
            in_hand_.version = mark.version;
            in_hand_.run.updatedAt = mark.updatedAt;
            if (mark.status != AgentRunStatus::running) end(TurnEnd::rests);
        }
        co_return std::nullopt;
    }

    awaitable<void> leave(std::string why) {
        co_await record();
        if (over_) co_return;
        core::log(core::quiet_while_away(core::Level::warn), "a run can't go on now",
                  {{"run", in_hand_.run.id}, {"why", why}});
        end(TurnEnd::later);
    }

    void end(TurnEnd how) {
        over_ = true;
        answer_.end = how;
    }

    static constexpr std::size_t kLongestMessage = 2'000;
    static constexpr std::size_t kLongestToolName = 200;  // of one that a model made up

    Call& call_;
    Services& services_;
    AgentServices& agents_;
    commands::RunInHand in_hand_;
    std::shared_ptr<Caller const> caller_;
    std::vector<events::AgentRunEvent> unsaved_;
    TurnAnswer answer_;
    bool over_ = false;
};

/// The run as it stands, which starts where it may; nothing where that can't be told.
awaitable<core::Result<commands::RunInHand>> take_run(Call& call, Id run) {
    auto submission = commands::make_submission(commands::TakeRun{run}, command_context(call));
    submission.render_problem = [](core::Problem const& problem) { return problem.message; };
    auto const reply = co_await call.services.processor.submit(std::move(submission));
    if (reply.status >= 300) {
        co_return core::refuse(reply.refused.value_or(Code::service_unavailable), "The run could not be looked at.");
    }
    co_return core::from_stored_json<commands::RunInHand>(reply.body);
}

awaitable<TurnAnswer> advance(Call& call) {
    auto const id = call.input.path.id();
    if (call.services.agents == nullptr) co_return TurnAnswer{TurnEnd::later};
    auto const hold = call.services.agents->in_hand.take(id);
    if (!hold) co_return TurnAnswer{TurnEnd::busy};
    auto in_hand = co_await take_run(call, id);
    if (!in_hand) {
        co_return TurnAnswer{in_hand.error().code == Code::not_found ? TurnEnd::rests : TurnEnd::later};
    }
    auto const status = in_hand->run.status;
    if (status == AgentRunStatus::queued && !in_hand->run.deleted) co_return TurnAnswer{TurnEnd::queues};
    if (status != AgentRunStatus::running || in_hand->run.deleted) co_return TurnAnswer{TurnEnd::rests};
    Turn turn(call, *std::move(in_hand));
    co_return co_await turn.work();
}

awaitable<Outcome> advance_run(Call& call) {
    Outcome outcome;
    outcome.body = core::to_json(co_await advance(call));
    co_return outcome;
}

}  // namespace

Operation run_advance() {
    auto row = command<commands::TakeRun>("agent_runs.advance", "Go on with a run");
    row.handler = advance_run;
    row.answer = &answer_of<TurnAnswer>;
    row.answer_example = &example<TurnAnswer, Side::answer>;
    row.versioned = false;
    return std::move(row)
        .says("Works on a run until it has ended, waits for a person, or its time is up.")
        .on(events::Kind::agent_run)
        .by_installation();
}

}  // namespace workforce::operations
