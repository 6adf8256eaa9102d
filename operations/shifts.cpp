// What is to be worked, by whom, and how far it has come.
#include "commands/shift.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/json_values.hpp"
#include "operations/assigning.hpp"
#include "operations/declare.hpp"
#include "operations/imports.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::operations {

/// Of GET /api/staff/{id}/schedule, which names the person in its path.
struct ScheduleFilter : projections::ListFilter {
    std::optional<std::vector<events::ShiftStatus>> status{};
    std::optional<core::Date> from{};
    std::optional<core::Date> to{};
};
BOOST_DESCRIBE_STRUCT(ScheduleFilter, (projections::ListFilter), (status, from, to))

template <>
struct ApiExample<commands::Violation> {
    static void write(core::JsonWriter& w, Side, commands::Violation const&) {
        w.raw(R"({"code":"SPECIALTY_MISMATCH","staffId":1,)"
              R"("message":"Neither specialty nor skills of the staff member have Nurse."})");
    }
};

namespace {

using events::Kind;

/// The answer of GET /api/shifts/{id}/assignments, which get_assignments makes of stored JSON.
struct AssignmentList {
    std::vector<events::Assignment> data;
};
BOOST_DESCRIBE_STRUCT(AssignmentList, (), (data))

boost::asio::awaitable<Outcome> get_assignments(Call& call) {
    auto outcome = co_await get_one(call, "shift", projections::assignments_by_shift());
    if (!outcome.refused) outcome.body = R"({"data":)" + outcome.body + "}";
    co_return outcome;
}

/// `versioned`, for it is part of one shift.
Operation assignment_list() {
    auto row =
        query_with<AssignmentList, TargetQuery>("shifts.assignments", "Who is assigned to a shift", get_assignments);
    row.description =
        "Returns who is on a shift, with when and how they came on it, and which rules were passed for that.";
    row.reads = {projections::shifts().spec().name};
    row.versioned = true;
    return row;
}

using ShiftQuery = ListQuery<projections::ShiftFilter>;
using ScheduleQuery = ListQuery<ScheduleFilter>;

/// The shifts that a person is assigned to. Errors: NOT_FOUND for a person whom the caller does not see.
boost::asio::awaitable<Outcome> list_schedule(Call& call) {
    auto const asked = read_query<ScheduleQuery>(call.input.parameters);
    if (!asked) co_return refuse(call, asked.error());
    auto const person = call.input.path.id();
    if (auto const seen = co_await require_seen(call, projections::staff(), person); !seen) {
        co_return refuse(call, seen.error());
    }
    ShiftQuery query;
    static_cast<PageQuery&>(query) = *asked;
    static_cast<projections::ListFilter&>(query) = *asked;
    query.staffId = person;
    query.status = asked->status;
    query.from = asked->from;
    query.to = asked->to;
    co_return co_await get_list(call, projections::shifts().lists(),
                                ListInput{query, projections::shifts().filters(query)});
}

Operation schedule() {
    auto row = list<projections::shifts>("shifts.list_of_staff", "List the shifts that a staff member is assigned to");
    row.description = "Returns a page of the shifts that one person is on, the earliest first.";
    row.parameters = parameters_of<ScheduleQuery>();
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = projections::shifts().sort_names();
    }
    row.reads.push_back(projections::staff().spec().name);
    row.handler = list_schedule;
    return row;
}

