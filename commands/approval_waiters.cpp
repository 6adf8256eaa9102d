// What waits for approvals. A new one adds its row.
#include <array>

#include "commands/agent_run.hpp"
#include "commands/approval.hpp"

namespace workforce::commands {

std::span<ApprovalWaiter const> approval_waiters() {
    static constexpr std::array kWaiters{ApprovalWaiter{events::ApprovalOrigin::agent_run, &hear_run}};
    return kWaiters;
}

}  // namespace workforce::commands
