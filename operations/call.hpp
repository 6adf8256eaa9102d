// One request on its way through a handler, and the services that handlers use.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/engine/processor.hpp"
#include "core/database.hpp"
#include "operations/caller.hpp"
#include "operations/known_facilities.hpp"
#include "operations/last_writes.hpp"
#include "operations/operation.hpp"
#include "operations/schema/query_parameters.hpp"
#include "projections/engine/progress.hpp"
#include "projections/engine/query.hpp"

namespace workforce::operations {

/// What handlers are served by; owned by the composition root, alive as long as any request.
struct Services {
    core::Database& reads;  ///< under the role that row-level security binds
    commands::Processor& processor;
    projections::Progress& progress;
    LastWrites& last_writes;
    KnownFacilities& facilities;
    std::string cursor_secret;
};

/// What belongs to the request and not to the caller, made by the protocol's adapter.
struct CallMeta {
    std::string request_id;
    commands::Cause cause{};  ///< but for the verb, which the operation is
    std::optional<commands::Idempotency> idempotency{};
    std::optional<std::vector<std::int64_t>> expected_versions{};  ///< of what it acts on; nothing: any
};

/// What was sent, before the operation reads it as its input.
struct RawInput {
    std::vector<Id> ids{};  ///< the {id}s of the path, in order
    QueryMap parameters{};
    std::optional<core::Result<rapidjson::Document>> body{};  ///< nothing for an operation that takes none
};

/// A request past authentication.
struct Call {
    Services& services;
    Operation const& operation;
    std::shared_ptr<Caller const> caller;
    CallMeta meta;
    RawInput input;
    std::vector<std::string> warnings{};  ///< for the client: what was sent and has no effect
    bool stale = false;                   ///< the answer may lack the caller's own last write
};

/// The refusal of the call.
inline Outcome refuse(Call const& call, core::Problem const& problem) { return refusal(problem, call.meta.request_id); }

/// Names members or parameters that the operation does not have in the call's warnings.
void warn_ignored(Call& call, std::string_view what, std::vector<std::string> const& names);

/// The scope of a read: the caller's organization and facilities, narrowed by the parameters.
/// Errors: ORG_SCOPE_VIOLATION, FACILITY_SCOPE_VIOLATION.
core::Result<projections::Scope> read_scope(Call const& call, std::optional<Id> facility,
                                            std::optional<Id> organization);

/// Whether the organization has the facility that a request names, if any; after await_own_writes(), which may have
/// made it. Facilities that a caller is bound to are there. Errors: FACILITY_SCOPE_VIOLATION, as for one outside the
/// caller's.
boost::asio::awaitable<core::Result<void>> check_facility(Call& call, std::optional<Id> facility);

/// Waits, at most two seconds, until the read models show the caller's last write; past that the call is stale.
boost::asio::awaitable<void> await_own_writes(Call& call);

}  // namespace workforce::operations