/// What the tool takes: the members of one shift, or `shifts`. Clients of tools want no choice at the top of a schema,
/// so that nothing is required there; the operation tells what is missing.
struct ShiftsToCreate : commands::CreateShift {
    std::optional<std::vector<commands::CreateShift>> shifts;

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(ShiftsToCreate, (commands::CreateShift), (shifts))

/// The members beside `shifts`, which REST ignores and names, and a tool refuses (domain 0).
std::vector<core::FieldError> beside_shifts(Call const& call, core::JsonValue const& body) {
    std::vector<core::FieldError> faults;
    if (call.meta.cause.channel == kRestChannel) return faults;
    for (auto const& each : body.GetObject()) {
        std::string name(core::text_of(each.name));
        if (name != "shifts") faults.push_back({std::move(name), "excluded", "can't be given with shifts"});
    }
    return faults;
}

/// Takes one shift, or `{shifts: […]}` for up to 100.
boost::asio::awaitable<Outcome> create_shifts(Call& call) {
    auto const& body = *call.input.body;
    if (!body || !body->IsObject() || !body->HasMember("shifts")) return run_command<commands::CreateShift>(call);
    auto const faults = beside_shifts(call, *body);
    auto many = faults.empty() ? read_command<commands::CreateShifts>(call)
                               : core::Result<commands::CreateShifts>(tl::unexpected(core::validation_problem(faults)));
    auto const count = many ? many->shifts.size() : 0;
    return submit(call, submission_of(call, std::move(many)), count);
}

Operation shift_creation() {
    auto row = command<commands::CreateShift>("shifts.create", "Post a shift, or up to 100 as {shifts: […]}");
    row.description =
        "Posts a shift, or up to 100 as {shifts: […]}: all of them or none. Returns what was posted. People of "
        "assignedStaffIds are checked as {shifts.assign} checks them. Subscribers hear of it as shift_posted.";
    row.refusals = assignment_refusals({core::Code::shift_full, core::Code::timesheet_exists});
    row.body = [](core::JsonWriter& w, Components& components) {
        w.key("anyOf");  // not oneOf: what a single shift has beside `shifts` is ignored
        w.begin_array();
        write_object<commands::CreateShift>(w, Side::request, components);
        write_object<commands::CreateShifts>(w, Side::request, components);
        w.end_array();
    };
    row.answer = [](core::JsonWriter& w, Components& components) {
        w.key("oneOf");
        w.begin_array();
        write_object<commands::ShiftAnswer>(w, Side::answer, components);
        write_object<commands::ShiftList>(w, Side::answer, components);
        w.end_array();
    };
    row.handler = create_shifts;
    return row;
}

/// A command that takes `staffId` or `staffIds`.
template <class Command>
Operation of_staff(std::string_view name, std::string_view summary) {
    auto row = command<Command>(name, summary);
    row.body_required = true;
    return row;
}

/// It answers with two shifts, and so with no version.
Operation swap() {
    auto row = command<commands::SwapStaff>("shifts.swap", "Swap two people of two shifts");
    row.description =
        "Lets a person of one shift and one of another change places, or nothing happens. Returns both shifts. Each is "
        "checked by the rules of {shifts.assign}, which with mode replace puts somebody else on one shift.";
    row.refusals = assignment_refusals({core::Code::duplicate_resource, core::Code::timesheet_exists});
    row.versioned = false;
    return row;
}

/// Tools name the shift so.
std::vector<RenamedField> shift_id() { return {{"shiftId", "id"}}; }

std::vector<Operation> record_operations() {
    using enum net::Method;
    using enum events::ModelTier;
    return {
        list<projections::shifts>("shifts.list", "List shifts")
            .says("Returns a page of shifts, the earliest first. Narrow it by day (from, to), status, facility or "
                  "person; open: true gives what still misses people; q looks at title, department and specialty.")
            .needs("shifts.view")
            .reaches_own_rows()
            .at(get, "/api/shifts")
            .as_tool({.name = "shifts_list"}),
        one<projections::shifts>("shifts.get", "Read a shift")
            .says("Returns one shift: times, pay, status, who is on it and how many it misses.")
            .needs("shifts.view")
            .reaches_own_rows()
            .at(get, "/api/shifts/{id:int}")
            .as_tool({.name = "shifts_get", .renamed = shift_id()}),
        assignment_list().needs("shifts.view").reaches_own_rows().at(get, "/api/shifts/{id:int}/assignments"),
        schedule().needs("shifts.view").reaches_own_rows().at(get, "/api/staff/{id:int}/schedule"),
        shift_creation()
            .needs("shifts.create")
            .creates(Kind::shift)
            .at(post, "/api/shifts")
            .as_tool(
                {.name = "shifts_create",
                 .tier = standard,
                 .description =
                     "Give a shift's own members (facilityId, title, date, startTime and endTime are required), or "
                     "shifts, not both. Example: "
                     R"({"facilityId":1,"title":"Night","date":"2026-07-25","startTime":"22:00","endTime":"06:00"})",
                 .input = request_of<ShiftsToCreate>}),
        shift_import(),
        command<commands::UpdateShift>("shifts.update", "Change a shift")
            .says("Changes the fields that are given; others stay, and status moves the shift as the command of that "
                  "name does. New times are checked for everybody on it. Refused for what is completed or cancelled, "
                  "and for fewer requiredWorkers than people on it.")
            .refuses(assignment_refusals({core::Code::shift_overstaffed}))
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(patch, "/api/shifts/{id:int}")
            .also_put("shifts.put")
            .as_tool({.name = "shifts_update", .tier = standard, .renamed = shift_id()}),
        command<commands::DeleteShift>("shifts.delete", "Delete a shift")
            .says("Cancels a shift for the reason `deleted`; from then on nobody finds it. Who was on it is told.")
            .refuses({core::Code::timesheet_exists})
            .needs("shifts.delete")
            .on(Kind::shift)
            .destroys()
            .at(del, "/api/shifts/{id:int}"),
    };
}

std::vector<Operation> staffing_operations() {
    using enum net::Method;
    using enum events::ModelTier;
    return {
        of_staff<commands::AssignStaff>("shifts.assign", "Assign staff to a shift")
            .says("Puts people on a shift: all of them or none; with mode replace in the place of all who are on it, "
                  "as for somebody sick. Returns the shift, who came on it and warnings. Refused where it is full or a "
                  "rule blocks (double booking, time off, missing credential, rest); "
                  "details tell head counts, or all violations. Find people with {staff.available}.")
            .refuses(assignment_refusals({core::Code::shift_full, core::Code::timesheet_exists}))
            .needs("shifts.assign")
            .on(Kind::shift)
            .audit_where(overrides_rules)
            .at(post, "/api/shifts/{id:int}/assign")
            .as_tool({.name = "shifts_assign",
                      .tier = standard,
                      .idempotent = true,  // whom the shift has stays on it
                      .renamed = shift_id(),
                      .required = {"staffIds"},
                      .omitted = {"staffId"}}),
        of_staff<commands::UnassignStaff>("shifts.unassign", "Take staff off a shift")
            .says("Takes people off a shift: all of them or none. Returns the shift, which is open again where people "
                  "are missing then. Refused for who is not on it, and once it is completed.")
            .refuses({core::Code::timesheet_exists})
            .needs("shifts.assign")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id:int}/unassign")
            .as_tool({.name = "shifts_unassign",
                      .tier = standard,
                      .approval = Approval::headless,
                      .renamed = shift_id(),
                      .required = {"staffIds"},
                      .omitted = {"staffId"}}),
        command<commands::AcknowledgeShift>("shifts.acknowledge", "Acknowledge one's own shift")
            .says("Says that you know of a shift that you are on. Said again it changes nothing.")
            .needs("scheduling.request")
            .reaches_own_rows()
            .on(Kind::shift)
            .at(post, "/api/shifts/{id:int}/acknowledge"),
        swap()
            .needs("shifts.assign")
            .about_named(Kind::shift, "shiftIdA")
            .at(post, "/api/shifts/swap")
            .as_tool({.name = "shifts_swap", .tier = standard, .approval = Approval::headless}),
    };
}

