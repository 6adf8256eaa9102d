// The app that comes with the program: nothing of it is outside.
#pragma once

#include "workers/apps/provider.hpp"

namespace workforce::workers {

/// The app `demo`: demo.echo gives its arguments back, demo.create_ticket makes a ticket, which is kept with the
/// execution that made it. A ticket's id follows from the call's key, so that a repeat makes no other ticket.
class DemoApp final : public ConnectedAppProvider {
   public:
    [[nodiscard]] std::string_view name() const override { return "demo"; }
    [[nodiscard]] std::span<KnownApp const> apps() const override;
    boost::asio::awaitable<tl::expected<std::vector<AppAction>, Unanswered>> list(std::string app) override;
    boost::asio::awaitable<tl::expected<ConnectedAccount, Unanswered>> connect(std::string app, std::string owner,
                                                                               std::string key) override;
    boost::asio::awaitable<tl::expected<void, Unanswered>> disconnect(std::string account) override;
    boost::asio::awaitable<AppAnswer> execute(AppCall call) override;
};

}  // namespace workforce::workers
