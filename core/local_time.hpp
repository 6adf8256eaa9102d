// Wall clocks over changes of the clocks: what they show, and when they come to show it.
#pragma once

#include <string_view>

#include "core/time.hpp"

namespace workforce::core {

/// What a wall clock shows.
struct LocalTime {
    Date date;
    TimeOfDay time;
    auto operator<=>(LocalTime const&) const = default;
};

/// What wall clocks in the zone show at that moment, its seconds cut off. Throws std::invalid_argument for an unknown
/// zone. Thread-safe, like all functions here.
LocalTime local_time(Timestamp timestamp, std::string_view zone);

/// The first moment at which wall clocks in the zone show that reading, or have passed it: of one that a change of the
/// clocks skips the moment of the change, of one that occurs twice the first. A later reading is never reached before
/// an earlier one. Throws as local_time().
Timestamp first_reached(LocalTime const& reading, std::string_view zone);

}  // namespace workforce::core
