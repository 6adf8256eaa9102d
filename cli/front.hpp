// The REST and MCP listeners, and what they answer from.
#pragma once

#include <chrono>
#include <optional>

#include "api/cluster/call_server.hpp"
#include "api/cluster/system_calls.hpp"
#include "api/credentials/authentication.hpp"
#include "api/credentials/client_limits.hpp"
#include "api/credentials/key_limits.hpp"
#include "api/dispatch.hpp"
#include "core/metrics.hpp"
#include "core/session_pool.hpp"
#include "events/log/open_log.hpp"
#include "net/server.hpp"
#include "operations/accounts.hpp"
#include "operations/agents/agents.hpp"
#include "operations/agents/llm_executor.hpp"
#include "operations/agents/scripted.hpp"
#include "operations/apps.hpp"
#include "operations/event_tap.hpp"
#include "operations/oauth/oauth.hpp"
#include "operations/operation_metrics.hpp"
#include "operations/tools/guardrail_sets.hpp"
#include "operations/usage_log.hpp"
#include "operations/webhooks.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {

/// The options of a listener as configured.
net::ServerOptions listener_options(core::Config const& config, std::string host, std::vector<net::ServerPort> ports,
                                    std::size_t threads, net::BodyGate body_gate);

/// Built, started and stopped by one thread. What it refers to outlives it.
class Front {
   public:
    /// `cluster` is null for a process that serves alone: then nothing is forwarded, and last writes stay in memory.
    Front(workers::Runtime& runtime, projections::Progress& progress, api::Cluster* cluster,
          operations::LastWrites::HeadOf head_of, core::Metrics& metrics);
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

    api::Dispatcher& dispatcher() { return dispatcher_; }
    operations::LastWrites& last_writes() { return last_writes_; }
    api::CallServer& calls() { return calls_; }
    api::HopSigner const& hops() const { return hops_; }
    /// Gives what lies idle of keys' limits back; and all, once no request comes any more.
    boost::asio::awaitable<void> give_idle_limits_back();
    boost::asio::awaitable<void> give_all_limits_back();
    api::KeyUses& key_uses() { return key_uses_; }
    api::SessionUses& session_uses() { return session_uses_; }
    operations::UsageLog& usage() { return usage_; }
    workers::OAuthStore& oauth_store() { return oauth_store_; }
    /// How operations ask for others as the installation; before start().
    void set_system_calls(api::SystemCalls& calls);
    api::RequestOrigins& request_origins() { return request_origins_; }

   private:
    boost::asio::awaitable<std::string> sign_access(workers::IssuedChain const& chain);
    boost::asio::awaitable<std::optional<operations::ReadToken>> read_access(std::string token);
    /// Parts, of what stands before them in the order of the members.
    operations::Accounts make_accounts(workers::Runtime& runtime);
    operations::OAuthServices make_oauth(workers::Runtime& runtime);
    api::DispatcherParts dispatcher_parts(workers::Runtime& runtime, api::Cluster* cluster);
    void export_metrics(core::Metrics& metrics);
    void export_load(core::Metrics& metrics);
    void export_key_limits(core::Metrics& metrics);
    void export_sign_ins(core::Metrics& metrics);

    core::Database reads_;
    core::Database operators_;     // reads across organizations: few ask for them, and they may take long
    core::Database tenant_reads_;  // whose resources are: look-ups that wait for no list
    core::Database keys_;      // for API keys alone: all requests wait for them, and lists may take all of the others
    core::Database sessions_;  // for what people present, who may be strangers
    core::Database limits_;    // for the limits of API keys alone, which a request may wait for
    operations::LastWrites last_writes_;
    operations::Tenants tenants_;
    operations::GuardrailSets guardrails_;
    api::Authenticator authenticator_;
    api::KeyLimits key_limits_;
    api::KeyLimits mcp_limits_;
    api::mcp::FrameStore frames_;
    api::KeyUses key_uses_;
    core::SessionPool usage_sessions_;
    std::unique_ptr<events::kafka::SideTopic> usage_topic_;
    operations::UsageLog usage_;
    api::SessionUses session_uses_;
    core::PasswordHasher hasher_;
    operations::Accounts accounts_;
    operations::WebhookServices webhooks_;
    workers::OAuthStore oauth_store_;
    workers::DeviceStore device_store_;
    api::AccessTokenSigner token_signer_;
    api::ClientLimits client_limits_;
    operations::OAuthServices oauth_;
    operations::ScriptedExecutor scripted_;
    std::optional<operations::LlmExecutor> llm_;  ///< nothing: no provider of models is configured
    operations::AgentServices agents_;
    operations::AppServices apps_;
    operations::RegistryServices registries_;
    operations::EventTap event_tap_;
    api::RequestOrigins request_origins_;
    api::HopSigner const hops_;
    net::ByteBudget replies_;
    operations::Services services_;
    operations::OperationMetrics operation_metrics_;
    api::Dispatcher dispatcher_;
    api::CallServer calls_;
    net::Server server_;
};

}  // namespace workforce::cli
