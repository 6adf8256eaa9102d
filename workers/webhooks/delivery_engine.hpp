// Sends what is due to subscribers: thousands at once, a few of each subscription, and records what came of it.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/database.hpp"
#include "core/metrics.hpp"
#include "events/keyring.hpp"
#include "workers/engine/reactor.hpp"
#include "workers/jobs/due_job.hpp"
#include "workers/store/signing_secrets.hpp"
#include "workers/webhooks/due_reader.hpp"
#include "workers/webhooks/failure_log.hpp"
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
    int at_once = 4;          ///< deliveries of a subscription that are under way (domain 7.2)
    int at_once_failing = 1;  ///< of one whose last attempt failed, so that dead receivers hold little
    /// Deliveries of a subscription that are under way or not recorded yet: a crash has no more of them sent again.
    int unrecorded = 4;
    int queues = 4000;                    ///< subscriptions that this process has at a time
    int fetched = 256;                    ///< deliveries of a subscription that wait in memory, at most
    std::chrono::milliseconds pause{20};  ///< between looks for what is due
    std::chrono::milliseconds rest{250};  ///< the same, while there was nothing to do and nobody called
    std::chrono::seconds linger{1};       ///< for which a subscription without work is kept, for more may come
};

/// What the engine did since its start.
struct DeliveryStats {
    std::atomic<std::uint64_t> succeeded{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<std::uint64_t> abandoned{0};
    std::atomic<std::uint64_t> disabled{0};  ///< subscriptions that it had disabled
    std::atomic<std::int64_t> under_way{0};
    std::atomic<std::int64_t> queues{0};
};

/// The delivery engine of a process. Its coroutines run on one executor of one thread, which run() is started on.
class DeliveryEngine {
   public:
    explicit DeliveryEngine(DeliveryParts parts, DeliveryLimits limits = {});
    DeliveryEngine(DeliveryEngine const&) = delete;
    DeliveryEngine& operator=(DeliveryEngine const&) = delete;
    ~DeliveryEngine();

    /// Sends until stop(); returns once nothing is under way any more and all is recorded, for ten seconds at most.
    boost::asio::awaitable<void> run();
    /// Ends its rest, for something may be due: it looks within the pause. To be called on run()'s executor.
    void look_soon();
    /// Has run() come to its end. To be called on its executor.
    void stop();

    [[nodiscard]] DeliveryStats const& stats() const { return stats_; }
    /// Seconds that attempts take are observed there.
    void observe(prometheus::Histogram& attempt) { attempt_ = &attempt; }

   private:
    using Clock = std::chrono::steady_clock;

    /// A subscription that this process has.
    struct Lane {
        std::uint64_t serial = 0;  ///< no other lane has or had it
        std::int64_t failures = 0;
        std::shared_ptr<DeliveryTarget const> target;
        std::deque<DueDelivery> waiting;
        std::vector<core::Id> under_way;
        int unrecorded = 0;                 ///< attempts that were begun and are not recorded
        int batch = 0;                      ///< how many are fetched at a time
        bool more = false;                  ///< the last fetch left some
        bool releasing = false;             ///< it is about to be given back: nothing begins
        bool giving_up = false;             ///< the system is about to disable it
        std::string given_up_by;            ///< event of the delivery for which it was disabled; empty: none
        Clock::time_point give_up_again{};  ///< not before
        Clock::time_point busy_at{};        ///< when it last had something to send
        std::optional<core::Timestamp> delivered_at;
    };
    using Lanes = std::map<core::Id, Lane>;

    /// Where a loop waits for work.
    struct Sleeper {
        std::unique_ptr<boost::asio::steady_timer> timer;
        bool woken = false;

        void wake();
        /// Returns after that time, or once it was woken since the last sleep.
        boost::asio::awaitable<void> sleep(std::chrono::milliseconds time);
    };

    // The loop that looks for work (delivery_engine.cpp).
    boost::asio::awaitable<void> keep_looking();
    boost::asio::awaitable<void> look();
    boost::asio::awaitable<void> lease();
    boost::asio::awaitable<void> renew();
    /// Has nothing wait in memory: it is still due in the database.
    void put_back();
    boost::asio::awaitable<void> fetch();
    struct Wanted;
    void take_in(DueWork work, Wanted const& wanted);
    /// Has a lane go on if its hold was over when the fetch began.
    static void end_hold(Lane& lane, core::Id webhook, Wanted const& wanted);

