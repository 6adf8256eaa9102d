// The shift clock: starts and completes shifts when their time has come, each minute.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "commands/engine/processor.hpp"
#include "workers/store/row_store.hpp"

namespace workforce::workers {

/// Ticks at once and then each minute until its io_context stops. A tick looks in the read models for due shifts of the
/// partitions that are served here, of the last days or now and then all, and has them moved; the command judges on its
/// state, so rows that are behind and several clocks do no harm.
boost::asio::awaitable<void> run_shift_clock(commands::Processor& processor, RowStore& store);

}  // namespace workforce::workers
