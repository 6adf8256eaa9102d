// Deliveries in the database: who sends a subscription's, what is due, and what became of attempts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.hpp"
#include "core/text.hpp"
#include "core/time.hpp"
#include "workers/webhooks/sender.hpp"

namespace workforce::workers {

/// How long a process has a subscription's deliveries for itself: longer than an attempt, so that nobody else makes the
/// same one.
inline constexpr std::chrono::seconds kQueueLease{20};

/// A subscription whose deliveries this process sends.
struct LeasedQueue {
    core::Id webhook = 0;
    std::int64_t failures = 0;  ///< attempts since the last that succeeded
};

/// Which share of the subscriptions a process leases: those whose id leaves `rest` by `parts`, and any that nobody else
/// takes.
struct QueueShare {
    std::string owner;  ///< the process
    int parts = 1;
    int rest = 0;
};

/// What all subscribers of an event are sent.
struct DeliveryBody {
    std::optional<std::string> bytes;  ///< nothing: whoever it named was erased
    std::string correlation_id;        ///< of the event's first cause
};

/// A delivery that is due.
struct DueDelivery {
    core::Id id = 0;
    core::Id organization = 0;
    core::Id webhook = 0;
    std::string event_id;
    std::string event_type;
    core::Timestamp body_at{};
    std::string trigger;  ///< event, retry or manual
    int attempt = 1;
    std::shared_ptr<DeliveryBody const> body;  ///< null: it is kept no longer
};

/// What is recorded of an attempt, and what follows from it.
struct AttemptRecord {
    DueDelivery delivery;  ///< its body is not looked at
    std::string status;    ///< succeeded, failed, abandoned or skipped
    AttemptResult result{};
    core::Timestamp at{};
    std::optional<core::Timestamp> next{};  ///< of the next attempt
    bool exhausted = false;                 ///< it was the last: the subscription is to be given up
    bool sandbox = false;
};

/// How a subscription's queue stands once attempts are recorded.
struct QueueState {
    core::Id webhook = 0;
    std::int64_t failures = 0;
    std::optional<core::Timestamp> delivered_at{};  ///< when the last attempt was made; nothing: as it was
    bool release = false;                           ///< give it back, unless something is due by now and may be sent
};

/// Processes that send deliveries now, in an order that all agree on. Blocks, as all functions here. Errors: pqxx's.
std::vector<std::string> delivering_processes(core::Connection& connection);

/// Takes subscriptions for which something is due, at most so many; none while the reactor is paused.
std::vector<LeasedQueue> lease_queues(core::Connection& connection, QueueShare const& share, core::Timestamp now,
                                      int most);
/// Keeps them for longer. Returns those that are still this process's.
std::vector<core::Id> renew_queues(core::Connection& connection, std::string_view owner,
                                   std::vector<core::Id> const& webhooks);
/// Those of these subscriptions that are not at these versions any more, or whose organization is not active.
std::vector<core::Id> changed_subscriptions(core::Connection& connection,
                                            std::map<core::Id, std::int64_t> const& versions);
/// Gives all of the process's back.
void release_queues(core::Connection& connection, std::string_view owner);

/// What came of recording.
struct Recorded {
    std::vector<core::Id> given_back{};  ///< subscriptions
    std::set<core::Id> gone{};           ///< attempts whose deliveries were there no more: nothing follows from them
};

/// Records attempts and what follows, in one transaction, or in one statement where no queue is told of: deliveries
/// that succeeded or were the last leave, others are due again. A delivery that was abandoned meanwhile stays so, and
/// what another process recorded as a success does, too.
Recorded record_attempts(core::Connection& connection, std::string_view owner, std::span<AttemptRecord const> attempts,
                         std::vector<QueueState> queues, core::Timestamp now);

/// What the newest attempt of that event to that subscription failed by, but for those that somebody asked for.
std::string last_error(core::Connection& connection, core::Id webhook, std::string_view event);

/// Locks the queues of subscriptions until the session's transaction ends, in the order of their ids. Who changes
/// deliveries that their senders may be recording does so first, so that neither waits for the other for ever.
void lock_queues(core::Connection& connection, std::vector<core::Id> const& webhooks);

/// Records an attempt that no queue made: a test.
void record_test(core::Connection& connection, AttemptRecord const& attempt);

/// An id for an attempt that is to be made.
core::Id take_delivery_id(core::Connection& connection);

/// Which events are sent to a subscription once more.
struct ReplayFilter {
    core::Id webhook = 0;
    core::Id organization = 0;
    core::Timestamp since{};
    core::Timestamp until{};
    std::vector<std::string> types;      ///< "*": all
    std::optional<core::Id> facility{};  ///< the subscription's
    std::vector<core::Id> facilities{};  ///< of which alone its creator may hear; empty: of all
    bool only_failed = false;            ///< of those whose last attempt failed
};
/// How many these are, one more than a replay may send at most.
std::int64_t count_replay(core::Connection& connection, ReplayFilter const& filter);

/// Subscriptions of all organizations that are in trouble.
struct TroubledSubscriptions {
    std::int64_t failing = 0;   ///< active, and their last attempt failed
    std::int64_t disabled = 0;  ///< given up, and not enabled again
};
TroubledSubscriptions count_troubled(core::Connection& connection);

/// Makes the partitions of the days to come, and drops those that are over for so many days.
void keep_webhook_partitions(core::Connection& connection, int kept_days);

}  // namespace workforce::workers
