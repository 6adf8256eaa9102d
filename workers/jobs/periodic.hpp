// The one runner of what is done again and again beside the requests.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <stop_token>
#include <string_view>

#include "core/session_pool.hpp"

namespace workforce::workers {

/// What is done again and again.
struct Periodic {
    std::string_view name;  ///< for logs; of static text
    std::chrono::milliseconds period{};
    std::function<boost::asio::awaitable<void>()> round{};  ///< any exception: it is tried again at the next time
};

/// A round that blocks: it runs on a thread of the pool, which outlives the runner.
std::function<boost::asio::awaitable<void>()> blocking(boost::asio::thread_pool& threads, std::function<void()> round);

/// Whether this process is to do a round that one process is enough for: the first to ask leads until half of the
/// period has passed. A round that fails is left to the next. The sessions are of role workforce_writer. Blocks.
/// Errors: core::DatabaseUnavailable.
bool lead(core::SessionPool& sessions, std::string_view job, std::chrono::milliseconds period);

/// Does rounds, one after another, at once and then `period` after the end of each, until its io_context stops; none
/// begins once a stop is asked for, so that whoever waits for the pool's threads waits for rounds in hand alone. Of
/// rounds that fail in a row the first is logged. A round is whole or not begun as far as its own steps are: whoever
/// stops the io_context waits for the pool's threads.
boost::asio::awaitable<void> run_periodically(Periodic job, std::stop_token stop = {});

}  // namespace workforce::workers
