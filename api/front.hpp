// The REST and MCP listeners, and what they answer from.
#pragma once

#include <chrono>
#include <optional>

#include "api/authentication.hpp"
#include "api/call.hpp"
#include "api/dispatch.hpp"
#include "api/runtime.hpp"
#include "api/server.hpp"
#include "core/metrics.hpp"

namespace workforce::api {

/// The options of a listener as configured; `option` is the flag that names its port.
ServerOptions listener_options(core::Config const& config, std::string host, std::uint16_t port, std::string option,
                               std::size_t threads, BodyGate body_gate);

/// Built, started and stopped by one thread. What it refers to outlives it.
class Front {
   public:
    /// `owners` is null for a process that serves alone: then nothing is forwarded, and last writes stay in memory.
    Front(Runtime& runtime, projections::Progress& progress, workers::Owners* owners, LastWrites::HeadOf head_of,
          core::Metrics& metrics);
    Front(Front const&) = delete;
    Front& operator=(Front const&) = delete;
    /// As stop() without grace, and close(). Nobody else resumes a request any more: the runtime's writers have ended.
    ~Front();

    /// Takes the ports. Throws as Server::listen.
    void listen();
    /// Answers from now on.
    void start();
    /// Answers what is in flight, for so long at most.
    void stop(std::chrono::milliseconds grace);
    /// Ends the sessions; once nobody uses the listeners, nor the dispatcher.
    void close();

    Dispatcher& dispatcher() { return dispatcher_; }
    LastWrites& last_writes() { return last_writes_; }
    HopSigner const& hops() const { return forwarder_.signer(); }

   private:
    core::Database reads_;
    core::Database keys_;  // for API keys alone: all requests wait for them, and lists may take all of the others
    LastWrites last_writes_;
    KnownFacilities facilities_;
    Authenticator authenticator_;
    Forwarder forwarder_;
    std::optional<Cluster> cluster_;
    Services services_;
    Dispatcher dispatcher_;
    Server rest_;
    Server mcp_;
};

}  // namespace workforce::api
