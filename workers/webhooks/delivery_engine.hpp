// Sends what is due to subscribers: thousands at once, a few of each subscription, and records what came of it.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/database.hpp"
#include "core/metrics.hpp"
#include "events/keyring.hpp"
#include "workers/jobs/due_job.hpp"
#include "workers/reactors/reactor.hpp"
#include "workers/store/signing_secrets.hpp"
#include "workers/webhooks/delivery_store.hpp"
#include "workers/webhooks/sender.hpp"

namespace workforce::workers {

/// What the engine works with; all of it outlives it.
struct DeliveryParts {
    core::Database& writes;  ///< sessions of role workforce_writer, for deliveries alone
    events::Keyring& keyring;
    SigningSecretStore const& secrets;
    WebhookSender const& sender;
    AskOperation ask;
    std::string owner;  ///< names this process among those that live
    JobClock clock = database_time;
};

/// Bounds of the engine.
struct DeliveryLimits {
    int at_once = 4;                      ///< deliveries of a subscription that are under way (domain 7.2)
    int at_once_failing = 1;              ///< of one whose last attempt failed, so that dead receivers hold little
    int queues = 4000;                    ///< subscriptions that this process has at a time
    int fetched = 64;                     ///< deliveries of a subscription that wait in memory
    std::chrono::milliseconds pause{20};  ///< between looks for what is due
};

/// What the engine did since its start.
struct DeliveryStats {
    std::atomic<std::uint64_t> succeeded{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<std::uint64_t> abandoned{0};
    std::atomic<std::int64_t> under_way{0};
    std::atomic<std::int64_t> queues{0};
};

/// The delivery engine of a process. Its coroutines run on one executor of one thread, which run() is started on.
class DeliveryEngine {
   public:
    DeliveryEngine(DeliveryParts parts, DeliveryLimits limits = {});
    DeliveryEngine(DeliveryEngine const&) = delete;
    DeliveryEngine& operator=(DeliveryEngine const&) = delete;
    ~DeliveryEngine();

    /// Sends until stop(); returns once nothing is under way any more and all is recorded, for ten seconds at most.
    boost::asio::awaitable<void> run();
    /// Has run() come to its end. To be called on its executor.
    void stop();

    [[nodiscard]] DeliveryStats const& stats() const { return stats_; }
    /// Seconds that attempts take are observed there.
    void observe(prometheus::Histogram& attempt) { attempt_ = &attempt; }

   private:
    using Clock = std::chrono::steady_clock;

    /// A subscription that this process has.
    struct Lane {
        std::int64_t failures = 0;
        DeliveryTarget target;
        SigningSecrets secrets;
        std::deque<DueDelivery> waiting;
        std::vector<core::Id> under_way;
        std::optional<core::Timestamp> delivered_at;
        bool giving_up = false;             ///< the system is about to disable it
        Clock::time_point give_up_again{};  ///< not before
        bool touched = false;               ///< there is something to record
    };

    boost::asio::awaitable<void> look();
    boost::asio::awaitable<void> renew();
    boost::asio::awaitable<void> lease();
    /// Has nothing wait in memory: it is still due in the database.
    void put_back();
    boost::asio::awaitable<void> fetch();
    struct Fetched;
    /// What is due of these, and what it is sent by. Blocks.
    Fetched read_due(core::Connection& connection, std::vector<core::Id> const& webhooks, std::vector<int> const& rooms,
                     core::Timestamp at) const;
    void take_in(Fetched fetched, std::vector<core::Id> const& webhooks);
    boost::asio::awaitable<void> record();
    /// Begins nothing more of a lane until it was asked to have the subscription disabled.
    static void hold(Lane& lane);
    /// Begins what may begin of a lane.
    void begin(Lane& lane);
    boost::asio::awaitable<void> attempt(DueDelivery delivery, DeliveryTarget target, SigningSecrets secrets);
    boost::asio::awaitable<void> give_up(DueDelivery delivery, std::string last_error);
    void finish(AttemptRecord record);
    [[nodiscard]] int room(Lane const& lane) const;
    [[nodiscard]] AttemptRecord judged(DueDelivery delivery, AttemptResult result, core::Timestamp at) const;
    [[nodiscard]] core::Timestamp now() const;
    void wake();

    DeliveryParts const parts_;
    DeliveryLimits const limits_;
    std::map<core::Id, Lane> lanes_;
    std::vector<AttemptRecord> records_;
    std::set<core::Id> made_;  // deliveries whose attempts are not recorded yet: they are still due in the database
    QueueShare share_;
    core::Timestamp looked_at_{};      // by the database's clock, or a test's
    Clock::time_point looked_here_{};  // the same moment
    Clock::time_point renewed_at_{};
    std::unique_ptr<boost::asio::steady_timer> timer_;
    bool stopping_ = false;
    bool woken_ = false;
    int giving_up_ = 0;
    DeliveryStats stats_;
    prometheus::Histogram* attempt_ = nullptr;
};

/// Shows what the engine, which outlives the metrics' last rendering, did and does.
void export_deliveries(core::Metrics& metrics, DeliveryEngine const& engine);

}  // namespace workforce::workers
