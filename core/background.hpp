// The thread of timers and leases.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <thread>
#include <utility>

namespace workforce::core {

/// One thread that runs coroutines. What they use outlives it or its stop().
class Background {
   public:
    Background() : work_(boost::asio::make_work_guard(context_)), thread_([this] { context_.run(); }) {}
    ~Background() { stop(); }
    Background(Background const&) = delete;
    Background& operator=(Background const&) = delete;

    /// Runs the task until it ends by itself or the thread does.
    void start(boost::asio::awaitable<void> task) {
        boost::asio::co_spawn(context_, std::move(task), boost::asio::detached);
    }
    /// Runs the task to its end, for a caller on another thread. Throws what it throws.
    void finish(boost::asio::awaitable<void> task) {
        boost::asio::co_spawn(context_, std::move(task), boost::asio::use_future).get();
    }
    [[nodiscard]] boost::asio::any_io_executor executor() { return context_.get_executor(); }

    /// Ends the thread; tasks stay where they are. A second call does nothing.
    void stop() {
        if (!thread_.joinable()) return;
        context_.stop();
        thread_.join();
    }

   private:
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::thread thread_;
};

}  // namespace workforce::core
