// One end of a span of time that a query names.
#pragma once

#include "core/json.hpp"
#include "core/text.hpp"

namespace workforce::core {

enum class End : std::uint8_t { first, last };

/// The first or the last moment of a span, itself within: as a timestamp, or by a day in UTC, all of which is within.
template <End E>
struct DayOrMoment {
    Timestamp value;

    DayOrMoment() = default;
    DayOrMoment(Timestamp moment) : value(moment) {}  // NOLINT: a timestamp is one
    /// The day's own first or last moment.
    explicit DayOrMoment(Date day) : value{day.days * kDayMs + (E == End::last ? kDayMs - 1 : 0)} {}

   private:
    static constexpr std::int64_t kDayMs = 86'400'000;
};

template <End E>
struct JsonType<DayOrMoment<E>> {
    static void write(JsonWriter& w, DayOrMoment<E> const& v) { w.string(to_string(v.value)); }
    static void read(JsonValue const& v, DayOrMoment<E>& out, JsonReader& r) {
        std::string_view const text = v.IsString() ? std::string_view{v.GetString(), v.GetStringLength()} : "";
        auto const day = parse_date(text);
        auto const moment = day ? std::optional(DayOrMoment<E>(*day).value) : parse_timestamp(text);
        if (!moment) return r.fail("timestamp", "must be a date, YYYY-MM-DD, or an RFC 3339 timestamp");
        if (r.outside() && *moment < kFirstMoment) return r.fail("range", "must be of the years 1 to 9999, in UTC");
        out.value = *moment;
    }
    static void schema(JsonWriter& w) {
        w.member("type", "string");
        w.key("anyOf");
        w.raw(R"([{"format":"date"},{"format":"date-time"}])");
        w.member("description", E == End::first ? "Then or later; a date begins with its day, in UTC"
                                                : "Then or earlier; a date ends with its day, in UTC");
    }
};

}  // namespace workforce::core
