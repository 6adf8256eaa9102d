// Calls and outcomes as text.
#include "api/cluster/call_message.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "api/body.hpp"
#include "core/json.hpp"
#include "core/logging.hpp"

namespace workforce::api {
namespace {

using core::Code;

/// Texts of Cause::channel live as long as the program.
constexpr std::array<std::string_view, 5> kChannels = {"", kRestChannel, kToolChannel, "agent", "session"};
constexpr std::array kTypes = {operations::MediaType::json,         operations::MediaType::form,
                               operations::MediaType::csv,          operations::MediaType::ndjson,
                               operations::MediaType::event_stream, operations::MediaType::html,
                               operations::MediaType::calendar};

tl::unexpected<core::Problem> of_another_release(std::string_view what) {
    return core::refuse(Code::service_unavailable,
                        "The process that serves this organization is of another release: " + std::string(what) + ".");
}

/// The first line and what follows it.
std::pair<std::string_view, std::string_view> split(std::string_view text) {
    auto const end = text.find('\n');
    if (end == std::string_view::npos) return {text, {}};
    return {text.substr(0, end), text.substr(end + 1)};
}

/// A text that lives as long as the program; there are few of them.
std::string_view lasting(std::string const& text) {
    if (text.empty()) return {};
    static std::mutex mutex;
    static std::unordered_set<std::string> texts;
    std::lock_guard const lock(mutex);
    return *texts.insert(text).first;
}

/// `strict`: a member that this release does not know is an error.
template <class T>
core::Result<T> read_line(std::string_view line, bool strict) {
    auto const document = core::parse_json(line);
    if (!document) return tl::unexpected(document.error());
    T value;
    core::JsonReader reader;
    core::JsonType<T>::read(*document, value, reader);
    if (!reader.errors().empty()) return tl::unexpected(core::validation_problem(reader.errors()));
    if (strict && !reader.unknown().empty()) return of_another_release("it has the member " + reader.unknown().front());
    return value;
}

}  // namespace

CallMessage message_of(operations::Call const& call, std::string client_address) {
    auto const& caller = *call.caller;
    auto const& cause = call.meta.cause;
    CallMessage message;
    message.verb = call.operation.name;
    message.credential = caller.credential_type;
    message.credentialId = caller.credential_id;
    message.credentialOrganization = caller.organization;
    message.organization = call.meta.organization;
    message.sandbox = call.meta.sandbox;
    message.requestId = call.meta.request_id;
    message.clientAddress = std::move(client_address);
    message.channel = cause.channel;
    message.clientId = cause.client_id;
    message.correlationId = cause.correlation_id;
    message.eventId = cause.event_id;
    message.runId = cause.run_id;
    message.depth = cause.depth;
    if (!cause.tool.empty()) message.tool = cause.tool;
    if (!cause.dedupe_key.empty()) message.dedupeKey = cause.dedupe_key;
    if (call.meta.session != 0) message.session = call.meta.session;
    for (auto const& parameter : call.input.path) {
        NamedValue value{std::string(parameter.name), {}, {}};
        if (parameter.id > 0) {
            value.id = parameter.id;
        } else {
            value.text = parameter.text;
        }
        message.path.push_back(std::move(value));
    }
    for (auto const& [name, text] : call.input.parameters) message.parameters.push_back({name, {}, text});
    message.answer = operations::info(call.input.answer).name;
    if (call.input.body && !*call.input.body) {
        auto const& problem = call.input.body->error();
        message.bodyProblem = {std::string(core::info(problem.code).name), problem.message, problem.details,
                               std::string(problem.suggestion)};
    }
    if (call.meta.idempotency) {
        message.idempotency = {call.meta.idempotency->key, call.meta.idempotency->fingerprint};
    }
    message.expectedVersions = call.meta.expected_versions;
    return message;
}

core::Result<commands::Cause> cause_of(CallMessage const& message) {
    auto const channel = std::ranges::find(kChannels, message.channel);
    if (channel == kChannels.end()) return of_another_release("it does not know the channel");
    return commands::Cause{.channel = *channel,
                           .client_id = message.clientId,
                           .correlation_id = message.correlationId,
                           .event_id = message.eventId,
                           .run_id = message.runId,
                           .depth = message.depth,
                           .tool = message.tool.value_or(""),
                           .dedupe_key = message.dedupeKey.value_or("")};
}

core::Result<operations::RawInput> input_of(CallMessage const& message, operations::Operation const& operation,
                                            std::string_view body) {
    operations::RawInput input;
    if (message.path.size() > operations::PathParameters::kMost) return of_another_release("the path is another one");
    for (auto const& value : message.path) {
        input.path.add({lasting(value.name), value.id.value_or(0), value.text.value_or("")});
    }
    for (auto const& value : message.parameters) input.parameters.emplace(value.name, value.text.value_or(""));
    auto const type = std::ranges::find(kTypes, message.answer, [](auto each) { return operations::info(each).name; });
    if (type == kTypes.end()) return of_another_release("it does not know the answer's media type");
    input.answer = *type;
    if (message.bodyProblem) {
        auto const& problem = *message.bodyProblem;
        auto const code = core::parse_code(problem.code);
        if (!code) return of_another_release("it does not know the error " + problem.code);
        input.body.emplace(tl::unexpected(core::Problem{*code, problem.message, problem.details, problem.suggestion}));
    } else {
        input.body.emplace(parse_text(body, operation.http.takes));
    }
    return input;
}

std::chrono::steady_clock::time_point deadline_of(CallMessage const& message) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kLongest = std::chrono::hours(1);
    if (!message.waitsMs) return Clock::time_point::max();
    return Clock::now() + std::clamp(std::chrono::milliseconds(*message.waitsMs), {}, kLongest);
}

