// Recording work: where it is, a shift or a facility, tells by which clocks its times are typed.
#include "operations/dashboard/work_forms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::string_view kRecordWork = "pages.record_work";
constexpr std::string_view kClockIn = "pages.clock_in_staff";
constexpr std::int32_t kShiftDaysBack = 7;  // of shifts that work is recorded of

FormField const kWorkPlace{.name = "place", .label = "Where", .kind = FieldKind::id, .required = true};
FormField const kWorkNotes{.name = "notes", .label = "Notes", .kind = FieldKind::area};

InputRows break_rows() {
    return {.name = "breaks",
            .legend = "Break",
            .inputs = {{.name = "start", .label = "From", .kind = FieldKind::moment, .required = true},
                       {.name = "end", .label = "Until", .kind = FieldKind::moment, .required = true},
                       {.name = "paid", .label = "Paid", .kind = FieldKind::box}}};
}

std::vector<FormField> log_times(bool nullable) {
    return {{.name = "clockIn", .label = "Began", .kind = FieldKind::moment, .required = true},
            {.name = "clockOut", .label = "Ended", .kind = FieldKind::moment, .nullable = nullable}};
}

FormShape record_form() {
    FormShape shape{.form = kRecordWork, .inputs = {kWorkPlace}, .rows = {break_rows()}};
    std::ranges::copy(log_times(false), std::back_inserter(shape.inputs));
    shape.inputs.push_back(kWorkNotes);
    return shape;
}
FormShape clock_in_form() { return {.form = kClockIn, .inputs = {kWorkPlace, kWorkNotes}}; }

/// "shift:12 Europe/Berlin", or "facility:3 Europe/Berlin".
std::string place_value(std::string_view kind, core::JsonValue const& row) {
    return fmt::format("{}:{} {}", kind, row["id"].GetInt64(), row["timezone"].GetString());
}

/// Shifts of the person, then facilities where they work.
awaitable<std::vector<InputOption>> places_of(Call& page, core::JsonValue const& person) {
    std::vector<InputOption> places;
    auto const from = core::Date{core::local_date(core::now(), "UTC").days - kShiftDaysBack};
    auto const shifts = co_await ask(page, {.operation = "shifts.list",
                                            .parameters = {{"staffId", std::to_string(person["id"].GetInt64())},
                                                           {"from", to_string(from)},
                                                           {"sort", "startsAt"},
                                                           {"limit", "20"}}});
    if (shifts.status < 300) {
        auto const document = core::parse_json(shifts.body);
        for (auto const& row : (*document)["data"].GetArray()) {
            if (row["status"] == "cancelled") continue;
            places.push_back({place_value("shift", row),
                              fmt::format("Shift {}, {}–{}, {}", row["date"].GetString(), row["startTime"].GetString(),
                                          row["endTime"].GetString(), row["title"].GetString())});
        }
    }
    auto const facilities = co_await ask(page, {.operation = "facilities.list", .parameters = {{"limit", "200"}}});
    if (facilities.status >= 300) co_return places;
    auto const own = person["facilityIds"].GetArray();
    auto const document = core::parse_json(facilities.body);
    for (auto const& row : (*document)["data"].GetArray()) {
        bool const works =
            own.Empty() || std::any_of(own.begin(), own.end(), [&](auto const& id) { return id == row["id"]; });
        if (!works) continue;
        places.push_back({place_value("facility", row),
                          fmt::format("{} ({})", row["name"].GetString(), row["timezone"].GetString())});
    }
    co_return places;
}

/// The question of a form that names a place, about the person of the page.
core::Result<Question> asked_at_place(Call const& call, FormFields fields, FormShape shape,
                                      std::string_view operation) {
    std::string_view const place = field(fields, kWorkPlace.name);
    auto const colon = place.find(':');
    auto const blank = place.find(' ');
    if (colon == std::string_view::npos || blank == std::string_view::npos || blank < colon) {
        return tl::unexpected(core::validation_problem({{"place", "enum", "must be one of the form's"}}));
    }
    auto const member =
        place.substr(0, colon) == "shift" ? std::string_view("shiftId") : std::string_view("facilityId");
    shape.inputs.front() = {.name = member, .label = "", .kind = FieldKind::id, .required = true};
    shape.inputs.push_back({.name = "staffId", .label = "", .kind = FieldKind::id, .required = true});
    std::string const id(place.substr(colon + 1, blank - colon - 1));
    std::string const zone(place.substr(blank + 1));
    fields.insert_or_assign(std::string(member), id);
    fields.insert_or_assign("staffId", std::to_string(call.input.path.id()));
    fields.insert_or_assign("timezone", zone);
    return body_from(shape, fields).map([&](std::string body) {
        return Question{.operation = operation, .body = std::move(body)};
    });
}

core::Result<Question> record_work(Call const& call, FormFields const& fields) {
    return asked_at_place(call, fields, record_form(), "timesheets.create");
}
core::Result<Question> clock_in_person(Call const& call, FormFields const& fields) {
    return asked_at_place(call, fields, clock_in_form(), "timesheets.clock_in");
}

}  // namespace

awaitable<void> add_work_forms(Call& page, PageContent& content, core::JsonValue const& person) {
    if (!may_ask(*page.caller, "timesheets.create")) co_return;
    InputOptions options{{std::string(kWorkPlace.name), co_await places_of(page, person)}};
    if (options.begin()->second.empty()) co_return;
    content.add_json("work", shown_form(page, record_form(), {}, options));
    if (person["isActive"].IsTrue()) content.add_json("clock_in", shown_form(page, clock_in_form(), {}, options));
}

std::vector<DashboardForm> work_forms_of(std::string_view page) {
    return {{.name = kRecordWork,
             .path = "/staff/{id:int}/timesheets",
             .summary = "Record work of a person by the form",
             .page = page,
             .done = "The work is recorded.",
             .question = record_work},
            {.name = kClockIn,
             .path = "/staff/{id:int}/clock-in",
             .summary = "Clock a person in by the form",
             .page = page,
             .done = "The work has begun.",
             .question = clock_in_person}};
}

FormShape log_form(std::string_view form) {
    FormShape shape{.form = form, .inputs = log_times(true), .rows = {break_rows()}, .changes = true};
    shape.inputs.push_back(kWorkNotes);
    return shape;
}

}  // namespace workforce::operations
