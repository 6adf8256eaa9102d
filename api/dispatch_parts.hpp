// What the request path works with.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/cluster/cluster.hpp"
#include "api/credentials/key_limits.hpp"
#include "api/credentials/key_uses.hpp"
#include "api/credentials/presented.hpp"
#include "api/credentials/request_origins.hpp"
#include "api/credentials/session_uses.hpp"
#include "api/mcp/frame_store.hpp"
#include "api/rest/route.hpp"
#include "api/version_changes.hpp"
#include "core/config.hpp"
#include "core/time.hpp"
#include "operations/call.hpp"

namespace workforce::api {

using operations::Caller;

/// Hears of every outcome of an operation, in the process that made it, once the answer was handed to the connection,
/// of a stream once it ended. Called on the connection's thread: it must not block, nor throw.
using FactsHook = std::function<void(operations::Facts const&)>;

/// As Authenticator::authenticate, for every kind of credential that there is.
using Authenticate =
    std::function<boost::asio::awaitable<core::Result<std::shared_ptr<Caller const>>>(Presented presented)>;

/// What the dispatcher works with; all of it outlives the dispatcher.
struct DispatcherParts {
    core::Config const& config;
    operations::Services& services;
    Authenticate authenticate;
    std::string idempotency_secret;   ///< keys the digests of idempotency keys and requests
    Cluster* cluster = nullptr;       ///< null where one process serves alone
    KeyLimits* key_limits = nullptr;  ///< null where requests of API keys are not counted
    KeyLimits* mcp_limits = nullptr;  ///< those of MCP, likewise
    std::vector<FactsHook> hooks{};
    mcp::FrameStore* frames = nullptr;          ///< of streams of MCP; null where it is not served
    KeyUses* key_uses = nullptr;                ///< null where nobody wants to know
    SessionUses* session_uses = nullptr;        ///< likewise
    RequestOrigins* request_origins = nullptr;  ///< likewise
    Router const& router = rest_router();
    std::span<VersionChange const> changes = version_changes();  ///< of the router's operations
    core::Timestamp (*now)() = &core::now;                       ///< decides when a version has ended
};

}  // namespace workforce::api
