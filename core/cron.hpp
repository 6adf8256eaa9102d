// Schedules as crontab(5) has them: five fields, read in the time of a zone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/local_time.hpp"

namespace workforce::core {

/// A schedule. A value; thread-safe.
class Cron {
   public:
    /// Reads five fields with blanks between them: minute, hour, day of the month, month, day of the week. Each is `*`,
    /// a number, a range, either of the former two with a step, or several of these with commas between them; months
    /// and days of the week have names, and Sunday is 0 and 7. Errors: what is wrong, for people; also of a schedule
    /// for a date that never comes.
    static tl::expected<Cron, std::string> parse(std::string_view text);

    /// The first moment after `after` that it names in the zone: of a time that a change of the clocks skips the moment
    /// of the change, of one that occurs twice the first. Nothing where there is none within 28 years. Throws
    /// std::invalid_argument for an unknown zone.
    [[nodiscard]] std::optional<Timestamp> next(Timestamp after, std::string_view zone) const;

    /// Whether it names what a wall clock shows.
    [[nodiscard]] bool names(LocalTime const& reading) const;

    /// The least number of minutes on the clock between two times that it names; those of a day where it names one.
    [[nodiscard]] int shortest_distance() const;

   private:
    Cron() = default;

    /// Whether it names times of the day: where both of its day fields are restricted, one of them has to.
    [[nodiscard]] bool names_day(Date date) const;
    /// The first minute of a day from that one on, or nothing.
    [[nodiscard]] std::optional<int> next_minute(int minute) const;

    // A bit for each value.
    std::uint64_t minutes_ = 0;
    std::uint64_t hours_ = 0;
    std::uint64_t days_ = 0;
    std::uint64_t months_ = 0;
    std::uint64_t weekdays_ = 0;  // 0: Sunday
    bool either_day_ = false;
};

}  // namespace workforce::core
