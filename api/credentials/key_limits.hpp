// Limits of API keys, exact over all processes.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/credentials/rate_bucket.hpp"
#include "core/batcher.hpp"

namespace workforce::api {

/// Tells the table of several keys, each named once, by one statement, and returns what stands then; nothing of a key
/// whose window is over and for which no request is wanted. Errors: core::DatabaseUnavailable, core::DatabaseBusy.
using RateExchange = std::function<boost::asio::awaitable<std::vector<RateLease>>(std::vector<RateContact>)>;

/// Each process lets requests in from what it leased of the key's window: most requests meet no table, and all
/// processes together let in no more than the limit. Thread-safe; it outlives the executors of those who call it.
class KeyLimits {
   public:
    using Clock = std::chrono::steady_clock;
    /// A request that finds all of a window granted waits so long at most for what other processes give back.
    static constexpr std::chrono::milliseconds kPatience{300};
    /// What a key has not used for so long goes back, unless this process is alone.
    static constexpr std::chrono::milliseconds kIdle{250};

    /// Whether the request may go on.
    struct Verdict {
        bool granted = false;
        RateState state{};
    };
    /// Counts since the start.
    struct Stats {
        std::uint64_t granted = 0;
        std::uint64_t refused = 0;
        std::uint64_t contacts = 0;  ///< statements
        std::uint64_t waits = 0;     ///< requests that waited for what others hold
    };

    /// `alone`: whether no other process answers requests; called under the limits' lock, so it must not block.
    explicit KeyLimits(RateExchange exchange, std::function<bool()> alone, Clock::time_point (*now)() = &Clock::now);
    KeyLimits(KeyLimits const&) = delete;
    KeyLimits& operator=(KeyLimits const&) = delete;

    /// The verdict on a request of the key, where this process knows it. `limit`: at least 1.
    std::optional<Verdict> try_take(Id key, std::int64_t limit);
    /// The verdict, for which the table may be asked. Errors: as RateExchange; then no request was let in.
    boost::asio::awaitable<Verdict> take(Id key, std::int64_t limit);

    /// Whether try_take() would refuse a request of the key. Counts nothing.
    [[nodiscard]] bool exhausted(Id key, std::int64_t limit) const;

    /// Gives back what lies idle; to be done every some milliseconds. Errors: as RateExchange.
    boost::asio::awaitable<void> give_idle_back();
    /// Gives all back, once no request comes any more. Trouble with the table is logged: then the rest of the window's
    /// requests are lost to all.
    boost::asio::awaitable<void> give_all_back();

    /// Ends all that wait for the table with core::DatabaseUnavailable. Call it while their io_contexts still exist.
    void stop();

    [[nodiscard]] Stats stats() const;

   private:
    struct Held {
        RateBucket bucket;
        std::int64_t waiting = 0;  ///< requests
    };
    struct Wanted {
        Id key = 0;
        std::int64_t most = 0;
    };
    class Waiting;

    /// Under the mutex.
    Verdict judge(bool granted, Id key, RateBucket& bucket, std::int64_t limit, Clock::time_point now);
    boost::asio::awaitable<std::vector<bool>> contact(std::vector<Wanted> batch);
    boost::asio::awaitable<void> exchange(std::vector<RateContact> told);

    RateExchange const exchange_;
    std::function<bool()> const alone_;
    Clock::time_point (*const now_)();
    core::Batcher<Wanted, bool> contacts_;
    mutable std::mutex mutex_;  // guards what follows
    std::unordered_map<Id, Held> buckets_;
    Stats stats_;
};

}  // namespace workforce::api
