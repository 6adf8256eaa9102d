// The admin listener: health, readiness, metrics, and the command line's commands while the service runs.
#pragma once

#include <atomic>
#include <boost/describe/enum.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "api/admin/log_probe.hpp"
#include "api/cluster/call_server.hpp"
#include "api/cluster/internal_requests.hpp"
#include "api/dispatch.hpp"
#include "core/metrics.hpp"
#include "projections/engine/progress.hpp"
#include "workers/cluster/owners.hpp"
#include "workers/engine/standing.hpp"
#include "workers/runtime.hpp"

namespace workforce::api {

/// What a process is about. Only one that serves is ready for clients.
enum class Phase : std::uint8_t { starting, serving, stopping };
BOOST_DESCRIBE_ENUM(Phase, starting, serving, stopping)

/// What the listener reports on; all of it outlives the handler.
struct AdminServices {
    workers::Runtime& runtime;
    projections::Progress& progress;
    core::Metrics& metrics;
    workers::Owners& owners;
    workers::Role role;
    LogProbe& log_probe;
    workers::ReactorWatch const& reactors;
    InternalVerifier& internal;
    std::atomic<bool> writable = false;  ///< the partitions were taken over: internal commands are taken
    std::atomic<Phase> phase = Phase::starting;
    bool loopback = false;         ///< nobody but this machine reaches the listener
    std::string token{};           ///< what shows that a caller is an administrator; empty: nobody has it
    std::string payroll_secret{};  ///< that signs the payroll provider's reports; empty: none may come
    /// Answers calls that other processes send; null where none may come.
    CallServer* calls = nullptr;
    /// Answers requests that processes of the release before calls forward; null where none may come.
    Dispatcher* dispatcher = nullptr;
    HopSigner const* hops = nullptr;
    /// When the database last answered a question of /readyz or /statusz.
    std::atomic<std::chrono::steady_clock::time_point> database_answered{};
};

/// GET /healthz, /readyz, /statusz, /metrics. Where the listener is not on loopback, /readyz tells its checks, and
/// /statusz anything, only to who sends the token as a bearer token. POST of internal requests (internal_requests.hpp):
/// kCallPath, and for the command line /internal/api-keys, /internal/api-keys/revoke, /internal/users,
/// /internal/accounts, /internal/sandbox/reset and /internal/erase. POST kPayrollCallbackPath (payroll_callback.hpp),
/// of the payroll provider. Retries of one request have the same query, kRequestKey and a text: what was done is not
/// done again.
net::RequestHandler admin_handler(AdminServices& services);

/// Lets bodies of internal requests count for the organization that they are about, and all others for their address.
net::BodyGate admin_body_gate(AdminServices& services);

/// What the query of an internal request starts with that says of which request it is a retry, if it is one.
inline constexpr std::string_view kRequestKey = "requestKey=";

/// The bodies of the internal requests.
struct CreateKeyRequest {
    core::Id organizationId = 0;
    events::ApiKeyDetails key;
};
BOOST_DESCRIBE_STRUCT(CreateKeyRequest, (), (organizationId, key))
struct RevokeKeyRequest {
    core::Id organizationId = 0;
    core::Id keyId = 0;
};
BOOST_DESCRIBE_STRUCT(RevokeKeyRequest, (), (organizationId, keyId))

}  // namespace workforce::api
