// Who outside is asked.
#include "core/config_providers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace workforce::core {
namespace {

bool is_made_of(std::string_view text, std::string_view characters, std::size_t most) {
    return !text.empty() && text.size() <= most && text.find_first_not_of(characters) == std::string_view::npos;
}

/// Grades of models, the least first.
constexpr std::array<std::string_view, 3> kTiers{"basic", "standard", "advanced"};
/// The bytes of a model's name, or of a pattern of some.
constexpr std::size_t kMostModelName = 200;
constexpr std::size_t kMostPatterns = 100;

/// An entry between commas, taken off the text.
std::string_view take_entry(std::string_view& text) {
    auto const entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    return entry;
}

/// The parts of an entry before and behind its first '='.
std::pair<std::string_view, std::string_view> parts_of(std::string_view entry) {
    auto const equals = entry.find('=');
    return {entry.substr(0, equals), equals == std::string_view::npos ? std::string_view() : entry.substr(equals + 1)};
}

/// Whether an entry is of a grade, with the name of a model or a pattern.
bool is_of_tier(std::string_view tier, std::string_view model) {
    return std::ranges::count(kTiers, tier) == 1 && !model.empty() && model.size() <= kMostModelName &&
           model.find_first_of(" \t\"\\") == std::string_view::npos;
}

constexpr std::string_view kOfSlug = "abcdefghijklmnopqrstuvwxyz0123456789_-";
constexpr std::string_view kOfReference = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

}  // namespace

std::string provider_url_fault(std::string_view text) {
    bool const tls = text.starts_with("https://");
    if (!tls && !text.starts_with("http://")) return fmt::format("'{}' does not begin with https://", text);
    auto const rest = text.substr(text.find("://") + 3);
    if (rest.empty() || rest.front() == '/') return fmt::format("'{}' names no host", text);
    if (rest.find('@') != std::string_view::npos) return "must not name who signs in: a secret in a file does";
    if (rest.find_first_of(" ?#") != std::string_view::npos) return fmt::format("'{}' is more than an address", text);
    if (rest.back() == '/') return fmt::format("'{}' ends with a slash", text);
    auto const host = text.substr(0, text.find('/', text.find("://") + 3));
    if (!tls && !is_loopback(host_of(host))) return fmt::format("'{}' is not of this machine, and so needs TLS", text);
    return "";
}

std::string registry_fault(Config const& config) {
    if (config.credential_registry != "http") {
        return config.credential_registry_url.empty()
                   ? ""
                   : "'registry_sim' asks nobody, and credential_registry_url names a registry";
    }
    if (config.credential_registry_url.empty()) return "'http' needs credential_registry_url";
    if (config.credential_registry_secret_file.empty()) return "'http' needs credential_registry_secret_file";
    return "";
}

tl::expected<std::vector<ComposioApp>, std::string> parse_composio_apps(std::string_view text) {
    std::vector<ComposioApp> apps;
    while (!text.empty()) {
        auto const entry = take_entry(text);
        auto const [app, reference] = parts_of(entry);
        if (!is_made_of(app, kOfSlug, 64) || !is_made_of(reference, kOfReference, 100)) {
            return tl::unexpected(
                fmt::format("'{}' is not the slug of an app, '=' and the id of an auth config", entry));
        }
        if (app == "demo" || std::ranges::count(apps, app, &ComposioApp::app) > 0) {
            return tl::unexpected(fmt::format("'{}' names an app that there is already", entry));
        }
        apps.push_back({std::string(app), std::string(reference)});
    }
    return apps;
}

std::string composio_apps_fault(std::string_view text) {
    auto const apps = parse_composio_apps(text);
    return apps ? "" : apps.error();
}

std::string apps_fault(Config const& config) {
    if (config.composio_apps.empty() == config.composio_api_key_file.empty()) return "";
    return config.composio_apps.empty() ? "needs composio_apps, which names what can be connected"
                                        : "needs composio_api_key_file";
}

tl::expected<std::vector<std::pair<std::string, std::string>>, std::string> parse_llm_models(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> models;
    while (!text.empty()) {
        auto const entry = take_entry(text);
        auto const [tier, model] = parts_of(entry);
        if (!is_of_tier(tier, model)) {
            return tl::unexpected(fmt::format("'{}' is not basic, standard or advanced, '=' and a model", entry));
        }
        if (std::ranges::count(models, tier, &std::pair<std::string, std::string>::first) > 0) {
            return tl::unexpected(fmt::format("'{}' names a tier that has a model already", entry));
        }
        models.emplace_back(tier, model);
    }
    return models;
}

std::string llm_models_fault(std::string_view text) {
    auto const models = parse_llm_models(text);
    return models ? "" : models.error();
}

tl::expected<PatternsByTier, std::string> parse_model_tiers(std::string_view text) {
    PatternsByTier tiers;
    for (auto const tier : kTiers) tiers.emplace_back(tier, std::vector<std::string>());
    std::vector<std::string_view> named;
    while (!text.empty()) {
        auto const entry = take_entry(text);
        auto const [tier, pattern] = parts_of(entry);
        bool const printable = std::ranges::all_of(pattern, [](char c) { return c > ' ' && c < '\x7f'; });
        if (!is_of_tier(tier, pattern) || !printable) {
            return tl::unexpected(
                fmt::format("'{}' is not basic, standard or advanced, '=' and a pattern of models' names", entry));
        }
        if (std::ranges::count(named, pattern) > 0) {
            return tl::unexpected(fmt::format("'{}' names a pattern that has a tier already", entry));
        }
        if (named.size() == kMostPatterns)
            return tl::unexpected(fmt::format("has more than {} patterns", kMostPatterns));
        named.push_back(pattern);
        std::ranges::find(tiers, tier, &PatternsByTier::value_type::first)->second.emplace_back(pattern);
    }
    for (auto const& [tier, patterns] : tiers) {
        if (patterns.empty()) return tl::unexpected(fmt::format("names no models of the tier {}", tier));
    }
    return tiers;
}

std::string model_tiers_fault(std::string_view text) {
    auto const tiers = parse_model_tiers(text);
    return tiers ? "" : tiers.error();
}

std::string llm_fault(Config const& config) {
    if (config.llm_provider == "none") return "";
    if (config.llm_base_url.empty()) return fmt::format("'{}' needs llm_base_url", config.llm_provider);
    if (config.llm_models.empty()) return fmt::format("'{}' needs llm_models", config.llm_provider);
    return "";
}

}  // namespace workforce::core