std::vector<Operation> state_operations() {
    using enum net::Method;
    using enum events::ModelTier;
    return {
        command<commands::StartShift>("shifts.start", "Start a shift")
            .says("Says that a shift runs. Refused where nobody is on it, and more than 60 minutes before its start. "
                  "Where the facility wants it, the clock does this by itself.")
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id:int}/start"),
        command<commands::CompleteShift>("shifts.complete", "Complete a shift")
            .says("Says that a running shift was worked; nothing changes it any more. Where the facility wants it, the "
                  "clock does this 15 minutes past its end.")
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id:int}/complete"),
        command<commands::CancelShift>("shifts.cancel", "Cancel a shift")
            .says(
                "Cancels a shift that is not completed, frees its people and tells them. Returns it. Before its start "
                "{shifts.update} with status open takes it back.")
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id:int}/cancel")
            .as_tool({.name = "shifts_cancel",
                      .tier = standard,
                      .approval = Approval::headless,
                      .destructive = true,
                      .idempotent = true,
                      .renamed = shift_id(),
                      .required = {"reason"}}),
        command<commands::ReopenShift>("shifts.reopen", "Reopen a cancelled shift")
            .says("Takes a cancellation back before the shift's start. It is open then, with nobody on it.")
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id:int}/reopen"),
    };
}

}  // namespace

std::vector<Operation> shift_operations() {
    auto all = record_operations();
    std::ranges::move(staffing_operations(), std::back_inserter(all));
    all.push_back(shift_offering());
    std::ranges::move(state_operations(), std::back_inserter(all));
    return all;
}

}  // namespace workforce::operations
