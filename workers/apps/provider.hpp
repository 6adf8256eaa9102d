// Who connects apps outside, and does what is asked of them.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "core/config.hpp"
#include "events/app.hpp"
#include "net/http_client.hpp"
#include "workers/unanswered.hpp"

namespace workforce::workers {

/// An app that can be connected.
struct KnownApp {
    std::string app;  ///< its slug: "github"
    std::string display_name;
};

/// Something that can be asked of an app.
struct AppAction {
    core::Name name;
    core::LongText description;
    core::AnyObject<std::size_t{16} << 10> parameters;  ///< JSON Schema of its arguments

    static constexpr std::array<std::string_view, 1> kRequired{"name"};
};
BOOST_DESCRIBE_STRUCT(AppAction, (), (name, description, parameters))

/// An account that a provider connected, or is about to.
struct ConnectedAccount {
    std::string id;  ///< by which the provider knows it; no secret
    std::vector<core::ShortText> scopes{};
    std::optional<std::string> redirect_url{};  ///< where somebody has to let us in; nothing: nobody
};

/// An action that is asked for.
struct AppCall {
    std::string app;
    std::string action;
    std::string account;    ///< ConnectedAccount::id
    std::string owner;      ///< who has the account: as connect() was told
    std::string arguments;  ///< a JSON object
    std::string key;        ///< the same whenever the same is asked for again: a provider that knows keys does it once
    std::chrono::milliseconds patience{20'000};
};

/// What came of it.
struct AppAnswer {
    enum class Kind : std::uint8_t {
        succeeded,
        failed,          ///< the app would not do it, or nobody can tell what it did: never to be asked again by itself
        unauthorized,    ///< the account lets us in no more
        no_such_action,  ///< nothing was done
        unavailable,     ///< no answer: it may be asked for again under the same key
    };
    Kind kind = Kind::unavailable;
    std::string data = "null";  ///< JSON, of a success
    std::string error{};        ///< for people, of anything else
    bool timed_out = false;     ///< of `unavailable`: it took longer than it had
};

/// A provider of apps. Thread-safe; its coroutines run on their caller's executor, on an io_context of one thread, and
/// throw nothing. What they refer to outlives them. Errors are for people.
class ConnectedAppProvider {
   public:
    ConnectedAppProvider() = default;
    ConnectedAppProvider(ConnectedAppProvider const&) = delete;
    ConnectedAppProvider& operator=(ConnectedAppProvider const&) = delete;
    virtual ~ConnectedAppProvider() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual std::span<KnownApp const> apps() const = 0;
    /// What can be asked of one of its apps.
    virtual boost::asio::awaitable<tl::expected<std::vector<AppAction>, Unanswered>> list(std::string app) = 0;
    /// Connects an account of `owner`.
    virtual boost::asio::awaitable<tl::expected<ConnectedAccount, Unanswered>> connect(std::string app,
                                                                                       std::string owner,
                                                                                       std::string key) = 0;
    /// Has the provider forget the account; one that it does not know is forgotten.
    virtual boost::asio::awaitable<tl::expected<void, Unanswered>> disconnect(std::string account) = 0;
    virtual boost::asio::awaitable<AppAnswer> execute(AppCall call) = 0;
};

/// The providers of a process.
struct AppProviders {
    std::unique_ptr<ConnectedAppProvider> demo;
    std::unique_ptr<ConnectedAppProvider> outside{};  ///< null: there is none
    std::string installation{};

    /// Who has the app of that name, or null. The sandbox has the demo's alone.
    [[nodiscard]] ConnectedAppProvider* of(std::string_view app, bool sandbox) const;
    /// All of them that live data, or the sandbox, has.
    [[nodiscard]] std::vector<ConnectedAppProvider*> all(bool sandbox) const;
    /// Who the accounts of an organization belong to, in a provider's eyes.
    [[nodiscard]] std::string owner_of(core::Id organization) const;
};

/// Those that are configured. The client outlives them. Errors: std::runtime_error with one line for the operator.
AppProviders open_apps(core::Config const& config, net::HttpClient& client);

}  // namespace workforce::workers
