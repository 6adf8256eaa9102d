// Times of the week, as wall clocks of a zone show them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/json.hpp"
#include "core/local_time.hpp"
#include "core/text.hpp"

namespace workforce::events {

/// Days of the week; 1 is Monday.
using Weekdays = std::vector<core::Int<1, 7>>;
/// The day of the week of a date.
std::int64_t weekday_of(core::Date date);
/// The rules of days in a member of that name, as a caller gives them: there is one, and none twice.
void check_weekdays(std::string_view member, Weekdays const& days, core::FieldCheck& fields);

/// On these days from one time to another. Where `to` is not later than `from` it ends on the day after, and belongs to
/// the day on which it began.
struct WeeklyWindow {
    Weekdays days;
    core::TimeOfDay from;
    core::TimeOfDay to;  ///< no part of it
    core::TimeZoneName timezone;

    static constexpr std::array<std::string_view, 4> kRequired{"days", "from", "to", "timezone"};
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(WeeklyWindow, (), (days, from, to, timezone))

/// Whether wall clocks that show that reading are within the window. A reading that a change of the clocks skips is
/// shown by none, and one that comes twice is within it both times. Thread-safe.
bool contains(WeeklyWindow const& window, core::LocalTime const& reading);

}  // namespace workforce::events
