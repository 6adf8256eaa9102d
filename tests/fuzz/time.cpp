// Moments, dates and times of day: what parses is written back as the same moment.
#include "core/time.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {

void fuzz(std::string_view input) {
    if (auto const moment = core::parse_timestamp(input)) {
        auto const again = core::parse_timestamp(core::to_string(*moment));
        require(again && again->ms == moment->ms, "a moment comes back");
    }
    if (auto const date = core::parse_date(input)) require(core::to_string(*date) == input, "a date has one text");
    if (auto const time = core::parse_time_of_day(input)) {
        require(core::to_string(*time) == input, "a time of day has one text");
    }
    auto const zone = take_until(input, ' ');
    auto const date = core::parse_date(take_until(input, ' '));
    auto const time = core::parse_time_of_day(input);
    if (!date || !time || !core::is_time_zone(zone)) return;
    auto const local = core::local_date(core::to_utc(*date, *time, zone), zone);
    require(local.days >= date->days && local.days <= date->days + 1, "a wall clock's time is of its day, or skipped");
}

}  // namespace workforce::tests
