// GET /schedule: the shifts of a week, day by day.
#include <array>
#include <map>

#include "core/json_values.hpp"
#include "operations/dashboard/new_shift_form.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/dashboard/row_names.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kFrom = "from";
constexpr std::string_view kFacility = "facilityId";
constexpr std::int32_t kWeek = 7;
constexpr std::size_t kMostPages = 5;  // of 200 shifts
constexpr std::array<std::string_view, kWeek> kWeekdays{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                        "Friday", "Saturday", "Sunday"};

/// Days from Monday, 0, to Sunday, 6.
std::int32_t weekday_of(core::Date date) {
    constexpr std::int32_t kFirstMonday = 4;  // 1970-01-05
    return ((date.days - kFirstMonday) % kWeek + kWeek) % kWeek;
}

/// The Monday of the week that the address names, else of this one by UTC.
core::Date monday_of(Call const& call) {
    auto const asked = core::parse_date(kept_of(call, kFrom));
    auto const date = asked.value_or(core::local_date(core::now(), "UTC"));
    return {date.days - weekday_of(date)};
}

/// All shifts of these days, as JSON values by day; whether there are more than a page shows.
struct WeekOfShifts {
    std::array<std::string, kWeek> days;  ///< items of a list, between commas
    bool more = false;
    std::string refused{};
};

using FacilityNames = std::map<Id, std::string>;

/// The name of the shift's facility; of one that is out of use, or past the first 200, it is asked for.
boost::asio::awaitable<std::string> shown_place(RowNames& others, FacilityNames const& names,
                                                core::JsonValue const& shift) {
    auto const id = shift["facilityId"].GetInt64();
    auto const known = names.find(id);
    if (known != names.end()) co_return known->second;
    co_return co_await others.name(NamedMember::What::facility, id);
}

/// Adds what the template asks of a shift, for it has no conditions: 0 counts as something.
std::string shown_shift(core::JsonValue& shift, std::string const& place, Allocator& allocator) {
    shift.AddMember("facility", core::JsonValue(place, allocator), allocator);
    auto const& urgency = shift["urgency"];
    bool const urgent = urgency == "high" || urgency == "critical";
    if (shift["openSpots"] == 0 || shift["status"] != "open") shift.RemoveMember("openSpots");
    shift.AddMember("urgent", urgent, allocator);
    return core::json_of(shift);
}

boost::asio::awaitable<WeekOfShifts> week_of(Call& call, core::Date monday, std::string facility,
                                             FacilityNames const& names) {
    WeekOfShifts week;
    RowNames others(call);
    QueryMap query{{"from", to_string(monday)},
                   {"to", to_string(core::Date{monday.days + kWeek - 1})},
                   {"sort", "startsAt"},
                   {"limit", "200"}};
    if (!facility.empty()) query.emplace(kFacility, std::move(facility));
    for (std::size_t page = 0; page < kMostPages; ++page) {
        auto const outcome = co_await ask(call, {.operation = "shifts.list", .parameters = query});
        if (outcome.status >= 300) {
            week.refused = problem_of(outcome);
            co_return week;
        }
        auto document = core::parse_json(outcome.body);
        for (auto& shift : (*document)["data"].GetArray()) {
            auto const date = core::parse_date(shift["date"].GetString());
            auto& day = week.days.at(static_cast<std::size_t>(date.value_or(monday).days - monday.days));
            auto const place = co_await shown_place(others, names, shift);
            day += (day.empty() ? "" : ",") + shown_shift(shift, place, document->GetAllocator());
        }
        auto const& next = (*document)["pagination"]["nextCursor"];
        week.more = next.IsString();
        if (!week.more) break;
        query.insert_or_assign("cursor", next.GetString());
    }
    co_return week;
}

boost::asio::awaitable<void> fill_schedule(Call& call, PageContent& content) {
    auto const monday = monday_of(call);
    auto const facility = kept_of(call, kFacility);
    content.add_text("from", to_string(monday));
    content.add_text("to", to_string(core::Date{monday.days + kWeek - 1}));
    content.add_text("before", to_string(core::Date{monday.days - kWeek}));
    content.add_text("after", to_string(core::Date{monday.days + kWeek}));
    if (core::parse_integer(facility)) content.add_text("facility", facility);
    FacilityNames names;
    co_await content.add_rows("facilities", {.operation = "facilities.list", .parameters = {{"limit", "200"}}},
                              [&](core::JsonValue& row, Allocator& allocator) {
                                  names.emplace(row["id"].GetInt64(), row["name"].GetString());
                                  bool const chosen = std::to_string(row["id"].GetInt64()) == facility;
                                  row.AddMember("chosen", chosen, allocator);
                              });
    co_await add_new_shift_forms(call, content, {monday, facility});
    auto const week = co_await week_of(call, monday, facility, names);
    if (!week.refused.empty()) {
        content.remark("The shifts can't be shown: " + week.refused);
        co_return;
    }
    if (week.more) content.remark("The week has more shifts than this page shows. Choose a facility.");
    std::string days;
    for (std::int32_t day = 0; day < kWeek; ++day) {
        auto const place = static_cast<std::size_t>(day);
        days += fmt::format(R"({}{{"weekday":"{}","date":"{}","shifts":[{}]}})", day == 0 ? "" : ",",
                            kWeekdays.at(place), to_string(core::Date{monday.days + day}), week.days.at(place));
    }
    content.add_json("days", "[" + days + "]");
}

}  // namespace

DashboardSection schedule_section() {
    return {{.name = kSchedulePage,
             .path = "/schedule",
             .title = "Schedule",
             .summary = "The shifts of a week",
             .needs = "shifts.list",
             .text = templates::dashboard_schedule,
             .parameters = {kFrom, kFacility},
             .fill = fill_schedule},
            new_shift_forms()};
}

}  // namespace workforce::operations
