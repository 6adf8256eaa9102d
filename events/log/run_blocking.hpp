// Awaitable operations of a log for those who have a thread to block.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <utility>

namespace workforce::events {

/// Runs the operation on this thread to its end. Errors: what it throws.
template <class T>
T run_blocking(boost::asio::awaitable<T> operation) {
    boost::asio::io_context context(1);
    auto result = boost::asio::co_spawn(context, std::move(operation), boost::asio::use_future);
    context.run();
    return result.get();
}

}  // namespace workforce::events
