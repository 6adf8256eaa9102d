// Distances between names.
#include "core/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace workforce::core {
namespace {

constexpr std::size_t kShown = 3;

/// How many letters to insert, drop or replace to make one of the other (Levenshtein).
std::size_t distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), 0U);
    for (std::size_t i = 1; i <= one.size(); ++i) {
        auto diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= other.size(); ++j) {
            auto const replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
        }
    }
    return row.back();
}

}  // namespace

std::string suggest(std::string_view given, std::span<std::string_view const> known,
                    std::string (*shown)(std::string_view name)) {
    auto const bound = std::max<std::size_t>(2, given.size() / 3);
    std::vector<std::pair<std::size_t, std::string_view>> near;
    for (auto const name : known) {
        bool const begun = given.size() >= 3 && name.starts_with(given);
        auto const far = begun ? 0 : distance(given, name);
        if (far <= bound) near.emplace_back(far, name);
    }
    std::sort(near.begin(), near.end());
    std::erase_if(near,
                  [least = near.empty() ? 0 : near.front().first](auto const& each) { return each.first > least; });
    std::string text;
    for (std::size_t i = 0; i < std::min(near.size(), kShown); ++i) {
        (text += i == 0 ? "; did you mean " : " or ") += shown ? shown(near[i].second) : std::string(near[i].second);
    }
    return text.empty() ? text : text + '?';
}

}  // namespace workforce::core
