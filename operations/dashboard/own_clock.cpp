// Clocking in and out, on /me.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "core/json_values.hpp"
#include "core/local_time.hpp"
#include "operations/dashboard/own_parts.hpp"
#include "operations/dashboard/row_names.hpp"

namespace workforce::operations {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kEarliestMs = 60 * kMinuteMs;          // before its start a shift can be clocked in for
constexpr std::array kBreaks{"First break", "Second break"};  // that the form asks for
constexpr std::int64_t kLastMoment = 253'402'300'799'000;     // of the year 9999

/// A facility by its name, and the time zone of its clocks.
struct Place {
    std::string name;
    std::string zone;
    bool is_named = true;
};
using Places = std::map<Id, Place>;

/// The facilities that the person may see. Whoever sees none knows them by their shifts alone.
boost::asio::awaitable<Places> seen_places(Call& call) {
    Places places;
    if (!may_ask(*call.caller, "facilities.list")) co_return places;
    auto const outcome = co_await ask(call, {.operation = "facilities.list", .parameters = {{"limit", "200"}}});
    if (outcome.status >= 300) co_return places;
    auto const document = core::parse_json(outcome.body);
    for (auto const& row : (*document)["data"].GetArray()) {
        places.emplace(row["id"].GetInt64(), Place{row["name"].GetString(), row["timezone"].GetString()});
    }
    co_return places;
}

Place named_place(Places const& places, Id facility) {
    auto const found = places.find(facility);
    return found == places.end() ? Place{fmt::format("facility {}", facility), "UTC", false} : found->second;
}

std::optional<core::Timestamp> moment_of(core::JsonValue const& row, char const* member) {
    return core::parse_timestamp(core::as_text(core::find_member(&row, member)).value_or(""));
}

/// Writes the open log: since when by the clocks of its facility, where and for which shift, and breaks to fill in.
boost::asio::awaitable<void> write_running(Call& call, core::JsonWriter& w, core::JsonValue const& log, Place place) {
    auto const began = moment_of(log, "clockIn").value_or(core::now());
    auto const local = core::local_time(began, place.zone);
    w.begin_object();
    w.member("id", log["id"].GetInt64());
    w.member("since", fmt::format("{}, {} ({})", to_string(local.date), to_string(local.time), place.zone));
    w.member("began", std::to_string(began.ms));
    w.member("zone", place.zone);
    bool const of_shift = log["shiftId"].IsInt64();
    w.member("place", of_shift && !place.is_named ? "" : place.name);
    if (of_shift) {
        RowNames names(call);
        auto const shift = co_await names.shift(log["shiftId"].GetInt64());
        w.member("shift_id", log["shiftId"].GetInt64());
        w.member("shift", shift);
    }
    w.key("breaks");
    w.begin_array();
    for (std::size_t at = 0; at < kBreaks.size(); ++at) {
        w.begin_object();
        w.member("legend", kBreaks.at(at));
        w.member("number", at + 1);
        w.end_object();
    }
    w.end_array();
    w.end_object();
}

/// Whether a shift can be clocked in for now.
bool is_ready(core::JsonValue const& shift, core::Timestamp now) {
    auto const starts = moment_of(shift, "startsAt");
    auto const ends = moment_of(shift, "endsAt");
    return starts && ends && now.ms >= starts->ms - kEarliestMs && now < *ends;
}

/// The facilities where the person works; without any, all that they see.
boost::asio::awaitable<std::vector<Id>> own_facilities(Call& call, Places const& places, Id staff) {
    std::vector<Id> ids;
    auto const record = co_await ask(call, {.operation = "staff.get", .path = path_of(staff)});
    if (record.status >= 300) co_return ids;
    auto const document = core::parse_json(record.body);
    for (auto const& id : (*document)["facilityIds"].GetArray()) ids.push_back(id.GetInt64());
    if (ids.empty()) {
        for (auto const& [id, place] : places) ids.push_back(id);
    }
    co_return ids;
}

void write_option(core::JsonWriter& w, Id id, std::string_view text) {
    w.begin_object();
    w.member("id", id);
    w.member("text", text);
    w.end_object();
}

core::Result<Question> clock_in(Call const& call, FormFields const& fields) {
    core::JsonWriter w;
    w.begin_object();
    w.member("staffId", call.caller->user.staffId.value.value_or(0));
    auto const* const at = field(fields, "shiftId").empty() ? "facilityId" : "shiftId";
    auto const id = id_field(fields, at);
    if (!id) return tl::unexpected(id.error());
    w.member(at, *id);
    w.end_object();
    return Question{.operation = "timesheets.clock_in", .body = w.take()};
}

/// The moment of a log that began then at which clocks in the zone show that time.
core::Timestamp moment_in_log(core::TimeOfDay time, core::Timestamp began, std::string_view zone) {
    auto const from = core::local_time(began, zone);
    auto const date = core::Date{from.date.days + (time < from.time ? 1 : 0)};
    return std::max(core::to_utc(date, time, zone), began);
}

core::Result<Question> clock_out(Call const& call, FormFields const& fields) {
    auto const began = core::parse_integer(field(fields, "began")).value_or(-1);
    auto const zone = field(fields, "zone");
    if (began < 0 || began > kLastMoment || !core::is_time_zone(zone)) {
        return tl::unexpected(core::validation_problem({{"began", "type", "must be as the form has it"}}));
    }
    core::JsonWriter breaks;
    breaks.begin_array();
    bool any = false;
    for (std::size_t number = 1; number <= kBreaks.size(); ++number) {
        auto const text = [&](char const* part) { return field(fields, fmt::format("{}-{}", part, number)); };
        if (text("start").empty() && text("end").empty()) continue;
        auto const start = core::parse_time_of_day(text("start"));
        auto const end = core::parse_time_of_day(text("end"));
        if (!start || !end) {
            auto const said = fmt::format("must say when break {} began and when it ended, as HH:MM", number);
            return tl::unexpected(core::validation_problem({{"breaks", "type", said}}));
        }
        any = true;
        breaks.begin_object();
        breaks.member("start", to_string(moment_in_log(*start, {began}, zone)));
        breaks.member("end", to_string(moment_in_log(*end, {began}, zone)));
        breaks.member("paid", !text("paid").empty());
        breaks.end_object();
    }
    breaks.end_array();
    core::JsonWriter w;
    w.begin_object();
    if (any) {
        w.key("breaks");
        w.raw(breaks.text());
    }
    w.end_object();
    return Question{.operation = "timesheets.clock_out", .path = call.input.path, .body = w.take()};
}

}  // namespace

