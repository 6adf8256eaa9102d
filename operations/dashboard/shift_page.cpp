// GET /schedule/shifts/{id}: a shift, the people on it, and those who could come.
#include "core/json_values.hpp"
#include "operations/dashboard/pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kShiftPage = "pages.shift";
constexpr std::size_t kMostNamed = 50;  // people who are looked up by name

/// A person on the shift.
std::string name_in(Outcome const& outcome, Id staff) {
    auto const document = core::parse_json(outcome.body);
    bool const known = outcome.status < 300 && document && document->IsObject();
    if (!known) return fmt::format("Staff member {}", staff);
    return fmt::format("{} {}", (*document)["firstName"].GetString(), (*document)["lastName"].GetString());
}

boost::asio::awaitable<void> add_people(Call& call, PageContent& content, core::JsonValue const& ids, bool removable) {
    core::JsonWriter w;
    w.begin_object();
    w.key("people");
    w.begin_array();
    std::size_t named = 0;
    for (auto const& id : ids.GetArray()) {
        Outcome person{.status = 404};
        if (named++ < kMostNamed)
            person = co_await ask(call, {.operation = "staff.get", .path = path_of(id.GetInt64())});
        w.begin_object();
        w.member("id", id.GetInt64());
        w.member("name", name_in(person, id.GetInt64()));
        w.member("removable", removable);
        w.end_object();
    }
    w.end_array();
    w.end_object();
    content.add_json("people", w.text());
}

boost::asio::awaitable<void> fill_shift(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    auto const outcome = co_await ask(call, {.operation = "shifts.get", .path = call.input.path});
    content.add_text("shift_id", std::to_string(id));
    if (outcome.status >= 300) {
        content.add_json("shift_refused", core::to_json(problem_of(outcome)));
        co_return;
    }
    content.add_json("shift", outcome.body);
    auto const document = core::parse_json(outcome.body);
    auto const& shift = *document;
    bool const ahead = shift["status"] == "open" || shift["status"] == "assigned";
    bool const under_way = shift["status"] == "in_progress";
    bool const staffed = ahead || under_way;
    co_await add_people(call, content, shift["assignedStaffIds"], staffed && may_ask(*call.caller, "shifts.unassign"));
    content.add_json("cancellable", staffed && may_ask(*call.caller, "shifts.cancel") ? "true" : "false");
    if (ahead && shift["openSpots"] != 0 && may_ask(*call.caller, "shifts.assign")) {
        co_await content.add("candidates", {.operation = "staff.available",
                                            .parameters = {{"shiftId", std::to_string(id)}, {"limit", "20"}}});
    }
}

/// What asks something of the shift for a person.
template <char const* Operation>
core::Result<Question> ask_for_person(Call const& call, FormFields const& fields) {
    auto const staff = id_field(fields, "staffId");
    if (!staff) return tl::unexpected(staff.error());
    return Question{
        .operation = Operation, .path = call.input.path, .body = fmt::format(R"({{"staffId":{}}})", *staff)};
}
constexpr char kAssign[] = "shifts.assign";      // NOLINT(modernize-avoid-c-arrays): a template's argument
constexpr char kUnassign[] = "shifts.unassign";  // NOLINT(modernize-avoid-c-arrays)

core::Result<Question> cancel_shift_of(Call const& call, FormFields const& fields) {
    core::JsonWriter w;
    w.begin_object();
    w.member("reason", field(fields, "reason"));
    w.end_object();
    return Question{.operation = "shifts.cancel", .path = call.input.path, .body = w.take()};
}

}  // namespace

DashboardSection shift_section() {
    return {{.name = kShiftPage,
             .path = "/schedule/shifts/{id:int}",
             .title = "Shift",
             .summary = "A shift, and who works on it",
             .needs = "shifts.get",
             .in_menu = false,
             .text = templates::dashboard_shift,
             .fill = fill_shift},
            {{.name = "pages.assign",
              .path = "/schedule/shifts/{id:int}/assign",
              .summary = "Assign a person to a shift by the form",
              .page = kShiftPage,
              .done = "The person is on the shift.",
              .question = ask_for_person<kAssign>},
             {.name = "pages.unassign",
              .path = "/schedule/shifts/{id:int}/unassign",
              .summary = "Take a person off a shift by the form",
              .page = kShiftPage,
              .done = "The person is off the shift.",
              .question = ask_for_person<kUnassign>},
             {.name = "pages.cancel_shift",
              .path = "/schedule/shifts/{id:int}/cancel",
              .summary = "Cancel a shift by the form",
              .page = kShiftPage,
              .done = "The shift is cancelled.",
              .question = cancel_shift_of}}};
}

}  // namespace workforce::operations
