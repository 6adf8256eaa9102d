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
#include "operations/target.hpp"
#include "operations/tools/model_tiers.hpp"

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

RpcError too_low(Exchange const& exchange, Tool const& tool) {
    auto const needed = tool.binding().tier;
    core::JsonWriter w;
    w.begin_object();
    w.member("code", core::info(Code::tier_required).name);
    w.member("requiredTier", core::enum_name(needed));
    w.key("tierEquivalence");
    w.begin_array();
    for (auto const& row : operations::model_tiers()) {
        if (row.tier < needed) continue;
        for (auto const pattern : row.equivalence) w.string(pattern);
    }
    w.end_array();
    w.member("credentialTier", core::enum_name(exchange.caller->tier));
    w.member("suggestion", core::info(Code::tier_required).suggestion);
    w.member("retryable", false);
    w.member("requestId", exchange.from.request_id);
    w.end_object();
    return of_tool({RpcCode::denied,
                    fmt::format("{} takes a credential of the tier {}.\nSuggestion: {}", tool.name,
                                core::enum_name(needed), core::info(Code::tier_required).suggestion),
                    w.take()},
                   tool.name, exchange);
}

RpcError denied(core::Problem const& problem, Exchange const& exchange, Tool const& tool) {
    auto error = rpc_error(problem, exchange.from.request_id);
    error.code = RpcCode::denied;
    auto const details = core::parse_json(problem.details);
    auto const permission = as_text(find_member(details ? &*details : nullptr, "permission"));
    if (permission) {
        error.data.pop_back();
        error.data.append(R"(,"permission":")").append(*permission).append("\"}");
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

/// Whether policy refused the call, which is an error and no result (domain 6.4).
bool is_denied(Outcome const& outcome) {
    return outcome.refused == Code::insufficient_scope || outcome.refused == Code::forbidden;
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
    auto const meta = meta_of(outcome, stale);
    auto const structured =
        failed ? std::move(outcome.body) : operations::structured_content(tool, std::move(outcome.body));
    std::string text = era == Era::stateless ? R"({"resultType":"complete",)" : "{";
    text.reserve(structured.size() * 3 + 200);
    text.append(R"("content":[{"type":"text","text":)");
    if (failed) {
        core::JsonWriter w;
        w.string(error_text(structured, outcome.status));
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

/// What names a call across its repeats (domain 8.3).
core::Digest dedupe_of(Exchange const& exchange, Tool const& tool, core::JsonValue const& arguments,
                       bool with_arguments) {
    auto text = exchange.caller->lineage();
    text.append("\n").append(exchange.session).append("\n").append(exchange.message.id).append("\n").append(tool.name);
    if (with_arguments) text.append("\n").append(core::canonical_json(arguments));
    return core::sha256(text);
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

/// Gives the call the idempotency key that the message or its request has, if any. Errors: VALIDATION_ERROR.
core::Result<void> tell_idempotency(operations::Call& call, Exchange const& exchange, Tool const& tool,
                                    core::JsonValue const& arguments, std::string const& secret) {
    auto const told = as_text(find_member(exchange.message.param("_meta"), kIdempotencyMember));
    auto const key = told ? *told : std::string_view(exchange.idempotency_key);
    if (!told && key.empty()) return {};
    auto idempotency =
        idempotency_of(key, fmt::format("tool {}\n{}", tool.name, core::canonical_json(arguments)),
                       {call.caller->lineage(), operations::is_about_sandbox(*call.caller, call.operation)}, secret);
    if (!idempotency) return tl::unexpected(idempotency.error());
    call.meta.idempotency = *std::move(idempotency);
    return {};
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
    facts.dedupe = dedupe_of(exchange, *tool, arguments, parts_.config.mcp_dedupe == "arguments");
    auto const refuse = [&](Code code, RpcError error) {  // metered as what it is (domain 8.2)
        facts.status = core::info(code).status;
        facts.refused = code;
        answer.result = tl::unexpected(std::move(error));
    };
    if (auto const problem = operations::lacking(exchange.acting(), *tool->operation)) {
        refuse(problem->code, denied(*problem, exchange, *tool));
    } else if (exchange.caller->tier < tool->binding().tier) {
        refuse(Code::tier_required, too_low(exchange, *tool));
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
            if (is_denied(*outcome)) {
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
    auto const& operation = *tool.operation;
    auto const& request_id = exchange.from.request_id;
    auto const refused = [&](core::Problem const& problem) { return operations::refusal(problem, request_id); };
    std::exception_ptr thrown;
    try {
        auto input = operations::input_of(tool, arguments);
        if (!input) co_return refused(input.error());
        auto const lane = core::Lane(exchange.caller->organization, exchange.caller->sandbox);
        auto const place = admission_.enter(lane);
        if (!place) {
            facts.unavailable = operations::Unavailable::organization_share;
            co_return refused(place.error());
        }
        auto const holder = exchange.caller->byte_holder();
        auto& replies = parts_.services.replies;
        bool const writes = operation.effect != operations::Effect::read;
        auto room = writes ? reserve_reply(replies, holder, kCopies) : net::HeldBytes();
        if (!room) {
            facts.unavailable = operations::Unavailable::reply_bytes;
            co_return refused(room.error());
        }
        auto const& acting = exchange.caller->for_tools ? exchange.caller->for_tools : exchange.caller;
        operations::Call call{parts_.services,
                              operation,
                              acting,
                              {.request_id = request_id,
                               .cause = {.channel = kToolChannel,
                                         .tool = std::string(tool.name),
                                         .dedupe_key = core::hex_encode(core::bytes(*facts.dedupe))}},
                              *std::move(input)};
        if (writes && operation.appends) {
            auto const told = tell_idempotency(call, exchange, tool, arguments, parts_.idempotency_secret);
            if (!told) co_return refused(told.error());
        }
        auto const target = co_await operations::resolve_target(call);
        if (!target) {
            stale = call.stale;
            co_return operations::refuse(call, target.error());
        }
        if (call.meta.organization != 0) facts.organization = call.meta.organization;
        facts.sandbox = call.meta.sandbox;
        if (exchange.cancellation->requested()) co_return std::nullopt;
        auto origin =
            co_await CallOrigin::keep(parts_.request_origins, call, {exchange.from.client_address, exchange.agent});
        auto outcome = co_await perform(call, exchange, facts);
        origin.settle(call, outcome.status, outcome.replayed);
        if (auto const held = hold_body(replies, holder, operation.effect, outcome, *std::move(room), kCopies); !held) {
            facts.unavailable = operations::Unavailable::reply_bytes;
            auto without_room = refused(held.error());
            without_room.marker = outcome.marker;  // it took effect
            without_room.facility = outcome.facility;
            without_room.replayed = outcome.replayed;
            co_return without_room;
        }
        if (outcome.status < 500) failures_.over();
        stale = call.stale;
        co_return outcome;
    } catch (...) {
        thrown = std::current_exception();
    }
    facts.unavailable = Failures::reason_of(thrown);
    co_return refused(failures_.met(thrown, {request_id, exchange.from.client_address, tool.name}));
}

boost::asio::awaitable<Outcome> ToolCaller::perform(operations::Call& call, Exchange const& exchange,
                                                    operations::Facts& facts) {
    if (parts_.cluster != nullptr && is_for_owner(call)) {
        auto const body = call.input.body && *call.input.body ? json_of(**call.input.body) : std::string();
        auto asked = co_await ask_owner(*parts_.cluster, call, {body, exchange.from});
        if (!asked) {
            facts.unavailable = operations::Unavailable::forwarding;
            co_return operations::refuse(call, asked.error());
        }
        if (*asked && (*asked)->answer) co_return std::move((*asked)->answer->outcome);
    }
    auto outcome = co_await call.operation.handler(call);
    if (outcome.refused == Code::service_unavailable) facts.unavailable = operations::reason_of(call);
    co_return outcome;
}

}  // namespace workforce::api::mcp
