// The checks of a call in their order, the call, and its result.
#include "api/mcp/tool_call.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "api/cluster/owner_call.hpp"
#include "api/credentials/request_origins.hpp"
#include "api/reply_bytes.hpp"
#include "api/rest/idempotency.hpp"
#include "core/canonical_json.hpp"
#include "core/crypto.hpp"
#include "operations/approvals/deferral.hpp"
#include "operations/target.hpp"
#include "operations/tools/tool_runner.hpp"

namespace workforce::api::mcp {
namespace {

using core::Code;
using operations::Outcome;
using operations::Tool;

// What an answer takes for a while, as multiples of what the operation answered: that itself, twice in the result (as
// text and as structure), and the result once more in its message.
constexpr std::size_t kCopies = 5;

constexpr char const* kIdempotencyMember = "svc/idempotencyKey";

constexpr std::uint16_t kCancelledStatus = 499;  // what a call that its client ended is metered as

core::JsonValue const& no_arguments() {
    static core::JsonValue const none(rapidjson::kObjectType);
    return none;
}

/// Adds `"tool"` to an error's data.
RpcError of_tool(RpcError error, std::string_view tool, Exchange const& exchange) {
    core::JsonWriter w;
    w.string(tool);
    error.data.pop_back();
    error.data.append(R"(,"tool":)").append(w.text()).append("}");
    error.id = exchange.message.id;
    error.status = 200;
    return error;
}

/// A refusal of policy: what its details have stands in the error's data, too (domain 6.4).
RpcError denied(core::Problem const& problem, Exchange const& exchange, Tool const& tool) {
    auto error = rpc_error(problem, exchange.from.request_id);
    error.code = RpcCode::denied;
    if (problem.details.size() > 2) {
        error.data.pop_back();
        error.data.append(",").append(problem.details, 1);
    }
    return of_tool(std::move(error), tool.name, exchange);
}

/// The problem in the envelope of a refusal.
core::Problem problem_of(Outcome const& outcome) {
    auto const document = core::parse_json(outcome.body);
    auto const* const error = document ? find_member(&*document, "error") : nullptr;
    auto const text = [&](char const* name) { return std::string(as_text(find_member(error, name)).value_or("")); };
    auto const* const details = find_member(error, "details");
    return {*outcome.refused, text("message"), details == nullptr ? std::string() : json_of(*details),
            text("suggestion")};
}

RpcError invalid_arguments(core::Faults const& faults, Exchange const& exchange, Tool const& tool) {
    auto problem = core::validation_problem(faults);
    auto const& first = faults.named().front();
    problem.message = fmt::format("Invalid arguments of {}: {} {}.", tool.name, first.field, first.message);
    auto error = rpc_error(problem, exchange.from.request_id);
    error.code = RpcCode::invalid_params;
    return of_tool(std::move(error), tool.name, exchange);
}

RpcError invalid_params(std::string message, Exchange const& exchange) {
    return {RpcCode::invalid_params, std::move(message), {}, 200, exchange.message.id};
}

RpcError cancelled(Exchange const& exchange) {
    return {RpcCode::cancelled, "The request was cancelled.", {}, 200, exchange.message.id};
}

/// The text of a problem's envelope, for models that read no structure. A fault of ours (5xx) is told with the
/// request's id, by which operators find it.
std::string error_text(std::string_view body, std::uint16_t status) {
    auto const document = core::parse_json(body);
    auto const* const error = document ? find_member(&*document, "error") : nullptr;
    auto const text = [&](char const* name) { return as_text(find_member(error, name)).value_or(""); };
    auto told = fmt::format("{}: {}\nSuggestion: {}", text("code"), text("message"), text("suggestion"));
    auto const request = as_text(find_member(document ? &*document : nullptr, "requestId"));
    if (status >= 500 && request) told.append("\nRequest: ").append(*request);
    return told;
}

/// The `_meta` of a result, as JSON; empty where it has none.
std::string meta_of(Outcome const& outcome, bool stale) {
    std::string members;
    auto const add = [&](std::string_view member) { members.append(members.empty() ? "" : ",").append(member); };
    if (stale) add(R"("svc/stale":true)");
    if (outcome.replayed) add(R"("svc/replayed":true)");
    if (outcome.status == 503) add(R"("svc/retryAfter":1)");
    return members.empty() ? members : "{" + members + "}";
}

void begin_result(core::JsonWriter& w, Era era) {
    w.begin_object();
    if (era == Era::stateless) w.member("resultType", "complete");
}

/// Appends JSON text as a JSON string. Two characters alone are to be escaped in it, and answers are long: it pays to
/// say so instead of having each character looked at by a writer.
void append_quoted(std::string& text, std::string_view json) {
    auto const size = text.size();
    text.resize(size + 2 * json.size() + 2);  // as long as it can become
    char* end = text.data() + size;
    *end++ = '"';
    for (char const each : json) {
        *end = '\\';
        end += each == '"' || each == '\\';
        *end++ = each;
    }
    *end++ = '"';
    text.resize(static_cast<std::size_t>(end - text.data()));
}

/// The result of what the operation answered (domain 6.4).
std::string result_of(Tool const& tool, Outcome outcome, Era era, bool stale) {
    bool const failed = outcome.status >= 400;
    bool const waits = outcome.status == operations::kWaitsStatus;
    auto const meta = meta_of(outcome, stale);
    auto const structured =
        failed || waits ? std::move(outcome.body) : operations::structured_content(tool, std::move(outcome.body));
    std::string text = era == Era::stateless ? R"({"resultType":"complete",)" : "{";
    text.reserve(structured.size() * 3 + 200);
    text.append(R"("content":[{"type":"text","text":)");
    if (failed) {
        core::JsonWriter w;
        w.string(error_text(structured, outcome.status));
        text.append(w.text());
    } else if (waits) {
        core::JsonWriter w;
        w.string(structured +
                 "\nSuggestion: A person has to approve this call. Poll approvals_get with this approvalId: "
                 "executionResult has what came of it.");
        text.append(w.text());
    } else {
        append_quoted(text, structured);
    }
    text.append(R"(}],"structuredContent":)").append(structured);
    text.append(R"(,"isError":)").append(failed ? "true" : "false");
    if (!meta.empty()) text.append(R"(,"_meta":)").append(meta);
    text += '}';
    return text;
}

/// The keyed digest by which repeats of a call count as one outcome (domain 8.3). It stands in the log and outlives the
/// people whom arguments name, so nobody may find these by guesses.
core::Digest dedupe_of(Exchange const& exchange, Tool const& tool, core::JsonValue const& arguments,
                       bool with_arguments, std::string_view secret) {
    auto text = exchange.caller->lineage();
    text.append("\n").append(exchange.session).append("\n").append(exchange.message.id).append("\n").append(tool.name);
    if (with_arguments) text.append("\n").append(core::canonical_json(arguments));
    return core::hmac_sha256(secret, text);
}

operations::Facts facts_of(Exchange const& exchange) {
    operations::Facts facts;
    facts.correlation = operations::CorrelationId(exchange.from.request_id);
    operations::note_caller(facts, exchange.acting(), kToolChannel);
    return facts;
}

void note_outcome(operations::Facts& facts, Outcome const& outcome) {
    facts.status = outcome.status;
    facts.refused = outcome.refused;
    facts.replayed = outcome.replayed;
    if (!outcome.replayed) facts.marker = outcome.marker;
    if (facts.facility == 0) facts.facility = outcome.facility;
}

void note_target(operations::Facts& facts, core::Id organization, bool sandbox) {
    if (organization != 0) facts.organization = organization;
    facts.sandbox = sandbox;
}

/// The idempotency key that the message or its request has, if any and if the tool has a use for one. Errors:
/// VALIDATION_ERROR.
core::Result<std::optional<commands::Idempotency>> told_idempotency(Exchange const& exchange, Tool const& tool,
                                                                    core::JsonValue const& arguments,
                                                                    std::string const& secret) {
    using Told = std::optional<commands::Idempotency>;
    auto const& operation = *tool.operation;
    if (operation.effect == operations::Effect::read || !operation.appends) return Told();
    auto const told = as_text(find_member(exchange.message.param("_meta"), kIdempotencyMember));
    auto const key = told ? *told : std::string_view(exchange.idempotency_key);
    if (!told && key.empty()) return Told();
    auto const& caller = exchange.acting();
    return idempotency_of(key, fmt::format("tool {}\n{}", tool.name, core::canonical_json(arguments)),
                          {caller.lineage(), operations::is_about_sandbox(caller, operation)}, secret);
}

}  // namespace

std::string content_result(std::string_view content, bool is_error, Era era) {
    core::JsonWriter w;
    begin_result(w, era);
    w.key("content");
    w.raw(content);
    w.member("isError", is_error);
    w.end_object();
    return w.take();
}

bool ToolCaller::may_call(Exchange const& exchange, Tool const& tool) {
    return !operations::lacking(exchange.acting(), *tool.operation);
}

boost::asio::awaitable<Answer> ToolCaller::call(Exchange& exchange) {
    auto const started = std::chrono::steady_clock::now();
    auto const name = as_text(exchange.message.param("name"));
    if (!name) co_return Answer{tl::unexpected(invalid_params("params.name must be a text.", exchange))};
    auto const* const tool = operations::find_tool(*name);
    if (tool == nullptr) {
        auto error = invalid_params(fmt::format("There is no tool {}.", *name), exchange);
        co_return Answer{tl::unexpected(std::move(error))};
    }
    auto const* given = exchange.message.param("arguments");
    if (given != nullptr && !given->IsObject()) {
        co_return Answer{tl::unexpected(invalid_params("params.arguments must be an object.", exchange))};
    }
    auto const& arguments = given == nullptr ? no_arguments() : *given;
    Answer answer{{}, facts_of(exchange)};
    auto& facts = answer.facts;
    facts.verb = tool->operation->name;
    facts.row = tool->operation->row;
    facts.tool = tool->name;
    facts.dedupe =
        dedupe_of(exchange, *tool, arguments, parts_.config.mcp_dedupe == "arguments", parts_.idempotency_secret);
    auto const refuse = [&](Code code, RpcError error) {  // metered as what it is (domain 8.2)
        facts.status = core::info(code).status;
        facts.refused = code;
        answer.result = tl::unexpected(std::move(error));
    };
    if (auto const problem = operations::check_tool_access(exchange.acting(), *tool, parts_.services.model_tiers)) {
        refuse(problem->code, denied(*problem, exchange, *tool));
    } else if (auto const faults = operations::check_arguments(*tool, arguments); !faults.empty()) {
        refuse(Code::validation_error, invalid_arguments(faults, exchange, *tool));
    } else {
        bool stale = false;
        if (exchange.progress) co_await exchange.progress(0, 1);
        auto outcome = co_await run(exchange, *tool, arguments, facts, stale);
        if (!outcome) {
            facts.status = kCancelledStatus;
            answer.result = tl::unexpected(cancelled(exchange));
        } else {  // it took place: whoever cancels now is too late
            if (exchange.progress) co_await exchange.progress(1, 1);
            note_outcome(facts, *outcome);
            facts.stale = stale;
            if (outcome->status == 503) {
                failures_.unavailable({exchange.from.request_id, exchange.from.client_address, tool->name},
                                      outcome->refused, outcome->body);
            }
            if (outcome->refused && operations::is_policy_refusal(*outcome->refused)) {
                answer.result = tl::unexpected(denied(problem_of(*outcome), exchange, *tool));
            } else {
                answer.held = std::move(outcome->held);
                answer.done = tool->operation->effect != operations::Effect::read && !outcome->refused;
                answer.result = result_of(*tool, *std::move(outcome), exchange.protocol.era, stale);
            }
        }
    }
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - started;
    facts.seconds = took.count();
    co_return answer;
}

boost::asio::awaitable<std::optional<Outcome>> ToolCaller::run(Exchange& exchange, Tool const& tool,
                                                               core::JsonValue const& arguments,
                                                               operations::Facts& facts, bool& stale) {
    auto const& request_id = exchange.from.request_id;
    auto const refused = [&](core::Problem const& problem) { return operations::refusal(problem, request_id); };
    std::exception_ptr thrown;
    try {
        auto const lane = core::Lane(exchange.caller->organization, exchange.caller->sandbox);
        auto const place = admission_.enter(lane);
        if (!place) {
            facts.unavailable = operations::Unavailable::organization_share;
            co_return refused(place.error());
        }
        auto const holder = exchange.caller->byte_holder();
        auto& replies = parts_.services.replies;
        auto const effect = tool.operation->effect;
        auto room = effect == operations::Effect::read ? net::HeldBytes() : reserve_reply(replies, holder, kCopies);
        if (!room) {
            facts.unavailable = operations::Unavailable::reply_bytes;
            co_return refused(room.error());
        }
        auto idempotency = told_idempotency(exchange, tool, arguments, parts_.idempotency_secret);
        if (!idempotency) co_return refused(idempotency.error());
        bool cancelled = false;
        operations::ToolRequest const request{tool,
                                              arguments,
                                              operations::acting_caller(exchange.caller),
                                              {.channel = operations::ToolChannel::mcp},
                                              {.request_id = request_id,
                                               .cause = {.dedupe_key = core::hex_encode(core::bytes(*facts.dedupe))},
                                               .idempotency = *std::move(idempotency)}};
        operations::PerformCall const carry_out = [&](operations::Call& call) {
            return perform(call, exchange, facts, cancelled);
        };
        auto result = co_await operations::run_tool(parts_.services, request, carry_out);
        if (auto const* const deferral = std::get_if<operations::ToolDeferral>(&result.what)) {
            auto waits =
                co_await operations::defer_tool_call(parts_.services, request, *deferral, exchange.session, carry_out);
            result.what = std::move(waits);
        }
        if (cancelled) co_return std::nullopt;
        note_target(facts, result.organization, result.sandbox);
        stale = result.stale;
        auto* const outcome = &std::get<Outcome>(result.what);
        if (auto const held = hold_body(replies, holder, effect, *outcome, *std::move(room), kCopies); !held) {
            facts.unavailable = operations::Unavailable::reply_bytes;
            auto without_room = refused(held.error());
            without_room.marker = outcome->marker;  // it took effect
            without_room.facility = outcome->facility;
            without_room.replayed = outcome->replayed;
            co_return without_room;
        }
        if (outcome->status < 500) failures_.over();
        co_return std::move(*outcome);
    } catch (...) {
        thrown = std::current_exception();
    }
    facts.unavailable = Failures::reason_of(thrown);
    co_return refused(failures_.met(thrown, {request_id, exchange.from.client_address, tool.name}));
}

boost::asio::awaitable<Outcome> ToolCaller::perform(operations::Call& call, Exchange const& exchange,
                                                    operations::Facts& facts, bool& cancelled) {
    note_target(facts, call.meta.organization, call.meta.sandbox);
    cancelled = exchange.cancellation->requested();
    if (cancelled) co_return Outcome();
    auto origin =
        co_await CallOrigin::keep(parts_.request_origins, call, {exchange.from.client_address, exchange.agent});
    auto outcome = co_await perform_call(parts_.cluster, call, exchange.from, facts.unavailable);
    origin.settle(call, outcome.status, outcome.replayed);
    co_return outcome;
}

}  // namespace workforce::api::mcp
