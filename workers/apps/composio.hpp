// Composio, which has accounts at many apps (docs.composio.dev, API v3): they and their tokens stay there.
#pragma once

#include <chrono>
#include <map>
#include <mutex>

#include "core/config_providers.hpp"
#include "net/outbound_url.hpp"
#include "workers/apps/provider.hpp"

namespace workforce::workers {

struct ComposioOptions {
    net::OutboundUrl url;
    std::string api_key;
    std::vector<core::ComposioApp> apps;
};

/// Asks Composio by HTTP. Each request has the call's key as Idempotency-Key, for what stands between us and the app.
class Composio final : public ConnectedAppProvider {
   public:
    Composio(net::HttpClient& client, ComposioOptions options);

    [[nodiscard]] std::string_view name() const override { return "composio"; }
    [[nodiscard]] std::span<KnownApp const> apps() const override { return known_; }
    /// What was told within the last ten minutes is told again.
    boost::asio::awaitable<tl::expected<std::vector<AppAction>, Unanswered>> list(std::string app) override;
    boost::asio::awaitable<tl::expected<ConnectedAccount, Unanswered>> connect(std::string app, std::string owner,
                                                                               std::string key) override;
    boost::asio::awaitable<tl::expected<void, Unanswered>> disconnect(std::string account) override;
    boost::asio::awaitable<AppAnswer> execute(AppCall call) override;

   private:
    struct Listed {
        std::vector<AppAction> actions;
        std::chrono::steady_clock::time_point until;
    };
    boost::asio::awaitable<tl::expected<net::Reply, net::ClientFailure>> send(net::ClientRequest request,
                                                                              net::ClientLimits limits) const;

    net::HttpClient& client_;
    ComposioOptions const options_;
    std::vector<KnownApp> known_;
    std::mutex mutex_;  // guards what follows
    std::map<std::string, Listed, std::less<>> listed_;
};

// What its answers say. Pure.

/// Of an action: {successful, data, error}.
AppAnswer judge_execution(net::Reply const& reply);
/// Of a new account: {connected_account_id, redirect_url}.
tl::expected<ConnectedAccount, Unanswered> judge_connection(net::Reply const& reply);
/// Of a list of actions: {items: [{slug, description, input_parameters}]}. What is none of them is left out.
tl::expected<std::vector<AppAction>, Unanswered> judge_actions(net::Reply const& reply);

}  // namespace workforce::workers
