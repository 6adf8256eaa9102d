// The list of reactors.
#include <array>

#include "workers/engine/reactor.hpp"
#include "workers/reactors/agent_runs.hpp"
#include "workers/reactors/approvals.hpp"
#include "workers/reactors/notifications.hpp"
#include "workers/reactors/payroll.hpp"
#include "workers/reactors/shift_mail.hpp"
#include "workers/reactors/triggers.hpp"
#include "workers/reactors/usage.hpp"
#include "workers/reactors/webhooks.hpp"

namespace workforce::workers {

std::span<ReactorType const> reactors() {
    static std::array const all{shift_mail(), notifications(), webhooks(),   payroll(),
                                usage(),      approvals(),     agent_runs(), triggers()};
    return all;
}

}  // namespace workforce::workers
