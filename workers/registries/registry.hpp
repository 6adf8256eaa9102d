// Registries that know whether a credential of a staff member is good (domain 2.2).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "commands/credential.hpp"
#include "core/config.hpp"
#include "net/http_client.hpp"
#include "workers/unanswered.hpp"

namespace workforce::workers {

/// A question to a registry.
struct RegistryCall {
    commands::RegistryQuestion question;
    core::Id organization = 0;
    std::string key;  ///< the same whenever the same is asked again: a registry that knows keys looks it up once
    std::chrono::milliseconds patience{10'000};
};

/// The finding. Errors: why there is none. The same may be asked again.
using RegistryAnswer = tl::expected<commands::RegistryFinding, Unanswered>;

/// A registry. Thread-safe; its coroutines run on their caller's executor, on an io_context of one thread, and throw
/// nothing. What they refer to outlives them.
class CredentialRegistry {
   public:
    CredentialRegistry() = default;
    CredentialRegistry(CredentialRegistry const&) = delete;
    CredentialRegistry& operator=(CredentialRegistry const&) = delete;
    virtual ~CredentialRegistry() = default;

    /// As answers name it: RegistryFinding::provider.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Asks about a credential, within the call's patience.
    virtual boost::asio::awaitable<RegistryAnswer> ask(RegistryCall call) const = 0;
};

/// The registries of a process.
struct CredentialRegistries {
    std::unique_ptr<CredentialRegistry> simulated;
    std::unique_ptr<CredentialRegistry> live;  ///< null: live credentials are looked up in the simulated one, too

    /// The sandbox's is always the simulated one.
    [[nodiscard]] CredentialRegistry const& of(bool sandbox) const { return sandbox || !live ? *simulated : *live; }
};

/// Those that are configured. The client outlives them. Errors: std::runtime_error with one line for the operator.
CredentialRegistries open_registries(core::Config const& config, net::HttpClient& client);

}  // namespace workforce::workers
