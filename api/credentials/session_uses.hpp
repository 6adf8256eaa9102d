// When sessions were used last: gathered, and written now and then.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <mutex>
#include <unordered_set>

#include "operations/caller.hpp"
#include "workers/store/session_store.hpp"

namespace workforce::api {

/// Thread-safe.
class SessionUses {
   public:
    explicit SessionUses(workers::SessionStore& store) : store_(store) {}

    /// Notes a request of a session; one of too many at a time is noted when it comes again.
    void note(operations::Caller const& caller);
    /// Writes what was noted. What could not be written is noted with the next request. Throws as SessionStore.
    boost::asio::awaitable<void> write();
    /// The same at the stop: what can't be written is logged.
    boost::asio::awaitable<void> write_rest();
    /// Whether the last attempt to write failed.
    [[nodiscard]] bool late() const { return late_.load(std::memory_order_relaxed); }

   private:
    static constexpr std::size_t kMost = 100'000;

    workers::SessionStore& store_;
    std::mutex mutex_;
    std::unordered_set<core::Id> used_;
    std::atomic<bool> late_{false};
};

}  // namespace workforce::api
