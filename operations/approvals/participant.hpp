// Who asks for approvals, and what they are shown of them.
#pragma once

#include "commands/approval.hpp"
#include "operations/call.hpp"
#include "projections/approvals/approvals.hpp"

namespace workforce::operations {

/// The caller as far as that tells what they see and decide of approvals (domain 4.5).
commands::ApprovalParticipant participant_of(Caller const& caller);

/// Whether the caller may read approvals that are not of their own requests. Else the refusal.
std::optional<core::Problem> lacks_approvals(Caller const& caller);

/// An approval as a query gives it.
struct FoundApproval {
    events::Approval approval;
    projections::ApprovalBeside beside;
    std::int64_t version = 0;
};

/// The approval, which the caller sees; after await_own_writes(). Errors: NOT_FOUND.
boost::asio::awaitable<core::Result<FoundApproval>> find_approval(Call& call, Id id);

/// The approval as the caller is shown it, with the names of who asked and decided, and whether the caller may approve
/// it now.
events::Approval shown_to(Caller const& caller, FoundApproval found);

}  // namespace workforce::operations