boost::asio::awaitable<void> add_clock(Call& call, PageContent& content, Id staff) {
    auto const own = std::to_string(staff);
    auto const logs = co_await ask(
        call, {.operation = "timesheets.list", .parameters = {{"staffId", own}, {"status", "open"}, {"limit", "1"}}});
    if (logs.status >= 300) co_return;
    auto const now = core::now();
    auto const today = core::local_date(now, "UTC");
    auto const planned = co_await ask(call, {.operation = "shifts.list",
                                             .parameters = {{"staffId", own},
                                                            {"from", to_string(core::Date{today.days - 2})},
                                                            {"to", to_string(core::Date{today.days + 1})},
                                                            {"status", "open,assigned,in_progress"},
                                                            {"sort", "startsAt"},
                                                            {"limit", "50"}}});
    auto places = co_await seen_places(call);
    core::JsonWriter ready;
    ready.begin_array();
    if (planned.status < 300) {
        auto const document = core::parse_json(planned.body);
        for (auto const& shift : (*document)["data"].GetArray()) {
            auto const facility = shift["facilityId"].GetInt64();
            places.try_emplace(facility,
                               Place{named_place(places, facility).name, shift["timezone"].GetString(), false});
            if (!is_ready(shift, now)) continue;
            write_option(ready, shift["id"].GetInt64(),
                         fmt::format("{}, {}, {}–{}", shift["title"].GetString(), shift["date"].GetString(),
                                     shift["startTime"].GetString(), shift["endTime"].GetString()));
        }
    }
    ready.end_array();
    content.add_rights({"timesheets.clock_in", "timesheets.clock_out"});
    auto const document = core::parse_json(logs.body);
    auto const open = (*document)["data"].GetArray();
    std::vector<Id> facilities;
    core::JsonWriter w;
    w.begin_object();
    w.key("running");
    if (open.Empty()) {
        w.null();
        facilities = co_await own_facilities(call, places, staff);
    } else {
        co_await write_running(call, w, open[0], named_place(places, open[0]["facilityId"].GetInt64()));
    }
    w.key("ready");
    w.raw(ready.text());
    w.member("only_place", facilities.size() == 1 ? std::to_string(facilities.front()) : "");
    w.member("has_places", facilities.size() > 1);
    w.key("places");
    w.begin_array();
    for (auto const id : facilities) write_option(w, id, named_place(places, id).name);
    w.end_array();
    w.end_object();
    content.add_json("clock", w.text());
}

std::vector<DashboardForm> clock_forms() {
    return {{.name = "pages.clock_in",
             .path = "/me/clock-in",
             .summary = "Clock in by the form",
             .page = kOwnPage,
             .done = "You are clocked in.",
             .question = clock_in},
            {.name = "pages.clock_out",
             .path = "/me/clock-out/{id:int}",
             .summary = "Clock out by the form",
             .page = kOwnPage,
             .done = "You are clocked out. Your time waits for approval.",
             .question = clock_out}};
}

}  // namespace workforce::operations
