// When sessions were used last: gathered, and written now and then.
#pragma once

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

   private:
    static constexpr std::size_t kMost = 100'000;

    workers::SessionStore& store_;
    std::mutex mutex_;
    std::unordered_set<core::Id> used_;
};

}  // namespace workforce::api
