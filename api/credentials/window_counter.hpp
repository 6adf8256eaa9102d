// Limits that a process keeps by itself, in memory: of addresses, of people, of whoever tries to sign in.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace workforce::api {

/// Counts what each holder does in windows of one length, each from the holder's first act on. Bounded in memory: past
/// so many holders the one whose window is the oldest is forgotten. Thread-safe.
template <class Holder>
class WindowCounter {
   public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kMostHolders = 100'000;

    explicit WindowCounter(std::chrono::seconds window, std::size_t most_holders = kMostHolders,
                           Clock::time_point (*now)() = &Clock::now)
        : window_(window), most_holders_(most_holders), now_(now) {}

    /// Counts one act. Nothing where it is within the limit; else after how many seconds the window is over.
    std::optional<std::chrono::seconds> take(Holder const& holder, std::int64_t limit) {
        std::lock_guard const lock(mutex_);
        auto const now = now_();
        forget(now);
        auto const [entry, added] = counts_.try_emplace(holder, Count{now, 0});
        if (added) by_age_.emplace_back(holder);
        auto& count = entry->second;
        if (count.acts < limit) {
            ++count.acts;
            return std::nullopt;
        }
        ++refused_;
        return std::chrono::duration_cast<std::chrono::seconds>(count.since + window_ - now) + std::chrono::seconds(1);
    }

    /// Whether take() would refuse. Counts nothing.
    [[nodiscard]] bool exhausted(Holder const& holder, std::int64_t limit) const {
        std::lock_guard const lock(mutex_);
        auto const found = counts_.find(holder);
        return found != counts_.end() && found->second.acts >= limit && now_() - found->second.since < window_;
    }

    /// How many acts the holder has left, and after how many seconds its window is over.
    [[nodiscard]] std::pair<std::int64_t, std::chrono::seconds> look(Holder const& holder, std::int64_t limit) const {
        std::lock_guard const lock(mutex_);
        auto const found = counts_.find(holder);
        if (found == counts_.end()) return {limit, window_};
        auto const& count = found->second;
        return {std::max<std::int64_t>(limit - count.acts, 0),
                std::chrono::ceil<std::chrono::seconds>(count.since + window_ - now_())};
    }

    /// Acts over the limit since the start.
    [[nodiscard]] std::uint64_t refused() const {
        std::lock_guard const lock(mutex_);
        return refused_;
    }
    /// Holders that are remembered.
    [[nodiscard]] std::size_t holders() const {
        std::lock_guard const lock(mutex_);
        return counts_.size();
    }

   private:
    struct Count {
        Clock::time_point since;
        std::int64_t acts = 0;
    };

    /// Ends windows that are over, and makes room for one more holder.
    void forget(Clock::time_point now) {
        while (!by_age_.empty()) {
            auto const oldest = counts_.find(by_age_.front());
            bool const over = now - oldest->second.since >= window_;
            if (!over && counts_.size() < most_holders_) return;
            counts_.erase(oldest);
            by_age_.pop_front();
        }
    }

    std::chrono::seconds const window_;
    std::size_t const most_holders_;
    Clock::time_point (*const now_)();
    mutable std::mutex mutex_;  // guards what follows
    std::unordered_map<Holder, Count> counts_;
    std::deque<Holder> by_age_;  // of their windows
    std::uint64_t refused_ = 0;
};

}  // namespace workforce::api
