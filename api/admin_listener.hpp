// The admin listener: health, readiness, metrics, and the command line's commands while the service runs.
#pragma once

#include <atomic>

#include "api/dispatch.hpp"
#include "api/log_probe.hpp"
#include "api/runtime.hpp"
#include "core/metrics.hpp"
#include "projections/progress.hpp"
#include "workers/owners.hpp"

namespace workforce::api {

/// What the listener reports on; all of it outlives the handler.
struct AdminServices {
    Runtime& runtime;
    projections::Progress& progress;
    core::Metrics& metrics;
    workers::Owners& owners;
    workers::Role role;
    LogProbe& log_probe;
    std::atomic<bool> writable = false;  ///< the partitions were taken over: internal commands are taken
    /// Answers requests that other processes forward; null where none may come.
    Dispatcher* dispatcher = nullptr;
    HopSigner const* hops = nullptr;
};

/// GET /healthz, /readyz, /metrics; requests that other processes forward, known by their signed header; POST
/// /internal/api-keys and /internal/api-keys/revoke, which take the signature of sign_internal in the header
/// Workforce-Signature (internal_signature.hpp).
RequestHandler admin_handler(AdminServices& services);

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
