// Reading of the field types, and what is wrong with values from outside.
#include <cmath>

#include "core/json_values.hpp"
#include "core/text.hpp"

namespace workforce::core {
namespace {

std::string so_many(std::size_t count) { return std::to_string(count) + (count == 1 ? " character" : " characters"); }

void check_length(std::string const& text, JsonReader& r, TextRules const& rules) {
    auto const size = count_code_points(text);
    if (size < rules.min) {
        r.fail("min_length", "must have at least " + so_many(rules.min));
    } else if (size > rules.max) {
        r.fail("max_length", "must have at most " + so_many(rules.max));
    }
}

/// How far from a hundredth a number may be that stands for it, in hundredths: 10^-6, and what doubles add to that.
constexpr double kArtefact = 1e-4 + 1e-9;

void fail_range(JsonReader& r, std::int64_t min, std::int64_t max) {
    r.fail("range", "must be from " + std::to_string(min) + " to " + std::to_string(max));
}

}  // namespace

void read_text(JsonValue const& v, std::string& out, JsonReader& r, TextRules const& rules) {
    JsonType<std::string>::read(v, out, r);
    if (!r.outside() || !v.IsString()) return;
    if (auto fault = clean_text(out, rules.form == TextForm::paragraph)) return r.fail("characters", *fault);
    check_length(out, r, rules);
}

void read_typed(JsonValue const& v, std::string& out, JsonReader& r, TextRules const& rules) {
    JsonType<std::string>::read(v, out, r);
    if (!v.IsString()) return;
    if (!is_typed(out)) return r.fail("characters", "must be text without control characters");
    check_length(out, r, rules);
}

void read_formatted(JsonValue const& v, std::string& out, JsonReader& r, FormatRules const& rules) {
    JsonType<std::string>::read(v, out, r);
    if (!r.outside() || !v.IsString()) return;
    if (auto fault = clean_text(out, false)) return r.fail("characters", *fault);
    rules.normalise(out);
    if (!rules.check(out)) r.fail(rules.rule, rules.message);
}

void JsonType<TimeZoneName>::read(JsonValue const& v, TimeZoneName& out, JsonReader& r) {
    JsonType<std::string>::read(v, out.value, r);
    if (r.outside() && v.IsString() && !is_time_zone(out.value))
        r.fail(TimeZonePolicy::kRule, TimeZonePolicy::kMessage);
}

void read_integer(JsonValue const& v, std::int64_t& out, JsonReader& r, std::int64_t min, std::int64_t max) {
    if (!v.IsInt64()) return r.fail("type", "must be an integer");
    out = v.GetInt64();
    if (!r.outside() || (out >= min && out <= max)) return;
    // That ids end somewhere tells nothing to whoever asked for less than one.
    if (max >= kMaxId && out < min) return r.fail("range", "must be at least " + std::to_string(min));
    fail_range(r, min, max);
}

void read_hundredths(JsonValue const& v, std::int64_t& out, JsonReader& r, std::int64_t min, std::int64_t max) {
    if (!v.IsNumber()) return r.fail("type", "must be a number");
    double const scaled = v.GetDouble() * 100;
    double const nearest = std::round(scaled);
    bool const is_hundredth = std::fabs(scaled - nearest) <= kArtefact;
    double const meant = is_hundredth ? nearest : scaled;
    if (r.outside() && !(meant >= static_cast<double>(min) * 100 && meant <= static_cast<double>(max) * 100)) {
        return fail_range(r, min, max);
    }
    out = std::llround(nearest);
    if (r.outside() && !is_hundredth) r.fail("decimals", "may have at most two decimals");
}

void JsonType<Timestamp>::read(JsonValue const& v, Timestamp& out, JsonReader& r) {
    auto const parsed = v.IsString() ? parse_timestamp(text_of(v)) : std::nullopt;
    if (!parsed) return r.fail("timestamp", "must be an RFC 3339 timestamp");
    if (r.outside() && *parsed < kFirstMoment) return r.fail("range", "must be of the years 1 to 9999, in UTC");
    out = *parsed;
}

void JsonType<Date>::read(JsonValue const& v, Date& out, JsonReader& r) {
    auto const parsed = v.IsString() ? parse_date(text_of(v)) : std::nullopt;
    if (!parsed) return r.fail("date", "must be a date, YYYY-MM-DD");
    if (r.outside() && *parsed < kFirstDate) return r.fail("range", "must be of the years 1 to 9999");
    out = *parsed;
}

void JsonType<TimeOfDay>::read(JsonValue const& v, TimeOfDay& out, JsonReader& r) {
    auto const parsed = v.IsString() ? parse_time_of_day(text_of(v)) : std::nullopt;
    if (!parsed) return r.fail("time", "must be a time of day, HH:MM");
    out = *parsed;
}

OpenedField open_sealed(JsonValue const& v, JsonReader& r) {
    OpenedField field;
    if (!v.IsObject() || !v.HasMember("sealed") || !v["sealed"].IsString()) {
        r.fail("sealed", "must be a sealed field");
        return field;
    }
    auto const opened = (*r.opener())(r.path(), text_of(v["sealed"]));
    field.erased = !opened;
    if (!opened) return field;
    if (auto document = parse_json(*opened)) {
        field.json = std::move(*document);
    } else {
        r.fail("sealed", "does not hold JSON");
    }
    return field;
}

}  // namespace workforce::core
