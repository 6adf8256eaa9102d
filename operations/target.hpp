// The organization that a call is about: resolved once, before anything is looked up for it or sent on, and everything
// follows it (domain 3.1).
#pragma once

#include "operations/call.hpp"

namespace workforce::operations {

/// How a request names its organization, where the caller may act on others than its own.
struct TargetQuery {
    std::optional<Id> orgUnitId;
};
BOOST_DESCRIBE_STRUCT(TargetQuery, (), (orgUnitId))

/// Whether the request says `orgUnitId`, in the query or in the body.
bool names_organization(RawInput const& input);

/// Whether a request of the caller is about the sandbox.
inline bool is_about_sandbox(Caller const& caller, Operation const& operation) {
    return caller.sandbox || operation.in_sandbox;
}

/// Sets the call's organization where that takes no look-up, as for every caller of one organization. Returns whether
/// it did. Errors: VALIDATION_ERROR for an `orgUnitId` that is no id; ORG_SCOPE_VIOLATION for another organization than
/// the caller's, also for one that is to be made.
core::Result<bool> pick_target(Call& call);

/// Sets the organization of a call that pick_target() left open: a new one where the operation makes it, and for a
/// retry the one of the first request with its idempotency key; else the one that is named, else that of the resource
/// that the operation acts on, else that of the facility. Errors: ORG_SCOPE_VIOLATION, NOT_FOUND,
/// FACILITY_SCOPE_VIOLATION for what is in no organization; ORG_REQUIRED for a write that names nothing and is not at
/// home with the caller. Throws as Tenants::of().
boost::asio::awaitable<core::Result<void>> find_target(Call& call);

/// Sets the call's organization. Errors: as pick_target() and find_target().
boost::asio::awaitable<core::Result<void>> resolve_target(Call& call);

}  // namespace workforce::operations
