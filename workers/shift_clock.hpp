// The shift clock: starts and completes shifts when their time has come, each minute.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "commands/processor.hpp"
#include "core/database.hpp"

namespace workforce::workers {

/// Ticks at once and then each minute until its io_context stops; a tick goes through the organizations whose
/// partitions are served here, live and sandbox. Commands of the clock are idempotent by state and time, so several
/// clocks do no harm.
boost::asio::awaitable<void> run_shift_clock(commands::Processor& processor, core::Database& database);

}  // namespace workforce::workers
