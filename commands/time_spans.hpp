// Time that somebody's shifts take.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "core/time.hpp"

namespace workforce::commands {

/// Spans of time [start, end), each of some length; those that overlap are one. Both functions take the logarithm of
/// how many there are, add() together with what it joins. `Less` orders moments.
template <class Less = std::less<>>
class TimeSpans {
   public:
    [[nodiscard]] bool overlaps(core::Timestamp starts, core::Timestamp ends) const {
        auto const after = spans_.lower_bound(ends);
        return after != spans_.begin() && starts < std::prev(after)->second;
    }

    void add(core::Timestamp starts, core::Timestamp ends) {
        auto after = spans_.lower_bound(ends);
        while (after != spans_.begin() && starts < std::prev(after)->second) {
            auto const joined = std::prev(after);
            starts = std::min(starts, joined->first);
            ends = std::max(ends, joined->second);
            after = spans_.erase(joined);
        }
        spans_.emplace_hint(after, starts, ends);
    }

    /// Calls `visit(starts, ends)` for each that overlaps [from, to), oldest first.
    template <class Visit>
    void each_within(core::Timestamp from, core::Timestamp to, Visit visit) const {
        auto at = spans_.upper_bound(from);
        if (at != spans_.begin() && from < std::prev(at)->second) --at;
        for (; at != spans_.end() && at->first < to; ++at) visit(at->first, at->second);
    }

    /// How many they are, those that overlap taken for one.
    [[nodiscard]] std::size_t count() const { return spans_.size(); }

   private:
    std::map<core::Timestamp, core::Timestamp, Less> spans_;  // by start; ends are in the same order
};

}  // namespace workforce::commands
