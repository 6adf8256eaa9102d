// Whether the log answers, for those who may ask more often than it does.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <functional>
#include <vector>

#include "core/batcher.hpp"

namespace workforce::api {

/// Asks the log on a thread of its own, one question at a time, which all share who came before it: a log that hangs
/// gathers no more of them. Thread-safe.
class LogProbe {
   public:
    /// `question` blocks until the log has answered, and throws events::LogUnavailable when it does not.
    explicit LogProbe(std::function<void()> question);

    /// Returns once the log has answered a question asked from now on. Errors: what the question throws;
    /// events::LogUnavailable after stop().
    boost::asio::awaitable<void> ask();

    /// Ends all that ask. Call it while their io_contexts still exist.
    void stop();
    /// Waits for the question under way. Call it once nobody asks any more, while their io_contexts still exist.
    void join();

   private:
    boost::asio::awaitable<std::vector<bool>> ask_for(std::size_t askers);

    std::function<void()> const question_;
    core::Batcher<bool, bool> askers_;
    boost::asio::thread_pool thread_{1};
};

}  // namespace workforce::api