    // Attempts.
    /// Begins what may begin of a lane.
    void begin(Lane& lane);
    [[nodiscard]] int room(Lane const& lane) const;
    /// Whether there was no work for it for a while.
    [[nodiscard]] bool lingered(Lane const& lane) const;
    /// How many of a lane's are fetched at a time, from what the last fetch of so many gave.
    [[nodiscard]] int next_batch(Lane const& lane, int found) const;
    boost::asio::awaitable<void> attempt(DueDelivery delivery, std::shared_ptr<DeliveryTarget const> target);
    [[nodiscard]] AttemptRecord judged(DueDelivery delivery, AttemptResult result, core::Timestamp at) const;
    void finish(AttemptRecord record);
    /// Tells operators where the receiver begins to fail or has recovered.
    void tell_health(Lane const& lane, AttemptRecord const& record, std::int64_t failures_before);
    /// Has a lane whose receiver fails hold little in memory: the rest is still due in the database.
    static void slow_down(Lane& lane);
    /// Has a lane go by its subscription as it was read. What waits since before it changed is read again.
    static void aim(Lane& lane, std::shared_ptr<DeliveryTarget const> target);
    /// Begins nothing more of a lane until it was asked to have the subscription disabled.
    static void hold(Lane& lane);

    // The loops that record (delivery_recording.cpp).
    boost::asio::awaitable<void> keep_recording(Sleeper& sleeper);
    /// False where there was nothing to record.
    boost::asio::awaitable<bool> record();
    [[nodiscard]] std::vector<QueueState> queues_to_settle();
    void recorded(std::vector<AttemptRecord> const& records, std::vector<QueueState> const& queues,
                  Recorded const& result);
    /// Asks to have the subscription disabled, for this delivery's last attempt failed.
    boost::asio::awaitable<void> give_up(DueDelivery delivery);
    /// Counts that the subscription was disabled, and tells operators, once.
    void note_disabled(DueDelivery const& delivery, std::string_view last_error);
    void not_recorded(std::vector<AttemptRecord> records, std::vector<QueueState> const& queues);

    [[nodiscard]] core::Timestamp now() const;
    /// Whether a loop may end.
    [[nodiscard]] bool is_over() const;
    /// Whether there is nothing to be done until something new is due.
    [[nodiscard]] bool has_nothing() const;
    void wake_looking();
    void wake_recording();

    DeliveryParts const parts_;
    DeliveryLimits const limits_;
    DueReader reader_;
    Lanes lanes_;
    std::uint64_t last_serial_ = 0;
    std::vector<AttemptRecord> records_;
    int recording_ = 0;             // transactions
    std::set<core::Id> touched_;    // subscriptions whose queues are to be settled some time
    std::set<core::Id> to_settle_;  // and those that are at the next occasion
    // Deliveries that may still seem due to a fetch: of attempts that are not recorded, or were since it began.
    std::set<core::Id> made_;
    std::vector<core::Id> recorded_;  // those of them that no fetch from now on finds
    QueueShare share_;
    core::Timestamp looked_at_{};      // by the database's clock, or a test's
    Clock::time_point looked_here_{};  // the same moment
    Clock::time_point leased_at_{};
    Clock::time_point renewed_at_{};
    Clock::time_point settled_at_{};
    std::optional<boost::asio::any_io_executor> executor_;  // that of run()
    Sleeper looking_;
    bool resting_ = false;
    bool called_ = false;               // look_soon(), since the last lease began
    std::array<Sleeper, 2> recorders_;  // so that one transaction waits for the disk while the next is made
    bool stopping_ = false;
    Clock::time_point stop_at_ = Clock::time_point::max();
    int giving_up_ = 0;
    DeliveryStats stats_;
    FailureLog failure_log_;
    prometheus::Histogram* attempt_ = nullptr;
};

/// Shows how many subscriptions fail and how many were given up, as of the last look (delivery_store.hpp).
void export_troubled(core::Metrics& metrics, TroubledSubscriptions const& troubled);

/// Shows what the engine, which outlives the metrics' last rendering, did and does.
void export_deliveries(core::Metrics& metrics, DeliveryEngine const& engine);

}  // namespace workforce::workers
