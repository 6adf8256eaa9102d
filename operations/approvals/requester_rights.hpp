// The rights of who asked for a call, at the moment when it is carried out.
#pragma once

#include "operations/approvals/approve.hpp"

namespace workforce::operations {

/// The context of the call's command with the rights that stand in the view: of a user or key of that organization what
/// they are there, else what they were when the call was prepared. Errors: UNAUTHENTICATED, FORBIDDEN,
/// INSUFFICIENT_SCOPE where they have ended. Pure.
core::Result<commands::Context> rights_at(commands::View const& view, ApprovedCall const& call,
                                          commands::Context const& prepared);

}  // namespace workforce::operations
