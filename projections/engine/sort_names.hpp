// What callers may sort a list by.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "projections/engine/statements.hpp"

namespace workforce::projections {

/// All that `sort` may be: each key, and each with '-' before it.
inline std::vector<std::string> sort_names(std::span<SortKey const> keys) {
    std::vector<std::string> names;
    for (auto const& key : keys) {
        names.emplace_back(key.name);
        names.push_back('-' + names.back());
    }
    return names;
}

}  // namespace workforce::projections
