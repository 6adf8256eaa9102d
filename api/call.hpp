// One request on its way through a handler, and the services that handlers use.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/cluster/cluster.hpp"
#include "api/credentials/principal.hpp"
#include "api/known_facilities.hpp"
#include "api/last_writes.hpp"
#include "api/rest/query_parameters.hpp"
#include "commands/engine/processor.hpp"
#include "core/config.hpp"
#include "core/database.hpp"
#include "projections/engine/progress.hpp"
#include "projections/engine/query.hpp"

namespace workforce::api {

/// What handlers are served by; owned by the composition root, alive as long as any request.
struct Services {
    core::Config const& config;
    core::Database& reads;  ///< under the role that row-level security binds
    commands::Processor& processor;
    projections::Progress& progress;
    LastWrites& last_writes;
    KnownFacilities& facilities;
    std::string cursor_secret;
    std::string idempotency_secret;  ///< keys the digests of idempotency keys and requests
    Cluster* cluster = nullptr;      ///< nothing where one process serves alone
};

/// A request past authentication.
struct Call {
    Services& services;
    net::Request const& request;
    std::shared_ptr<Principal const> principal;
    std::string request_id;
    std::vector<Id> path_ids;  ///< the {id}s of the path, in order
    QueryMap query;
    std::string_view route;              ///< the route's template, which a cursor is bound to
    std::vector<net::Header> headers{};  ///< to add to the answer
};

/// The scope of a read: the caller's organization and facilities, narrowed by the parameters.
/// Errors: ORG_SCOPE_VIOLATION, FACILITY_SCOPE_VIOLATION.
core::Result<projections::Scope> read_scope(Call const& call, std::optional<Id> facility,
                                            std::optional<Id> organization);

/// Whether the organization has the facility that a request names, if any; after await_own_writes(), which may have
/// made it. Facilities that a caller is bound to are there. Errors: FACILITY_SCOPE_VIOLATION, as for one outside the
/// caller's.
boost::asio::awaitable<core::Result<void>> check_facility(Call& call, std::optional<Id> facility);

/// Waits, at most two seconds, until the read models show the caller's last write; past that the answer says that it is
/// stale.
boost::asio::awaitable<void> await_own_writes(Call& call);

}  // namespace workforce::api
