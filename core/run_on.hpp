// Blocking work on threads that are there for it, awaited by a coroutine.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <type_traits>

namespace workforce::core {

/// Runs the work on one of the threads and gives what it returns, which has a default value; resumes on the caller's
/// executor. Errors: what it throws.
template <class Work>
boost::asio::awaitable<std::invoke_result_t<Work&>> run_on(boost::asio::thread_pool& threads, Work work) {
    auto const run = [&work]() -> boost::asio::awaitable<std::invoke_result_t<Work&>> { co_return work(); };
    co_return co_await boost::asio::co_spawn(threads, run(), boost::asio::use_awaitable);
}

}  // namespace workforce::core
