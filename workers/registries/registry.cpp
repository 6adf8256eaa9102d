// The registries of a configuration.
#include "workers/registries/registry.hpp"

#include <stdexcept>

#include "workers/registries/http_registry.hpp"
#include "workers/registries/simulated.hpp"

namespace workforce::workers {

CredentialRegistries open_registries(core::Config const& config, net::HttpClient& client) {
    CredentialRegistries all{std::make_unique<SimulatedRegistry>(), nullptr};
    if (config.credential_registry != "http") return all;
    auto const url = net::parse_operator_url(config.credential_registry_url);
    if (!url) throw std::runtime_error("credential_registry_url names no address");
    auto secret = core::load_token("credential_registry_secret_file", config.credential_registry_secret_file);
    if (!secret) throw std::runtime_error(secret.error());
    all.live = std::make_unique<HttpRegistry>(
        client, HttpRegistryOptions{.url = *url,
                                    .secret = *std::move(secret),
                                    .installation = config.installation,
                                    .patience = std::chrono::seconds(config.credential_registry_timeout_seconds)});
    return all;
}

}  // namespace workforce::workers
