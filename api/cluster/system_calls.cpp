// Requests of the installation as calls.
#include "api/cluster/system_calls.hpp"

#include <utility>

#include "core/canonical_json.hpp"
#include "core/crypto.hpp"
#include "core/ids.hpp"

namespace workforce::api {
namespace {

/// With the search for an owner less than what a reactor has for its work (workers::kWorkLease).
constexpr std::chrono::seconds kLimit{6};
/// Likewise of what asks somebody outside (workers::kOutsideWorkLease), who has 20 s.
constexpr std::chrono::seconds kOutsideLimit{25};

std::chrono::milliseconds limit_of(std::string_view verb) {
    auto const* const operation = find_operation(verb);
    return operation != nullptr && operation->asks_provider ? kOutsideLimit : kLimit;
}

}  // namespace

CallMessage SystemCalls::message_of(workers::OperationRequest const& request) const {
    CallMessage message;
    message.verb = request.verb;
    message.credential = events::ActorType::system;
    message.organization = request.organization;
    message.sandbox = request.sandbox;
    message.requestId = core::request_id();
    message.correlationId = request.correlation_id;
    message.eventId = request.event_id;
    message.answer = operations::info(operations::MediaType::json).name;
    if (request.id > 0) message.path.push_back({"id", request.id, {}});
    // Clients' keys are digests of "key/…" and "user/…".
    message.idempotency =
        IdempotencyDigests{core::keyed_digest(secret_, "system " + request.key),
                           core::keyed_digest(secret_, request.verb + ' ' + std::to_string(request.id) + '\n' +
                                                           core::canonical_json(request.body))};
    return message;
}

boost::asio::awaitable<core::Result<workers::OperationAnswer>> SystemCalls::submit(workers::OperationRequest request) {
    auto const message = message_of(request);
    auto const limit = limit_of(request.verb);
    auto const home = co_await processor_.homes().find(request.organization);
    if (home < 0) co_return core::refuse(core::Code::not_found, "There is no such organization.");
    auto const here = [&] { return local_ != nullptr && processor_.owns(home); };
    core::Result<CallAnswer> answer = CallAnswer{};
    std::optional<OwnerAnswer> owner_answer;
    if (!here()) {
        auto sent = co_await cluster_.send_to_owner(home, {.message = message, .body = request.body, .limit = limit},
                                                    here, workers::kLeaseLife);
        if (!sent) co_return tl::unexpected(sent.error());
        owner_answer = *std::move(sent);
    }
    if (owner_answer) {
        answer = *std::move(owner_answer->answer);
    } else {
        answer = co_await local_->run(message, request.body, std::chrono::steady_clock::now() + limit);
    }
    if (!answer) co_return tl::unexpected(answer.error());
    auto& outcome = answer->outcome;
    if (outcome.status >= 500 || outcome.refused == core::Code::idempotency_in_progress) {
        bool const nothing_done = outcome.refused == core::Code::service_unavailable;
        co_return core::refuse(nothing_done ? core::Code::service_unavailable : core::Code::log_unavailable,
                               "The operation is to be asked for again under the same key.");
    }
    co_return workers::OperationAnswer{outcome.status, std::move(outcome.body), outcome.refused};
}

}  // namespace workforce::api
