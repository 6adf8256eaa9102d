// Leases of keys' windows.
#include "api/credentials/key_limits.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>

#include "core/database.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::api {
namespace {

using std::chrono::milliseconds;
using Taken = RateBucket::Taken;

/// So often whoever waits for others' requests looks whether some came back.
constexpr milliseconds kLookEvery{20};

boost::asio::awaitable<void> pause_for(KeyLimits::Clock::duration time) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
    co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace

/// A request that waits for what other processes hold.
class KeyLimits::Waiting {
   public:
    Waiting(KeyLimits& limits, Id key, Clock::time_point until) : limits_(limits), key_(key), until(until) {}
    Waiting(Waiting const&) = delete;
    Waiting& operator=(Waiting const&) = delete;
    ~Waiting() {
        std::lock_guard const lock(limits_.mutex_);
        --limits_.buckets_.at(key_).waiting;
    }

   private:
    KeyLimits& limits_;
    Id const key_;

   public:
    Clock::time_point const until;
};

KeyLimits::KeyLimits(RateExchange exchange, std::function<bool()> alone, Clock::time_point (*now)())
    : exchange_(std::move(exchange)),
      alone_(std::move(alone)),
      now_(now),
      contacts_([this](std::vector<Wanted> batch) { return contact(std::move(batch)); }) {}

void KeyLimits::stop() {
    contacts_.stop(std::make_exception_ptr(core::DatabaseUnavailable("this process is stopping")));
}

KeyLimits::Stats KeyLimits::stats() const {
    std::lock_guard const lock(mutex_);
    return stats_;
}

KeyLimits::Verdict KeyLimits::judge(bool granted, Id key, RateBucket& bucket, std::int64_t limit,
                                    Clock::time_point now) {
    ++(granted ? stats_.granted : stats_.refused);
    if (!granted && bucket.first_refusal()) {
        core::log(core::Level::info, "an API key has used up the requests of its window",
                  {{"key", key}, {"limit", limit}});
    }
    return {granted, bucket.state(now, limit)};
}

std::optional<KeyLimits::Verdict> KeyLimits::try_take(Id key, std::int64_t limit) {
    std::lock_guard const lock(mutex_);
    auto const found = buckets_.find(key);
    if (found == buckets_.end()) return std::nullopt;
    auto const now = now_();
    auto& bucket = found->second.bucket;
    auto const taken = bucket.take(now, limit);
    if (taken != Taken::yes && taken != Taken::no) return std::nullopt;
    return judge(taken == Taken::yes, key, bucket, limit, now);
}

bool KeyLimits::exhausted(Id key, std::int64_t limit) const {
    std::lock_guard const lock(mutex_);
    auto const found = buckets_.find(key);
    return found != buckets_.end() && found->second.bucket.exhausted(now_(), limit);
}

boost::asio::awaitable<KeyLimits::Verdict> KeyLimits::take(Id key, std::int64_t limit) {
    std::optional<Waiting> waiting;
    bool last_look = false;
    for (;;) {
        Clock::duration pause{};
        {
            std::lock_guard const lock(mutex_);
            auto const now = now_();
            auto& [bucket, waiters] = buckets_[key];
            auto const taken = bucket.take(now, limit);
            bool const decided = taken == Taken::yes || taken == Taken::no;
            if (decided) co_return judge(taken == Taken::yes, key, bucket, limit, now);
            if (taken == Taken::wait) {
                // No more wait than others hold requests.
                bool const vain = waiting ? last_look : alone_() || waiters >= bucket.others();
                if (vain) co_return judge(false, key, bucket, limit, now);
                if (!waiting) {
                    ++waiters;
                    ++stats_.waits;
                    waiting.emplace(*this, key, now + kPatience);
                }
                last_look = now >= waiting->until;
                pause = std::min(waiting->until, bucket.contacted() + kLookEvery) - now;
            }
        }
        if (pause > Clock::duration(0)) {
            co_await pause_for(pause);
        } else {
            co_await contacts_.submit({key, limit});
        }
    }
}

boost::asio::awaitable<std::vector<bool>> KeyLimits::contact(std::vector<Wanted> batch) {
    std::map<Id, std::int64_t> most;
    for (auto const& wanted : batch) most[wanted.key] = std::max(most[wanted.key], wanted.most);
    std::vector<RateContact> told;
    told.reserve(most.size());
    {
        std::lock_guard const lock(mutex_);
        for (auto const& [key, limit] : most) told.push_back(buckets_[key].bucket.contact(key, limit, now_()));
    }
    co_await exchange(std::move(told));
    co_return std::vector<bool>(batch.size(), true);
}

boost::asio::awaitable<void> KeyLimits::exchange(std::vector<RateContact> told) {
    std::ranges::sort(told, {}, &RateContact::key);
    auto const leases = co_await exchange_(told);
    std::lock_guard const lock(mutex_);
    ++stats_.contacts;
    for (auto const& lease : leases) {
        auto const of = std::ranges::lower_bound(told, lease.key, {}, &RateContact::key);
        buckets_[lease.key].bucket.settle(*of, lease, now_());
    }
}

boost::asio::awaitable<void> KeyLimits::give_idle_back() {
    std::vector<RateContact> idle;
    {
        std::lock_guard const lock(mutex_);
        auto const now = now_();
        std::erase_if(buckets_,
                      [&](auto const& entry) { return entry.second.bucket.over(now) && entry.second.waiting == 0; });
        if (alone_()) co_return;
        for (auto& [key, held] : buckets_) {
            if (held.bucket.idle(now, kIdle)) idle.push_back(held.bucket.contact(key, 0, now));
        }
    }
    if (idle.empty()) co_return;
    co_await exchange(std::move(idle));
}

boost::asio::awaitable<void> KeyLimits::give_all_back() {
    std::vector<RateContact> told;
    {
        std::lock_guard const lock(mutex_);
        auto const now = now_();
        for (auto& [key, held] : buckets_) {
            if (held.bucket.idle(now, milliseconds(0))) told.push_back(held.bucket.contact(key, 0, now));
        }
    }
    if (told.empty()) co_return;
    try {
        co_await exchange(std::move(told));
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::warn),
                  "requests that were leased for API keys could not be given back", {{"error", error.what()}});
    }
}

}  // namespace workforce::api
