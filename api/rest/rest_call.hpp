// A REST request past admission, as a call of its operation.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "api/incoming.hpp"
#include "api/rest/route.hpp"
#include "api/version_changes.hpp"
#include "operations/call.hpp"

namespace workforce::api {

/// The call, with path and query parameters. `caller` is null for what is open to anybody. Errors: VALIDATION_ERROR for
/// a query that is none.
core::Result<operations::Call> call_of(operations::Services& services, Match match,
                                       std::shared_ptr<operations::Caller const> caller, Incoming const& incoming);

/// Adds to the call what the operation takes of the request: the body, as today's form has it (`newer` are the changes
/// after the request's version), the answer's media type, digests of the idempotency key, which are keyed with
/// `secret`, expected versions; and the organization that the call is about, where that takes no look-up. Returns
/// whether it did; else operations::find_target() does it. What can't be had leaves the rest of the call as it is, with
/// its warnings. Errors: VALIDATION_ERROR; NOT_ACCEPTABLE; as operations::pick_target.
core::Result<bool> complete(operations::Call& call, net::Request const& request, std::span<VersionChange const> newer,
                            std::string_view secret);

}  // namespace workforce::api
