// How operations of asio are awaited where their errors are values.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace workforce::net {

/// Completes with the error code beside the result, and throws nothing.
inline constexpr auto kNoThrow = boost::asio::as_tuple(boost::asio::use_awaitable);

}  // namespace workforce::net
