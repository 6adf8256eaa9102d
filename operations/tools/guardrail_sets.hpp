// The guardrails that this process knows, of the organizations whose tools it is asked to call.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/batcher.hpp"
#include "core/database.hpp"
#include "operations/tools/guardrail_set.hpp"

namespace workforce::operations {

/// How long a set is trusted that was read: from so long after the read model has it, a change of a policy binds calls
/// at every process.
inline constexpr std::chrono::milliseconds kGuardrailTrust{800};

/// Where the read model lacks what the log has for longer, no call is judged by it, and none goes on: a policy that was
/// made since is to bind. A process that dies leaves its partitions for less.
inline constexpr std::chrono::seconds kMostGuardrailLag{10};

/// Sets by organization, sandboxes apart. One that was read is used as it is for half its trust, and while it is read
/// anew; so calls of an organization that go on wait for no look-up. Thread-safe.
class GuardrailSets {
   public:
    using Set = std::shared_ptr<GuardrailSet const>;
    using Clock = std::chrono::steady_clock;

    /// `operators` sees the rows of all organizations, and outlives this.
    explicit GuardrailSets(core::Database& operators, Clock::time_point (*now)() = &Clock::now);
    GuardrailSets(GuardrailSets const&) = delete;
    GuardrailSets& operator=(GuardrailSets const&) = delete;

    /// The set by which a call is judged now. Errors: core::DatabaseUnavailable, core::DatabaseBusy: then no call is
    /// judged, and none may go on.
    boost::asio::awaitable<Set> of(Id organization, bool sandbox);
    /// The set as the read model has it now. Errors: as of().
    boost::asio::awaitable<Set> read(Id organization, bool sandbox);

    /// Ends what waits with core::DatabaseUnavailable. Call it while the callers' io_contexts still exist.
    void stop();

   private:
    using Key = std::pair<Id, bool>;
    struct Known {
        std::string state{};
        Set set{};
        Clock::time_point read_at{};
        bool refreshing = false;
    };
    struct Asked {
        Id organization = 0;
        std::string state;
    };
    /// A set under its state; none where the state was known.
    struct Found {
        std::string state{};
        Set set{};
    };
    using Finder = core::Batcher<Asked, Found>;

    boost::asio::awaitable<std::vector<Found>> find_all(std::vector<Asked> asked, bool sandbox);
    boost::asio::awaitable<Set> refresh(Key key, Known known);
    /// As refresh(), where calls go on with what is known. Never throws.
    boost::asio::awaitable<void> refresh_aside(Key key, Known known);

    core::Database& database_;
    Clock::time_point (*const now_)();
    Finder live_;
    Finder sandboxes_;
    std::mutex mutex_;  // guards what follows
    std::map<Key, Known> known_;
};

}  // namespace workforce::operations
