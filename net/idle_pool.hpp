// Connections that are kept for the next who needs one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace workforce::net {

/// Keeps connections by peer and io_context, those that were idle longest at the front. Thread-safe; connections are
/// closed outside of the lock. One that was idle for too long is not given out, and is closed at the next call.
template <class Connection>
class IdlePool {
   public:
    /// A peer's name, and the io_context on which its connection is.
    using Key = std::pair<std::string, void const*>;
    using Clock = std::chrono::steady_clock;
    struct Limits {
        std::size_t most = 256;
        std::size_t most_of_key = 64;
        std::chrono::milliseconds idle{20'000};  ///< below the time after which servers close an idle connection
    };

    explicit IdlePool(Limits limits) : limits_(limits) {}

    /// The connection of that key which was used last and which `fits`; null where there is none. Those that don't fit
    /// are closed.
    template <class Fits>
    std::unique_ptr<Connection> take(Key const& key, Fits fits) {
        while (auto connection = take_last(key)) {
            if (fits(*connection)) return connection;
        }
        return nullptr;
    }
    /// Keeps it, or closes it where there are enough of the key; where there are enough of all, the oldest goes.
    void keep(Key const& key, std::unique_ptr<Connection> connection) {
        std::vector<Entry> ended;
        std::lock_guard const lock(mutex_);  // ends before `ended` does
        take_expired(ended);
        auto const same = std::count_if(entries_.begin(), entries_.end(), [&](auto& e) { return e.key == key; });
        if (closed_ || static_cast<std::size_t>(same) >= limits_.most_of_key) return;
        if (entries_.size() >= limits_.most) {
            ended.push_back(std::move(entries_.front()));
            entries_.erase(entries_.begin());
        }
        entries_.push_back({key, std::move(connection), Clock::now()});
    }
    /// Closes all of that key.
    void drop(Key const& key) {
        std::vector<Entry> ended;
        std::lock_guard const lock(mutex_);
        for (auto& entry : entries_) {
            if (entry.key == key) ended.push_back(std::move(entry));
        }
        std::erase_if(entries_, [](auto const& entry) { return entry.connection == nullptr; });
    }
    /// Closes all, and keeps none from now on.
    void close() {
        std::vector<Entry> ended;
        std::lock_guard const lock(mutex_);
        closed_ = true;
        ended.swap(entries_);
    }
    [[nodiscard]] std::size_t size() const {
        std::lock_guard const lock(mutex_);
        return entries_.size();
    }

   private:
    struct Entry {
        Key key;
        std::unique_ptr<Connection> connection;
        Clock::time_point since;
    };

    std::unique_ptr<Connection> take_last(Key const& key) {
        std::vector<Entry> ended;
        std::lock_guard const lock(mutex_);
        take_expired(ended);
        auto const found = std::find_if(entries_.rbegin(), entries_.rend(), [&](auto& e) { return e.key == key; });
        if (found == entries_.rend()) return nullptr;
        auto connection = std::move(found->connection);
        entries_.erase(std::next(found).base());
        return connection;
    }
    void take_expired(std::vector<Entry>& ended) {
        auto const oldest = Clock::now() - limits_.idle;
        auto const first = std::find_if(entries_.begin(), entries_.end(), [&](auto& e) { return e.since > oldest; });
        std::move(entries_.begin(), first, std::back_inserter(ended));
        entries_.erase(entries_.begin(), first);
    }

    Limits const limits_;
    mutable std::mutex mutex_;  // guards what follows
    bool closed_ = false;
    std::vector<Entry> entries_;
};

}  // namespace workforce::net
