// Rules of the settings that say who outside is asked: where they are, and what for.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "core/config.hpp"

namespace workforce::core {

/// What is wrong with the address of somebody whom secrets or people's data are sent to, in one line, or "": it has to
/// be https://, or http:// of this machine. A path may follow.
std::string provider_url_fault(std::string_view text);

/// The fault of settings of the registry of credentials that are good each on its own, in one line, or "".
std::string registry_fault(Config const& config);

/// An app that Composio connects.
struct ComposioApp {
    std::string app;          ///< the toolkit's slug
    std::string auth_config;  ///< by which accounts of it are connected
};

/// Reads "github=ac_1,slack=ac_2". Errors: what is wrong, in one line.
tl::expected<std::vector<ComposioApp>, std::string> parse_composio_apps(std::string_view text);
/// As parse_composio_apps(): what is wrong, or "".
std::string composio_apps_fault(std::string_view text);
/// What is wrong with settings of apps that are good each on its own, in one line, or "".
std::string apps_fault(Config const& config);

/// Reads "standard=gpt-5-mini,advanced=gpt-5": models by the tiers of agents, each tier once. Errors: what is wrong, in
/// one line.
tl::expected<std::vector<std::pair<std::string, std::string>>, std::string> parse_llm_models(std::string_view text);
/// As parse_llm_models(): what is wrong, or "".
std::string llm_models_fault(std::string_view text);
/// Patterns of the names of models, by the grades that these have.
using PatternsByTier = std::vector<std::pair<std::string, std::vector<std::string>>>;
/// Reads "basic=*-nano,standard=*-mini,advanced=gpt-*": patterns of the names of models by grades, any number of each.
/// Gives the grades from the least on, each with one pattern at least, in their order. Errors: what is wrong, in one
/// line.
tl::expected<PatternsByTier, std::string> parse_model_tiers(std::string_view text);
/// As parse_model_tiers(): what is wrong, or "".
std::string model_tiers_fault(std::string_view text);

/// What is wrong with settings of models that are good each on its own, in one line, or "".
std::string llm_fault(Config const& config);

}  // namespace workforce::core
