// Schedules: what one names is found, in order, and each moment is the first of what it stands for.
#include "core/cron.hpp"

#include <array>

#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

bool has_come(core::Cron const& cron, core::Timestamp moment, std::string_view zone) {
    auto const shown = core::local_time(moment, zone);
    for (auto reading = core::local_time({moment.ms - 60'000}, zone); reading < shown;) {
        bool const midnight = ++reading.time.minutes == 24 * 60;
        if (midnight) reading = {{reading.date.days + 1}, {0}};
        if (cron.names(reading)) return true;
    }
    return false;
}

}  // namespace

void fuzz(std::string_view input) {
    constexpr std::array<std::string_view, 5> kZones{"UTC", "Europe/Berlin", "America/Havana", "Australia/Lord_Howe",
                                                     "Pacific/Apia"};
    auto const zone = kZones.at(take_byte(input) % kZones.size());
    // From 2008 on, in steps of some days.
    core::Timestamp at{1'200'000'000'000 + take_byte(input) * 400'000'007LL};
    if (!is_utf8(input)) return;  // fields are texts
    auto const cron = core::Cron::parse(input);
    if (!cron) return require(!cron.error().empty() && is_utf8(cron.error()), "what is wrong is said");
    auto const distance = cron->shortest_distance();
    require(distance >= 1 && distance <= 24 * 60, "a distance is one of minutes of a day");
    for (int i = 0; i < 3; ++i) {
        auto const next = cron->next(at, zone);
        require(next && *next > at, "a schedule that was taken has a next moment");
        require(has_come(*cron, *next, zone), "within the minute before, the clock came to or past what it names");
        at = *next;
    }
}

}  // namespace workforce::tests
