// What every event carries besides its data: the CloudEvents attributes and this log's extensions.
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/time.hpp"
#include "events/aggregate.hpp"

namespace workforce::events {

using core::Date;
using core::TimeOfDay;
using core::Timestamp;

enum class ActorType : std::uint8_t { user, api_key, oauth, agent, system };
BOOST_DESCRIBE_ENUM(ActorType, user, api_key, oauth, agent, system)

/// Who caused an event: the credential's kind and id, and the user behind it (0: nobody).
struct Actor {
    ActorType type = ActorType::system;
    Id id = 0;
    Id user = 0;
};

/// The attributes of one event. Fields that do not apply keep their zero and are absent on the wire.
struct Envelope {
    std::string id;            ///< UUIDv7
    std::string type;          ///< "shift.posted"
    std::int32_t version = 1;  ///< version of the data's schema
    Timestamp time;            ///< never before the event ahead of it in the partition
    AggregateRef subject;
    Id organization = 0;
    Id facility = 0;  ///< 0: of no facility
    /// Of what happens to a staff member, or to a credential of theirs: the person's own facilities as it leaves them.
    /// Events that were written before there was this say nothing here.
    std::vector<Id> facilities;
    bool sandbox = false;
    std::int64_t seq = 0;  ///< the aggregate's version after this event, from 1; 0 for `command`
    Actor actor;
    Id credential = 0;      ///< API key behind the actor
    std::string client_id;  ///< OAuth client through which the actor asked
    std::string channel;    ///< how it was asked for: "rest", "mcp", "agent" or "session"
    std::string verb;       ///< the operation that was asked for: "shifts.assign"
    std::string request_id;
    std::string causation_id;  ///< event that led to the command
    std::string run_id;
    std::string correlation_id;    ///< request id of the first cause, where that is another request
    std::int32_t depth = 0;        ///< agent-caused hops
    std::string idempotency_key;   ///< digest of credential lineage, sandbox flag and the client's key
    std::string idempotency_hash;  ///< fingerprint of the request
    // Since revision 2 of the envelope, of events that may be an outcome (events/outcomes.hpp) alone.
    std::string outcome;          ///< that the event is for usage and billing, or kNoOutcome; empty: an older envelope
    std::string credential_type;  ///< of an outcome: "live", "pat", "oauth", "session" and so on
    std::string tool;             ///< of an outcome through MCP: the tool that was called
    std::string dedupe_key;       ///< likewise: what a repeat of the call has in common with it, in hexadecimal digits
    // The log's own: who wrote it and where it stands.
    std::int64_t epoch = 0;
    std::int64_t position = 0;
    std::string previous_hash;       ///< lower-case hex SHA-256 of the record before, 64 zeros at position 0
    std::int32_t command_index = 1;  ///< i of n within the command
    std::int32_t command_count = 1;

    /// The request id of the first cause: the event's own, unless another request led to it.
    [[nodiscard]] std::string const& correlation() const {
        return correlation_id.empty() ? request_id : correlation_id;
    }
};

}  // namespace workforce::events
