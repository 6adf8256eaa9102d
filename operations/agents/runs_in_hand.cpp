// Who goes on with which run.
#include "operations/agents/agents.hpp"

namespace workforce::operations {

std::optional<RunsInHand::Hold> RunsInHand::take(Id run) {
    std::lock_guard const lock(mutex_);
    if (runs_.size() >= kMost || !runs_.insert(run).second) return std::nullopt;
    return Hold(*this, run);
}

void RunsInHand::let_go(Id run) {
    std::lock_guard const lock(mutex_);
    runs_.erase(run);
}

}  // namespace workforce::operations
