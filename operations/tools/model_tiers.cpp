// The grades.
#include "operations/tools/model_tiers.hpp"

#include <cstddef>

namespace workforce::operations {

std::span<ModelTierRow const> model_tiers() {
    using enum events::ModelTier;
    static std::vector<ModelTierRow> const rows{
        {basic, {"*-nano", "*-lite"}},
        {standard, {"*-mini", "*-flash", "*-haiku*"}},
        {advanced, {"*-pro", "*-sonnet*", "*-opus*", "gpt-*"}},
    };
    return rows;
}

ModelTierRow const& row_of(events::ModelTier tier) { return model_tiers()[static_cast<std::size_t>(tier)]; }

}  // namespace workforce::operations
