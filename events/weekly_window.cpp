// Days and minutes.
#include "events/weekly_window.hpp"

#include <algorithm>

namespace workforce::events {
namespace {

bool has_day(WeeklyWindow const& window, core::Date date) {
    return std::ranges::any_of(window.days, [day = weekday_of(date)](auto const& each) { return each.value == day; });
}

}  // namespace

std::int64_t weekday_of(core::Date date) {
    auto const since_monday = (std::int64_t{date.days} + 3) % 7;  // 1970-01-01 was a Thursday
    return (since_monday < 0 ? since_monday + 7 : since_monday) + 1;
}

void check_weekdays(std::string_view member, Weekdays const& days, core::FieldCheck& fields) {
    if (!fields.sound(member)) return;
    std::vector<std::int64_t> seen;
    for (auto const& day : days) {
        if (std::ranges::find(seen, day.value) != seen.end()) return fields.fail(member, "unique", "names a day twice");
        seen.push_back(day.value);
    }
    if (days.empty()) fields.fail(member, "min_items", "must name at least one day");
}

void WeeklyWindow::check(core::FieldCheck& fields) const { check_weekdays("days", days, fields); }

bool contains(WeeklyWindow const& window, core::LocalTime const& reading) {
    auto const& [date, time] = reading;
    bool const within_a_day = window.from < window.to;
    if (within_a_day) return window.from <= time && time < window.to && has_day(window, date);
    if (time >= window.from) return has_day(window, date);
    return time < window.to && has_day(window, {date.days - 1});
}

}  // namespace workforce::events
