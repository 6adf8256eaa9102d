// The fields of crontab(5) as bits, and the search for the next moment.
#include "core/cron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <vector>

#include "core/ascii.hpp"

namespace workforce::core {
namespace {

constexpr int kMinutesOfDay = 24 * 60;
constexpr int kMostStep = 999;
/// Calendars repeat themselves after so many days, but for years without a leap day at the turn of a century.
constexpr std::int32_t kCalendarDays = 28 * 365 + 7;
constexpr std::int32_t kLastCronDay = 2'932'896;  // 9999-12-31

constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct CronField {
    std::string_view name;
    int first;
    int last;
    std::span<std::string_view const> names;  ///< of its values from `first` on
};
constexpr std::array<CronField, 5> kFields{{{"minute", 0, 59, {}},
                                            {"hour", 0, 23, {}},
                                            {"day of the month", 1, 31, {}},
                                            {"month", 1, 12, kMonths},
                                            {"day of the week", 0, 7, kWeekdays}}};

using Fault = tl::unexpected<std::string>;
Fault fault(CronField const& field, std::string_view part, std::string_view what) {
    return Fault(fmt::format("has '{}' as {}, which {}", part, field.name, what));
}

std::optional<int> parse_number(std::string_view text) {
    int value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const digits = !text.empty() && text.front() != '-';
    return digits && error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// A value of the field by its number or name.
tl::expected<int, std::string> parse_value(CronField const& field, std::string_view text, std::string_view part) {
    if (auto const number = parse_number(text)) {
        if (*number >= field.first && *number <= field.last) return *number;
        return fault(field, part, fmt::format("is not from {} to {}", field.first, field.last));
    }
    auto const found = std::ranges::find(field.names, ascii_lower(text));
    if (found != field.names.end()) return field.first + static_cast<int>(found - field.names.begin());
    return fault(field, part, "is neither a number nor *, a range or a step over one");
}

/// What stands between two commas, as bits.
tl::expected<std::uint64_t, std::string> parse_part(CronField const& field, std::string_view part) {
    auto const slash = part.find('/');
    auto const range = part.substr(0, slash);
    auto const dash = range.find('-');
    int low = field.first;
    int high = field.last;
    if (range != "*") {
        auto const first = parse_value(field, range.substr(0, dash), part);
        if (!first) return Fault(first.error());
        low = high = *first;
        if (dash != std::string_view::npos) {
            auto const last = parse_value(field, range.substr(dash + 1), part);
            if (!last) return Fault(last.error());
            high = *last == 0 && low > 0 && field.last == 7 ? 7 : *last;  // to Sunday
        } else if (slash != std::string_view::npos) {
            return fault(field, part, "has a step that goes over no range");
        }
        if (low > high) return fault(field, part, "is a range that ends before it begins");
    }
    int step = 1;
    if (slash != std::string_view::npos) {
        auto const given = parse_number(part.substr(slash + 1));
        if (!given || *given < 1 || *given > kMostStep) return fault(field, part, "has no step from 1 to 999");
        step = *given;
    }
    std::uint64_t bits = 0;
    for (int value = low; value <= high; value += step) bits |= std::uint64_t{1} << value;
    return bits;
}

tl::expected<std::uint64_t, std::string> parse_field(CronField const& field, std::string_view text) {
    std::uint64_t bits = 0;
    for (bool more = true; more;) {
        auto const comma = text.find(',');
        auto const part = parse_part(field, text.substr(0, comma));
        if (!part) return Fault(part.error());
        bits |= *part;
        more = comma != std::string_view::npos;
        if (more) text.remove_prefix(comma + 1);
    }
    return bits;
}

std::vector<std::string_view> split_fields(std::string_view text) {
    std::vector<std::string_view> fields;
    for (std::size_t at = 0; at < text.size();) {
        auto const begin = text.find_first_not_of(" \t", at);
        if (begin == std::string_view::npos) break;
        at = std::min(text.find_first_of(" \t", begin), text.size());
        fields.push_back(text.substr(begin, at - begin));
    }
    return fields;
}

bool has_bit(std::uint64_t bits, unsigned value) { return (bits >> value & 1) != 0; }

}  // namespace

tl::expected<Cron, std::string> Cron::parse(std::string_view text) {
    auto const fields = split_fields(text);
    if (fields.size() != kFields.size()) {
        return Fault("must have five fields: minute, hour, day of the month, month and day of the week");
    }
    Cron cron;
    std::array const bits{&cron.minutes_, &cron.hours_, &cron.days_, &cron.months_, &cron.weekdays_};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        auto const parsed = parse_field(kFields.at(i), fields[i]);
        if (!parsed) return Fault(parsed.error());
        *bits.at(i) = *parsed;
    }
    if (has_bit(cron.weekdays_, 7)) cron.weekdays_ |= 1;
    cron.either_day_ = fields[2].front() != '*' && fields[4].front() != '*';
    for (std::int32_t day = 0; day < kCalendarDays; ++day) {
        if (cron.names_day({day})) return cron;
    }
    return Fault("names a date that never comes");
}

bool Cron::names_day(Date date) const {
    std::chrono::sys_days const day{std::chrono::days{date.days}};
    std::chrono::year_month_day const ymd{day};
    if (!has_bit(months_, static_cast<unsigned>(ymd.month()))) return false;
    bool const of_month = has_bit(days_, static_cast<unsigned>(ymd.day()));
    bool const of_week = has_bit(weekdays_, std::chrono::weekday{day}.c_encoding());
    return either_day_ ? of_month || of_week : of_month && of_week;
}

bool Cron::names(LocalTime const& reading) const {
    auto const minute = static_cast<unsigned>(reading.time.minutes);
    return has_bit(hours_, minute / 60) && has_bit(minutes_, minute % 60) && names_day(reading.date);
}

std::optional<int> Cron::next_minute(int minute) const {
    for (; minute < kMinutesOfDay; ++minute) {
        auto const hour = static_cast<unsigned>(minute) / 60;
        if (!has_bit(hours_, hour)) {
            minute = static_cast<int>(hour) * 60 + 59;
        } else if (has_bit(minutes_, static_cast<unsigned>(minute) % 60)) {
            return minute;
        }
    }
    return std::nullopt;
}

std::optional<Timestamp> Cron::next(Timestamp after, std::string_view zone) const {
    auto const from = local_time(after, zone);
    auto const last = std::min(from.date.days + kCalendarDays, kLastCronDay);
    for (auto day = from.date.days; day <= last; ++day) {
        if (!names_day({day})) continue;
        auto minute = next_minute(day == from.date.days ? from.time.minutes : 0);
        for (; minute; minute = next_minute(*minute + 1)) {
            auto const moment = first_reached({{day}, {static_cast<std::int16_t>(*minute)}}, zone);
            if (moment > after) return moment;  // else of a reading that occurs once more
        }
    }
    return std::nullopt;
}

int Cron::shortest_distance() const {
    int const first = next_minute(0).value_or(0);
    int shortest = kMinutesOfDay;
    int before = first;
    for (auto minute = next_minute(first + 1); minute; minute = next_minute(*minute + 1)) {
        shortest = std::min(shortest, *minute - before);
        before = *minute;
    }
    int const over_midnight = first + kMinutesOfDay - before;
    if (over_midnight >= shortest) return shortest;
    bool named = false;
    for (std::int32_t day = 0; day <= kCalendarDays; ++day) {
        bool const names_it = names_day({day});
        if (named && names_it) return over_midnight;
        named = names_it;
    }
    return shortest;
}

}  // namespace workforce::core
