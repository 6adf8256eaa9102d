// Wiring of the listeners.
#include "cli/front.hpp"

#include <algorithm>

#include "api/admin/payroll_callback.hpp"
#include "api/cluster/owner_call.hpp"
#include "api/credentials/rate_table.hpp"
#include "api/problem_reply.hpp"
#include "api/rest/idempotency.hpp"
#include "core/logging.hpp"
#include "core/networks.hpp"
#include "net/descriptors.hpp"
#include "operations/agents/run_caller.hpp"
#include "operations/usage_topic.hpp"
#include "projections/registry.hpp"

namespace workforce::cli {
namespace {

constexpr std::size_t kOperatorSessions = 2;

/// Bytes of answers without a credential, the static ones aside, which all share.
constexpr std::size_t kOpenReplies = 4 << 20;

/// Answers without a credential have a small part of their own.
net::ByteLimits reply_limits(core::Config const& config) {
    return {.authenticated = config.reply_bytes,
            .anonymous = std::max<std::size_t>(config.reply_bytes / 8, kOpenReplies),
            .anonymous_address = std::max<std::size_t>(config.reply_bytes / 32, kOpenReplies / 4)};
}

core::ConnectionOptions operator_session(core::Config const& config) {
    return core::by_index(workers::session(config, "workforce_operator", "workforce operators"));
}

core::ConnectionOptions credential_session(core::Config const& config) {
    return core::by_key(workers::session(config, "workforce_operator", "workforce keys"));
}

/// Of the listener of the API and the MCP server.
net::ServerOptions front_options(core::Config const& config, net::BodyGate body_gate) {
    auto options = listener_options(config, config.host, {{config.port, "--port"}, {config.mcp_port, "--mcp-port"}},
                                    static_cast<std::size_t>(config.http_threads), std::move(body_gate));
    options.trusted_proxies = core::Networks::parse(config.trusted_proxies).value();
    options.connections_per_address = static_cast<std::size_t>(config.connections_per_address);
    return options;
}

/// Has rows that were written sent to the topic, and exports what became of them. The topic outlives the metrics' last
/// rendering.
operations::UsageLog::Written send_to(events::kafka::SideTopic& topic, std::string source, core::Metrics& metrics) {
    auto const count = [&](char const* outcome) -> prometheus::Counter& {
        return metrics.counter("workforce_usage_topic_rows_total", "Usage rows for Kafka's topic, by what came of them",
                               {{"outcome", outcome}});
    };
    metrics.before_render([&topic, &delivered = count("delivered"), &lost = count("lost")] {
        topic.poll();
        core::raise(delivered, static_cast<double>(topic.delivered()));
        core::raise(lost, static_cast<double>(topic.lost()));
    });
    return [&topic, source = std::move(source)](std::vector<operations::UsageRow> const& rows) {
        for (auto const& row : rows) topic.send(operations::usage_event(row, source));
        topic.poll();
    };
}

}  // namespace

net::ServerOptions listener_options(core::Config const& config, std::string host, std::vector<net::ServerPort> ports,
                                    std::size_t threads, net::BodyGate body_gate) {
    net::ServerOptions options;
    options.host = std::move(host);
    options.ports = std::move(ports);
    options.threads = threads;
    options.body_gate = std::move(body_gate);
    options.limits.max_body_bytes = [](net::Method method, std::string_view path) {
        if (path == api::kCallPath) return api::kMaxCall;
        if (path == api::kPayrollCallbackPath) return api::kMaxPayrollCallback;
        if (api::is_mcp_path(path)) return std::uint64_t{api::kMaxMessage};
        return api::rest_router().max_body(method, path);
    };
    options.max_connections = net::affordable_connections(config);
    options.max_refusals = std::min<std::size_t>(options.max_refusals, options.max_connections);
    options.on_error = [](std::string const& text) { core::log(core::Level::error, "listener", {{"error", text}}); };
    return options;
}

Front::Front(workers::Runtime& runtime, projections::Progress& progress, api::Cluster* cluster,
             operations::LastWrites::HeadOf head_of, core::Metrics& metrics)
    : reads_({core::by_index(workers::session(runtime.config, "workforce_reader", "workforce reads")),
              static_cast<std::size_t>(runtime.config.database_connections),
              static_cast<std::size_t>(runtime.config.database_queue), core::SessionPurpose::listing}),
      operators_({operator_session(runtime.config), kOperatorSessions,
                  static_cast<std::size_t>(runtime.config.database_queue), core::SessionPurpose::listing}),
      tenant_reads_({operator_session(runtime.config), 1, static_cast<std::size_t>(runtime.config.database_queue)}),
      keys_({credential_session(runtime.config), api::kKeySessions,
             static_cast<std::size_t>(runtime.config.database_queue)}),
      sessions_({credential_session(runtime.config), api::kKeySessions,
                 static_cast<std::size_t>(runtime.config.database_queue)}),
      limits_({workers::writer_session(runtime.config), 1, static_cast<std::size_t>(runtime.config.database_queue)}),
      last_writes_(std::move(head_of), cluster == nullptr ? std::nullopt
                                                          : std::optional(operations::SharedWrites{
                                                                reads_, runtime.writes, runtime.owner,
                                                                projections::names_of(projections::registry())})),
      tenants_(tenant_reads_),
      guardrails_(tenant_reads_),
      authenticator_(
          keys_, sessions_, runtime.config.credential_bytes,
          {runtime.config.base_url, operations::accepted_resources(runtime.config.base_url, runtime.config.mcp_url)}),
      key_limits_(
          api::rate_table(limits_, api::kRestRequests, std::chrono::seconds(runtime.config.rate_window_seconds)),
          [cluster] { return cluster == nullptr || cluster->owners.alone(); }),
      mcp_limits_(api::rate_table(limits_, api::kMcpRequests, std::chrono::seconds(runtime.config.rate_window_seconds)),
                  [cluster] { return cluster == nullptr || cluster->owners.alone(); }),
      frames_(runtime.writes, runtime.owner, {.authenticated = runtime.config.reply_bytes}),
      key_uses_(runtime.writes),
      usage_sessions_(workers::writer_session(runtime.config), 1),
      usage_topic_(events::open_usage_topic(runtime.config)),
      usage_(usage_sessions_, metrics,
             usage_topic_ ? send_to(*usage_topic_, "urn:workforce:" + runtime.log.key().installation, metrics)
                          : operations::UsageLog::Written()),
      session_uses_(runtime.sessions),
      accounts_(make_accounts(runtime)),
      webhooks_{runtime.writes,
                runtime.signing_secrets,
                runtime.webhook_sender,
                {runtime.config.webhook_subscriptions, runtime.config.creator_webhook_subscriptions}},
      oauth_store_(runtime.sign_ins, sessions_, std::chrono::seconds(runtime.config.oauth_refresh_grace)),
      device_store_(runtime.sign_ins),
      token_signer_(runtime.sign_ins, runtime.master_keys, runtime.config.base_url),
      client_limits_(runtime.config),
      oauth_(make_oauth(runtime)),
      agents_{scripted_},
      apps_{runtime.apps},
      registries_{runtime.registries},
      event_tap_(operators_, runtime.config.event_tap_days),
      request_origins_(runtime.writes),
      hops_({runtime.master_keys, api::kHopPurpose}),
      replies_(reply_limits(runtime.config)),
      services_{reads_,
                operators_,
                runtime.processor,
                progress,
                last_writes_,
                tenants_,
                runtime.secrets,
                runtime.master_keys.kept("cursors"),
                replies_,
                runtime.config.page_bytes,
                runtime.config.pat_max_rate_limit,
                &accounts_,
                &webhooks_,
                &runtime.payroll,
                &oauth_,
                &apps_},
      operation_metrics_(metrics),
      dispatcher_(dispatcher_parts(runtime, cluster), metrics),
      calls_(
          services_,
          [this](events::ActorType credential, core::Id id, core::Id organization) {
              return authenticator_.find_caller(credential, id, organization);
          },
          dispatcher_.failures()),
      server_(front_options(runtime.config, [this](net::Request const& request) { return dispatcher_.admit(request); }),
              [this](net::Request const& request) { return dispatcher_.answer(request); }) {
    services_.uses_are_late = [this] { return key_uses_.late() || session_uses_.late(); };
    services_.guardrails = &guardrails_;
    services_.event_tap = &event_tap_;
    services_.registries = &registries_;
    services_.model_tiers = operations::read_model_tiers(runtime.config.model_tiers);
    services_.find_caller = [this](events::ActorType credential, core::Id id,
                                   core::Id organization) -> boost::asio::awaitable<api::CallerResult> {
        co_return co_await authenticator_.find_caller(credential, id, organization);
    };
    services_.find_run_caller = [this](core::Id organization, bool sandbox, core::Id run,
                                       std::string tool) -> boost::asio::awaitable<api::CallerResult> {
        co_return co_await operations::caller_of_run(services_, organization, sandbox, run, std::move(tool));
    };
    services_.agents = &agents_;
    if (runtime.llm) agents_.llm = &llm_.emplace(*runtime.llm);
    agents_.find = [this](workers::AccountRef account) { return authenticator_.find_user(account); };
    services_.observe = [this](operations::Facts const& facts) {
        operation_metrics_.note(facts);
        if (auto const row = operations::metered(facts, core::now())) usage_.add(*row);
    };
    services_.perform = [cluster](operations::Call& call) -> boost::asio::awaitable<operations::Outcome> {
        auto unavailable = operations::Unavailable::other;
        co_return co_await api::perform_call(cluster, call, {call.meta.request_id, call.meta.address}, unavailable);
    };
    services_.perform_form = [this, cluster](operations::Call& call) -> boost::asio::awaitable<operations::Outcome> {
        auto unavailable = operations::Unavailable::other;
        auto origin = co_await api::CallOrigin::keep(&request_origins_, call, {call.meta.address, call.meta.agent});
        auto outcome =
            co_await api::perform_call(cluster, call, {call.meta.request_id, call.meta.address}, unavailable);
        origin.settle(call, outcome.status, outcome.replayed);
        co_return outcome;
    };
    services_.recall = [cluster](operations::Call& call) -> boost::asio::awaitable<operations::Outcome> {
        co_return co_await api::recall_call(cluster, call, {call.meta.request_id, call.meta.address});
    };
    export_metrics(metrics);
}

operations::Accounts Front::make_accounts(workers::Runtime& runtime) {
    return {runtime.sessions,
            runtime.passwords,
            runtime.second_factors,
            runtime.calendar_tokens,
            hasher_,
            [&runtime](events::UniqueText const& name) { return runtime.reservations.digest(name); },
            [this](workers::AccountRef account) { return authenticator_.find_user(account); },
            [&runtime](workers::AccountRef account, workers::Origin const& origin, std::string const& hash) {
                return runtime.sign_ins.run([&keys = runtime.master_keys, account, origin,
                                             hash](core::Connection& connection) {
                    return api::mint_person_token(connection, keys, {account.user, account.organization}, origin, hash);
                });
            },
            [this](core::Id user) { authenticator_.forget(user); },
            {}};
}

operations::OAuthServices Front::make_oauth(workers::Runtime& runtime) {
    return {
        oauth_store_,
        device_store_,
        runtime.outbound,
        runtime.config.webhooks_allow_insecure_targets,
        runtime.config.base_url,
        runtime.config.mcp_url,
        [this](workers::IssuedChain const& chain) { return sign_access(chain); },
        [this](std::string token) { return read_access(std::move(token)); },
        [this](operations::ClientCall what, std::string const& client) { return client_limits_.admit(what, client); },
        [this](operations::ClientCall what, std::string const& client) {
            return client_limits_.has_room(what, client);
        },
        [this](std::string const& address) { return client_limits_.admit_stranger(address); }};
}

api::DispatcherParts Front::dispatcher_parts(workers::Runtime& runtime, api::Cluster* cluster) {
    return {runtime.config,
            services_,
            [this](api::Presented presented) { return authenticator_.authenticate(presented); },
            runtime.master_keys.kept(api::kIdempotencyPurpose),
            cluster,
            runtime.config.rate_window_seconds > 0 ? &key_limits_ : nullptr,
            runtime.config.rate_window_seconds > 0 ? &mcp_limits_ : nullptr,
            {[this](operations::Facts const& facts) { operation_metrics_.note(facts); },
             [this](operations::Facts const& facts) {
                 if (auto const row = operations::metered(facts, core::now())) usage_.add(*row);
             }},
            &frames_,
            &key_uses_,
            &session_uses_,
            &request_origins_};
}

boost::asio::awaitable<std::string> Front::sign_access(workers::IssuedChain const& chain) {
    auto const& consent = chain.consent;
    api::AccessClaims claims{.user = consent.user,
                             .organization = consent.organization,
                             .chain = chain.chain,
                             .client_id = consent.client_id,
                             .scope = consent.scope,
                             .audience = {consent.resource},
                             .issued_at = chain.now,
                             .ends_at = {chain.now.ms + std::chrono::milliseconds(workers::kAccessLife).count()}};
    if (consent.resource.empty()) claims.audience = {oauth_.issuer, oauth_.mcp_url + "/mcp"};
    return token_signer_.sign(std::move(claims));
}

boost::asio::awaitable<std::optional<operations::ReadToken>> Front::read_access(std::string token) {
    auto const claims = co_await authenticator_.read_access(std::move(token));
    if (!claims) co_return std::nullopt;
    co_return operations::ReadToken{claims->chain, claims->issued_at, claims->ends_at};
}

Front::~Front() {
    stop(std::chrono::milliseconds(0));
    close();
}

void Front::listen() { server_.listen(); }

void Front::start() { server_.start(); }

void Front::stop(std::chrono::milliseconds grace) { server_.stop(grace); }

boost::asio::awaitable<void> Front::give_idle_limits_back() {
    co_await key_limits_.give_idle_back();
    co_await mcp_limits_.give_idle_back();
}

boost::asio::awaitable<void> Front::give_all_limits_back() {
    co_await key_limits_.give_all_back();
    co_await mcp_limits_.give_all_back();
}

void Front::set_system_calls(api::SystemCalls& calls) {
    accounts_.ask = [&calls](workers::OperationRequest request) { return calls.submit(std::move(request)); };
}

void Front::close() {
    hasher_.stop();
    authenticator_.stop();
    key_limits_.stop();
    mcp_limits_.stop();
    frames_.stop();
    request_origins_.stop();
    last_writes_.stop();
    event_tap_.stop();
    guardrails_.stop();
    keys_.stop();
    sessions_.stop();
    limits_.stop();
    tenant_reads_.stop();
    operators_.stop();
    reads_.stop();
}

}  // namespace workforce::cli
