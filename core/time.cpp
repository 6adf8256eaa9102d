// Texts of moments by hand (they are in every answer and event); time zones by the date library.
#include "core/time.hpp"

#include <date/date.h>
#include <date/tz.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "core/local_time.hpp"

namespace workforce::core {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int32_t kFirstDay = date::sys_days{date::year{0} / 1 / 1}.time_since_epoch().count();
constexpr std::int32_t kLastDay = date::sys_days{date::year{9999} / 12 / 31}.time_since_epoch().count();

void put(char* at, unsigned value, int digits) {
    for (int i = digits - 1; i >= 0; --i) {
        at[i] = static_cast<char>('0' + value % 10);
        value /= 10;
    }
}

void put_date(char* at, std::int32_t days) {
    date::year_month_day const ymd{date::sys_days{date::days{days}}};
    put(at, static_cast<unsigned>(static_cast<int>(ymd.year())), 4);
    at[4] = '-';
    put(at + 5, static_cast<unsigned>(ymd.month()), 2);
    at[7] = '-';
    put(at + 8, static_cast<unsigned>(ymd.day()), 2);
}

/// Takes characters from the front of a text; once something does not fit, `failed` stays set and values mean nothing.
struct Reader {
    std::string_view rest;
    bool failed = false;

    int number(std::size_t digits) {
        if (rest.size() < digits) return fail();
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (rest[i] < '0' || rest[i] > '9') return fail();
            value = value * 10 + (rest[i] - '0');
        }
        rest.remove_prefix(digits);
        return value;
    }
    int number(std::size_t digits, int last) {
        int const value = number(digits);
        return value <= last ? value : fail();
    }
    bool skip(char wanted) {
        if (rest.empty() || rest.front() != wanted) return false;
        rest.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!skip(wanted)) fail();
    }
    int fail() {
        failed = true;
        return 0;
    }
    [[nodiscard]] bool complete() const { return !failed && rest.empty(); }

    std::int32_t date() {
        int const year = number(4);
        expect('-');
        auto const month = static_cast<unsigned>(number(2));
        expect('-');
        auto const day = static_cast<unsigned>(number(2));
        auto const ymd = date::year{year} / static_cast<int>(month) / static_cast<int>(day);
        if (failed || !ymd.ok()) return fail();
        return date::sys_days{ymd}.time_since_epoch().count();
    }

    /// After the seconds: nothing, or '.' and 1–9 digits, cut to milliseconds.
    int fraction_ms() {
        if (!skip('.')) return 0;
        std::size_t digits = 0;
        int value = 0;
        for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
            if (digits < 3) value = value * 10 + (rest[digits] - '0');
        }
        if (digits == 0 || digits > 9) return fail();
        rest.remove_prefix(digits);
        for (std::size_t i = digits; i < 3; ++i) value *= 10;
        return value;
    }

    /// 'Z' or ±HH:MM, in minutes east of UTC.
    int offset_minutes() {
        if (skip('Z') || skip('z')) return 0;
        int const sign = skip('-') ? -1 : 1;
        if (sign > 0) expect('+');
        int const hours = number(2, 23);
        expect(':');
        return sign * (hours * 60 + number(2, 59));
    }
};

/// locate_zone is a binary search in a list that is read once and never changes: a cache of ours would gain nothing.
date::time_zone const& zone_of(std::string_view name) {
    try {
        // The list has the machine's own zone too, which means something else elsewhere.
        if (name != "localtime") return *date::locate_zone(name);
    } catch (std::runtime_error const&) {
        // not in the list either
    }
    throw std::invalid_argument("unknown time zone: " + std::string(name));
}

}  // namespace

