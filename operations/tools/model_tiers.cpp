// The grades, as they are configured.
#include "operations/tools/model_tiers.hpp"

#include <stdexcept>

#include "core/config.hpp"
#include "core/config_providers.hpp"

namespace workforce::operations {

ModelTiers read_model_tiers(std::string_view setting) {
    auto configured = core::parse_model_tiers(setting);
    if (!configured) throw std::logic_error("model_tiers: " + configured.error());
    ModelTiers tiers;
    for (auto& [tier, patterns] : *configured) {
        tiers.push_back({core::parse_enum<events::ModelTier>(tier).value(), std::move(patterns)});
    }
    return tiers;
}

ModelTiers usual_model_tiers() { return read_model_tiers(core::Config().model_tiers); }

}  // namespace workforce::operations
