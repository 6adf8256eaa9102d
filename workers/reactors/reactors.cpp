// The list of reactors.
#include "workers/reactors/reactors.hpp"

#include <array>

namespace workforce::workers {

std::span<ReactorType const> reactors() {
    static std::array const all{shift_mail(), notifications(), webhooks(), payroll(),     usage(),
                                approvals(),  agent_runs(),    triggers(), message_mail()};
    return all;
}

}  // namespace workforce::workers
