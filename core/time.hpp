// Moments, dates and times of day as plain integers, their texts, and wall clocks in time zones.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace workforce::core {

/// A moment: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
struct Timestamp {
    std::int64_t ms = 0;
    auto operator<=>(Timestamp const&) const = default;
};

/// A day of the proleptic Gregorian calendar: days since 1970-01-01.
struct Date {
    std::int32_t days = 0;
    auto operator<=>(Date const&) const = default;
};

/// A wall clock's reading: minutes since midnight, 0–1439.
struct TimeOfDay {
    std::int16_t minutes = 0;
    auto operator<=>(TimeOfDay const&) const = default;
};

/// RFC 3339 in UTC with milliseconds, `2026-07-24T10:00:00.000Z`. Moments outside the years 0000–9999, which have no
/// such text, give the nearest one that has.
std::string to_string(Timestamp timestamp);
/// `2026-07-24`; days outside the years 0000–9999 give the nearest one within.
std::string to_string(Date date);
/// `HH:MM`.
std::string to_string(TimeOfDay time);

/// Reads an RFC 3339 date-time (section 5.6) with any offset; a fraction of up to 9 digits is cut to milliseconds.
/// Nothing for any other text, for a day or time that does not exist, for a leap second (`:60`, which our count can't
/// tell from the second after it), and for moments that lie outside the years 0000–9999 in UTC.
std::optional<Timestamp> parse_timestamp(std::string_view text);
/// Reads `YYYY-MM-DD`; nothing for other texts and for days that the calendar does not have.
std::optional<Date> parse_date(std::string_view text);
/// Reads `HH:MM`, 00:00–23:59; nothing for other texts.
std::optional<TimeOfDay> parse_time_of_day(std::string_view text);

/// The wall clock. It may step back; who needs order keeps the latest value seen.
Timestamp now();

/// Whether the name is an IANA time zone (or an alias of one) that the machine's time zone data has.
bool is_time_zone(std::string_view name);

/// The moment at which wall clocks in the zone show that date and time. A reading that a change of the clocks skips is
/// moved forward by the gap (02:30 becomes 03:30); of one that occurs twice, the first is taken. Throws
/// std::invalid_argument for an unknown zone. Thread-safe, like all functions here.
Timestamp to_utc(Date date, TimeOfDay time, std::string_view zone);
/// The date that calendars in the zone show at that moment. Throws std::invalid_argument for an unknown zone.
Date local_date(Timestamp timestamp, std::string_view zone);

}  // namespace workforce::core
