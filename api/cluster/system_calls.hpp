// Operations that the installation itself asks for: what reactors do to resources, from any process.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "api/cluster/call_server.hpp"
#include "api/cluster/cluster.hpp"
#include "workers/engine/reactor.hpp"

namespace workforce::api {

/// Thread-safe; what it refers to outlives it.
class SystemCalls {
   public:
    /// `local` runs calls of partitions that this process writes; null where it writes none. `idempotency_secret` keys
    /// the digests of idempotency keys.
    SystemCalls(commands::Processor& processor, Cluster cluster, CallServer* local, std::string idempotency_secret)
        : processor_(processor), cluster_(cluster), local_(local), secret_(std::move(idempotency_secret)) {}

    /// Asks for the operation, here or at the partition's owner. A key makes it happen once, however often it is asked
    /// for within 24 hours; no client's key is ever the same. Errors: SERVICE_UNAVAILABLE where nothing was done,
    /// LOG_UNAVAILABLE where that is not known; refusals of the operation are answers. Throws what handlers do.
    boost::asio::awaitable<core::Result<workers::OperationAnswer>> submit(workers::OperationRequest request);

   private:
    [[nodiscard]] CallMessage message_of(workers::OperationRequest const& request) const;

    commands::Processor& processor_;
    Cluster const cluster_;
    CallServer* const local_;
    std::string const secret_;
};

}  // namespace workforce::api
