// Grades of models, and which models have them (domain 1.11).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "events/api_key.hpp"

namespace workforce::operations {

/// One grade, from the least on.
struct ModelTierRow {
    events::ModelTier tier = events::ModelTier::basic;
    std::vector<std::string_view> equivalence;  ///< patterns of models' names, with `*` for any text
};

/// All grades.
std::span<ModelTierRow const> model_tiers();
/// The row of a grade.
ModelTierRow const& row_of(events::ModelTier tier);

}  // namespace workforce::operations
