// The providers of a configuration.
#include "workers/apps/provider.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/config_providers.hpp"
#include "workers/apps/composio.hpp"
#include "workers/apps/demo.hpp"

namespace workforce::workers {

ConnectedAppProvider* AppProviders::of(std::string_view app, bool sandbox) const {
    for (auto* provider : all(sandbox)) {
        if (std::ranges::any_of(provider->apps(), [&](KnownApp const& known) { return known.app == app; })) {
            return provider;
        }
    }
    return nullptr;
}

std::vector<ConnectedAppProvider*> AppProviders::all(bool sandbox) const {
    std::vector<ConnectedAppProvider*> providers{demo.get()};
    if (outside && !sandbox) providers.push_back(outside.get());
    return providers;
}

std::string AppProviders::owner_of(core::Id organization) const {
    return fmt::format("{}-org-{}", installation, organization);
}

AppProviders open_apps(core::Config const& config, net::HttpClient& client) {
    AppProviders all{.demo = std::make_unique<DemoApp>(), .installation = config.installation};
    if (config.composio_api_key_file.empty()) return all;
    auto const url = net::parse_operator_url(config.composio_url);
    if (!url) throw std::runtime_error("composio_url names no address");
    auto key = core::load_token("composio_api_key_file", config.composio_api_key_file);
    if (!key) throw std::runtime_error(key.error());
    all.outside = std::make_unique<Composio>(
        client, ComposioOptions{*url, *std::move(key), core::parse_composio_apps(config.composio_apps).value()});
    return all;
}

}  // namespace workforce::workers
