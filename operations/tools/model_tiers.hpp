// Grades of models, and which models have them (domain 1.11).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/api_key.hpp"

namespace workforce::operations {

/// One grade.
struct ModelTierRow {
    events::ModelTier tier = events::ModelTier::basic;
    std::vector<std::string> equivalence;  ///< patterns of models' names, with `*` for any text
};

/// All grades, from the least on.
using ModelTiers = std::vector<ModelTierRow>;

/// The grades that the setting `model_tiers` tells. Throws std::logic_error for a text that the configuration refuses.
ModelTiers read_model_tiers(std::string_view setting);

/// Those of an installation that configures none.
ModelTiers usual_model_tiers();

}  // namespace workforce::operations
