// Residences, and positions of all of them.
#include "commands/needs.hpp"

#include <algorithm>
#include <vector>

namespace workforce::commands {

events::Kind resident_kind(events::Kind kind) {
    return events::residence_of(kind) == events::Residence::with_organization ? events::Kind::organization : kind;
}

std::span<events::Kind const> Positions::residences() {
    static auto const all = [] {
        std::vector<events::Kind> kinds;
        for (auto const kind : events::kAllKinds) {
            if (resident_kind(kind) == kind) kinds.push_back(kind);
        }
        return kinds;
    }();
    return all;
}

std::int64_t Positions::least() const {
    auto const kinds = residences();
    return (*this)[*std::ranges::min_element(kinds, {}, [&](events::Kind kind) { return (*this)[kind]; })];
}

std::int64_t Positions::greatest() const {
    auto const kinds = residences();
    return (*this)[*std::ranges::max_element(kinds, {}, [&](events::Kind kind) { return (*this)[kind]; })];
}

}  // namespace workforce::commands
