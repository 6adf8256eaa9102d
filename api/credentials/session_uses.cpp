// A set of sessions, emptied at each writing.
#include "api/credentials/session_uses.hpp"

#include <exception>
#include <utility>
#include <vector>

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::api {

void SessionUses::note(operations::Caller const& caller) {
    if (caller.session == 0) return;
    std::lock_guard const lock(mutex_);
    if (used_.size() < kMost) used_.insert(caller.session);
}

boost::asio::awaitable<void> SessionUses::write() {
    std::vector<core::Id> used;
    {
        std::lock_guard const lock(mutex_);
        used.assign(used_.begin(), used_.end());
        used_.clear();
    }
    if (used.empty()) co_return;
    try {
        co_await store_.note_uses(std::move(used));
        late_ = false;
    } catch (...) {
        late_ = true;
        throw;
    }
}

boost::asio::awaitable<void> SessionUses::write_rest() {
    try {
        co_await write();
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::warn), "the last uses of sessions were not written",
                  {{"error", error.what()}});
    }
}

}  // namespace workforce::api
