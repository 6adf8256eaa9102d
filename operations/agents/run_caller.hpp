// Who acts in a run: its user, with the rights that they have now, within the agent's bounds.
#pragma once

#include "operations/agents/agents.hpp"

namespace workforce::operations {

/// The caller of the run's calls: the user's role, at the run's facility where it is limited to one; the grade of the
/// agent's model. Errors: UNAUTHENTICATED for a user who may not act. Throws as Tenants::of() and AgentServices::find.
boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> caller_of_run(Services& services,
                                                                                  commands::RunInHand const& run);

/// Who calls the tool in a run whose id alone is known, as read models have it. Errors: NOT_FOUND besides; FORBIDDEN
/// where the agent may not call it, or is not active.
boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>> caller_of_run(Services& services, Id organization,
                                                                                  bool sandbox, Id run,
                                                                                  std::string tool);

}  // namespace workforce::operations