std::string to_string(Timestamp timestamp) {
    std::int64_t const ms = std::clamp(timestamp.ms, kFirstDay * kDayMs, (kLastDay + 1) * kDayMs - 1);
    std::int64_t const day = ms >= 0 ? ms / kDayMs : (ms - kDayMs + 1) / kDayMs;
    auto const rest = static_cast<unsigned>(ms - day * kDayMs);
    std::string text = "0000-00-00T00:00:00.000Z";
    put_date(text.data(), static_cast<std::int32_t>(day));
    put(text.data() + 11, rest / 3'600'000, 2);
    put(text.data() + 14, rest / 60'000 % 60, 2);
    put(text.data() + 17, rest / 1000 % 60, 2);
    put(text.data() + 20, rest % 1000, 3);
    return text;
}

std::string to_string(Date date) {
    std::string text = "0000-00-00";
    put_date(text.data(), std::clamp(date.days, kFirstDay, kLastDay));
    return text;
}

std::string to_string(TimeOfDay time) {
    std::string text = "00:00";
    put(text.data(), static_cast<unsigned>(time.minutes) / 60, 2);
    put(text.data() + 3, static_cast<unsigned>(time.minutes) % 60, 2);
    return text;
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    Reader reader{text};
    std::int64_t const days = reader.date();
    if (!reader.skip('T')) reader.expect('t');
    int const hours = reader.number(2, 23);
    reader.expect(':');
    int const minutes = reader.number(2, 59);
    reader.expect(':');
    int const seconds = reader.number(2, 59);
    int const ms = reader.fraction_ms();
    int const offset = reader.offset_minutes();
    if (!reader.complete()) return std::nullopt;
    Timestamp const result{days * kDayMs + (hours * 60 + minutes - offset) * 60'000LL + seconds * 1000LL + ms};
    if (result.ms < kFirstDay * kDayMs || result.ms >= (kLastDay + 1) * kDayMs) return std::nullopt;
    return result;
}

std::optional<Date> parse_date(std::string_view text) {
    Reader reader{text};
    Date const result{reader.date()};
    return reader.complete() ? std::optional(result) : std::nullopt;
}

std::optional<TimeOfDay> parse_time_of_day(std::string_view text) {
    Reader reader{text};
    int const hours = reader.number(2, 23);
    reader.expect(':');
    int const minutes = reader.number(2, 59);
    if (!reader.complete()) return std::nullopt;
    return TimeOfDay{static_cast<std::int16_t>(hours * 60 + minutes)};
}

Timestamp now() {
    using namespace std::chrono;
    return {duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
}

bool is_time_zone(std::string_view name) {
    try {
        zone_of(name);
        return true;
    } catch (std::invalid_argument const&) {
        return false;
    }
}

Timestamp to_utc(Date date, TimeOfDay time, std::string_view zone) {
    date::local_seconds const local = date::local_days{date::days{date.days}} + std::chrono::minutes{time.minutes};
    // Before a gap and in the first of two passes the earlier offset holds, so `first` is the answer to all three
    // cases.
    auto const utc = local.time_since_epoch() - zone_of(zone).get_info(local).first.offset;
    return {std::chrono::milliseconds(utc).count()};
}

Date local_date(Timestamp timestamp, std::string_view zone) {
    date::sys_time<std::chrono::milliseconds> const moment{std::chrono::milliseconds{timestamp.ms}};
    return {date::floor<date::days>(zone_of(zone).to_local(moment)).time_since_epoch().count()};
}

LocalTime local_time(Timestamp timestamp, std::string_view zone) {
    date::sys_time<std::chrono::milliseconds> const moment{std::chrono::milliseconds{timestamp.ms}};
    auto const local = date::floor<std::chrono::minutes>(zone_of(zone).to_local(moment));
    auto const day = date::floor<date::days>(local);
    return {{day.time_since_epoch().count()}, {static_cast<std::int16_t>((local - day).count())}};
}

Timestamp first_reached(LocalTime const& reading, std::string_view zone) {
    date::local_seconds const local =
        date::local_days{date::days{reading.date.days}} + std::chrono::minutes{reading.time.minutes};
    auto const info = zone_of(zone).get_info(local);
    auto const moment = info.result == date::local_info::nonexistent ? info.first.end.time_since_epoch()
                                                                     : local.time_since_epoch() - info.first.offset;
    return {std::chrono::milliseconds(moment).count()};
}

}  // namespace workforce::core
