// What agents work with.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

#include "operations/agents/executor.hpp"
#include "operations/call.hpp"
#include "workers/store/password_store.hpp"

namespace workforce::operations {

/// Runs that somebody goes on with in this process, so that nobody else does at the same time. Thread-safe.
class RunsInHand {
   public:
    /// One of them, until this ends.
    class Hold {
       public:
        Hold(RunsInHand& all, Id run) : all_(&all), run_(run) {}
        Hold(Hold&& other) noexcept : all_(std::exchange(other.all_, nullptr)), run_(other.run_) {}
        Hold& operator=(Hold&&) = delete;
        Hold(Hold const&) = delete;
        Hold& operator=(Hold const&) = delete;
        ~Hold() {
            if (all_ != nullptr) all_->let_go(run_);
        }

       private:
        RunsInHand* all_;
        Id run_;
    };

    /// Nothing where somebody has it, or as many are in hand as may be.
    std::optional<Hold> take(Id run);

   private:
    static constexpr std::size_t kMost = 64;
    void let_go(Id run);

    std::mutex mutex_;
    std::set<Id> runs_;
};

/// Owned by the composition root; the functions are called on the call's executor.
struct AgentServices {
    RunExecutor& scripted;
    RunExecutor* llm = nullptr;  ///< null: no provider of models is configured
    RunsInHand in_hand{};
    /// The user as one who signed in, of now. Errors: UNAUTHENTICATED for one who may not.
    std::function<boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>>(workers::AccountRef)> find{};
};

}  // namespace workforce::operations
