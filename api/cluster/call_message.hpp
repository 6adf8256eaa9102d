// A call on its way to the process that writes its organization's partition, and the outcome on its way back: one line
// of JSON, then the body as it is. Both are between processes of one installation, maybe of two releases: a receiver
// refuses what it does not know, and each release announces which revision it takes (workers::Process::calls).
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/envelope.hpp"
#include "operations/call.hpp"

namespace workforce::api {

/// The channels by which calls come. In that of tools the rights of a key's user bound it.
using operations::kRestChannel;
using operations::kToolChannel;

/// Where calls are sent to, on the admin listener.
inline constexpr std::string_view kCallPath = "/internal/calls";

/// The longest call: the largest body of any row, and the message before it.
inline constexpr std::uint64_t kMaxCall = 16 << 20;

struct NamedValue {
    std::string name;
    std::optional<core::Id> id;
    std::optional<std::string> text;
};
BOOST_DESCRIBE_STRUCT(NamedValue, (), (name, id, text))

/// A body that the adapter could not read. The write side is to tell a repeated key first, so it travels like one.
struct BodyProblem {
    std::string code;
    std::string message;
    std::string details;
    std::string suggestion;
};
BOOST_DESCRIBE_STRUCT(BodyProblem, (), (code, message, details, suggestion))

struct IdempotencyDigests {
    std::string key;
    std::string fingerprint;
};
BOOST_DESCRIBE_STRUCT(IdempotencyDigests, (), (key, fingerprint))

/// What a call is made of, but for the body.
struct CallMessage {
    std::string verb;
    events::ActorType credential = events::ActorType::system;
    core::Id credentialId = 0;
    core::Id credentialOrganization = 0;  ///< whose credential it is
    core::Id organization = 0;            ///< that the call is about
    bool sandbox = false;
    std::string requestId;
    std::string clientAddress;  ///< of who asked, for logs; empty: nobody outside
    std::string channel;
    std::string clientId;
    std::string correlationId;
    std::string eventId;
    std::string runId;
    std::int32_t depth = 0;
    std::vector<NamedValue> path;
    std::vector<NamedValue> parameters;
    std::string answer;  ///< media type of the answer
    std::optional<BodyProblem> bodyProblem;
    std::optional<IdempotencyDigests> idempotency;
    std::optional<std::vector<std::int64_t>> expectedVersions;
    std::optional<std::int64_t> waitsMs;  ///< how long the answer is waited for; since revision 3
    std::optional<std::string> tool;      ///< since workers::kToolsSince, as the next: commands::Cause
    std::optional<std::string> dedupeKey;
    std::optional<core::Id> session;  ///< since workers::kSessionsSince: CallMeta::session
    /// No handler is to run: the body's problem is what is answered where the idempotency key is new. A process that
    /// does not know this member refuses the message.
    std::optional<bool> asksOnly;
};
BOOST_DESCRIBE_STRUCT(CallMessage, (),
                      (verb, credential, credentialId, credentialOrganization, organization, sandbox, requestId,
                       clientAddress, channel, clientId, correlationId, eventId, runId, depth, path, parameters, answer,
                       bodyProblem, idempotency, expectedVersions, waitsMs, tool, dedupeKey, session, asksOnly))

/// What came of a call, but for the body.
struct OutcomeMessage {
    std::int32_t status = 200;
    std::optional<std::string> refused;  ///< the error's code
    std::int64_t version = 0;
    std::string location;
    bool replayed = false;
    core::Id facility = 0;
    std::string marker;
    std::vector<std::string> warnings;
};
BOOST_DESCRIBE_STRUCT(OutcomeMessage, (), (status, refused, version, location, replayed, facility, marker, warnings))

/// An outcome, and what the client is to be warned of.
struct CallAnswer {
    operations::Outcome outcome;
    std::vector<std::string> warnings{};
    bool appended = false;  ///< something of the call stands in the log; not part of the message
};

/// The message of a call that is ready for its handler.
CallMessage message_of(operations::Call const& call, std::string client_address);

/// The cause as the message tells it. Errors: SERVICE_UNAVAILABLE for a channel that this release does not know.
core::Result<commands::Cause> cause_of(CallMessage const& message);

/// What was sent, for the operation. `body` outlives it. Errors: SERVICE_UNAVAILABLE for what this release does not
/// know.
core::Result<operations::RawInput> input_of(CallMessage const& message, operations::Operation const& operation,
                                            std::string_view body);

/// When nobody waits any more for the answer to a message that has come just now.
std::chrono::steady_clock::time_point deadline_of(CallMessage const& message);

/// The message and the body as one text.
std::string write_call(CallMessage const& message, std::string_view body);
/// Takes that apart; the body is a view of `text`. Errors: SERVICE_UNAVAILABLE for a member that this release does not
/// know, or what is no call.
core::Result<std::pair<CallMessage, std::string_view>> read_call(std::string_view text);

/// The outcome of a write and its warnings as one text.
std::string write_answer(CallAnswer const& answer);
/// What the owner replied to a call. Errors: SERVICE_UNAVAILABLE where it did nothing and says that a retry may help;
/// INTERNAL_ERROR for what is no answer.
core::Result<CallAnswer> read_reply(net::Reply const& reply);

}  // namespace workforce::api
