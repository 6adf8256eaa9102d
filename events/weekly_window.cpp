// Days and minutes.
#include "events/weekly_window.hpp"

#include <algorithm>

namespace workforce::events {
namespace {

/// 1 is Monday; 1970-01-01 was a Thursday.
std::int64_t weekday(core::Date date) {
    auto const since_monday = (std::int64_t{date.days} + 3) % 7;
    return (since_monday < 0 ? since_monday + 7 : since_monday) + 1;
}

bool has_day(WeeklyWindow const& window, core::Date date) {
    return std::ranges::any_of(window.days, [day = weekday(date)](auto const& each) { return each.value == day; });
}

}  // namespace

void WeeklyWindow::check(core::FieldCheck& fields) const {
    if (!fields.sound("days")) return;
    std::vector<std::int64_t> seen;
    for (auto const& day : days) {
        if (std::ranges::find(seen, day.value) != seen.end()) return fields.fail("days", "unique", "names a day twice");
        seen.push_back(day.value);
    }
    if (days.empty()) fields.fail("days", "min_items", "must name at least one day");
}

bool contains(WeeklyWindow const& window, core::LocalTime const& reading) {
    auto const& [date, time] = reading;
    bool const within_a_day = window.from < window.to;
    if (within_a_day) return window.from <= time && time < window.to && has_day(window, date);
    if (time >= window.from) return has_day(window, date);
    return time < window.to && has_day(window, {date.days - 1});
}

}  // namespace workforce::events
