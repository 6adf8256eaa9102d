// A pool's thread that is busy for as long as a test wants.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>

#include "core/database.hpp"

namespace workforce::tests {

/// Has a job keep one thread of the pool until release(). The io_context is to run meanwhile, in another thread.
class BusyThread {
   public:
    BusyThread(core::Database& pool, boost::asio::io_context& io)
        : done_(boost::asio::co_spawn(io, pool.run([this](core::Connection&) {
              begun_.set_value();
              release_.get_future().wait();
          }),
                                      boost::asio::use_future)) {}
    BusyThread(BusyThread const&) = delete;
    BusyThread& operator=(BusyThread const&) = delete;
    ~BusyThread() = default;

    /// Returns once the thread is busy.
    void await_begun() { begun_.get_future().wait(); }
    /// Lets the job end; returns when it has.
    void release() {
        release_.set_value();
        done_.get();
    }

   private:
    std::promise<void> begun_;
    std::promise<void> release_;
    std::future<void> done_;
};

}  // namespace workforce::tests
