// Runs a coroutine to its end from a test that is none.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <utility>

namespace workforce::tests {

/// The awaitable's result or exception, on an io_context of its own.
template <class T>
T await(boost::asio::awaitable<T> operation) {
    boost::asio::io_context context(1);
    auto result = boost::asio::co_spawn(context, std::move(operation), boost::asio::use_future);
    context.run();
    return result.get();
}

}  // namespace workforce::tests