std::string write_call(CallMessage const& message, std::string_view body) {
    auto text = core::to_json(message);
    text += '\n';
    text += body;
    return text;
}

core::Result<std::pair<CallMessage, std::string_view>> read_call(std::string_view text) {
    auto const [line, body] = split(text);
    auto message = read_line<CallMessage>(line, true);
    if (!message) return of_another_release(message.error().message);
    return std::pair(*std::move(message), body);
}

std::string write_answer(CallAnswer const& answer) {
    auto const& outcome = answer.outcome;
    OutcomeMessage message{.status = outcome.status,
                           .refused = {},
                           .version = outcome.version,
                           .location = outcome.location,
                           .replayed = outcome.replayed,
                           .facility = outcome.facility,
                           .marker = std::string(outcome.marker),
                           .warnings = answer.warnings};
    if (outcome.refused) message.refused = core::info(*outcome.refused).name;
    auto text = core::to_json(message);
    text += '\n';
    text += outcome.body;
    return text;
}

core::Result<CallAnswer> read_reply(net::Reply const& reply) {
    // All but what a handler failed at was refused before anything was done.
    if (reply.status != 200 && reply.status != 500) {
        if (reply.status != 503) {
            core::log(core::Level::warn, "another process refused a call",
                      {{"status", static_cast<std::int64_t>(reply.status)}});
        }
        return core::refuse(Code::service_unavailable, "The process that serves this organization refused the call.");
    }
    auto const [line, body] = split(reply.body);
    auto const message =
        reply.status == 200 ? read_line<OutcomeMessage>(line, false) : core::refuse(Code::internal_error, reply.body);
    if (!message) {
        core::log(core::Level::error, "another process's answer to a call can't be read",
                  {{"status", static_cast<std::int64_t>(reply.status)}, {"error", message.error().message}});
        return core::refuse(Code::internal_error, "Something went wrong on our side.");
    }
    CallAnswer answer{.outcome = {.status = static_cast<std::uint16_t>(message->status),
                                  .body = std::string(body),
                                  .version = message->version,
                                  .location = message->location,
                                  .replayed = message->replayed,
                                  .facility = message->facility,
                                  .marker = lasting(message->marker)},
                      .warnings = message->warnings};
    if (message->refused) answer.outcome.refused = core::parse_code(*message->refused).value_or(Code::internal_error);
    return answer;
}

}  // namespace workforce::api
