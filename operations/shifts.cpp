// What is to be worked, by whom, and how far it has come.
#include "commands/shift.hpp"

#include "operations/declare.hpp"
#include "operations/reads.hpp"
#include "projections/shifts/shifts.hpp"

namespace workforce::operations {

template <>
struct Besides<commands::AssignStaff> {
    static void write(core::JsonWriter& w) {
        w.key("oneOf");
        w.raw(R"([{"required":["staffId"]},{"required":["staffIds"]}])");
    }
};

template <>
struct ApiExample<commands::Violation> {
    static void write(core::JsonWriter& w, Side, commands::Violation const&) {
        w.raw(R"({"code":"SPECIALTY_MISMATCH","staffId":1,)"
              R"("message":"Neither specialty nor skills of the staff member have Nurse."})");
    }
};

struct ShiftListQuery : ListQuery {
    std::optional<std::vector<events::ShiftStatus>> status;
    std::optional<core::Date> from;
    std::optional<core::Date> to;
    std::optional<std::vector<events::Urgency>> urgency;
    std::optional<core::ShortText> specialty;
    std::optional<core::ShortText> department;
    std::optional<Id> staffId;
    std::optional<bool> open;
};
BOOST_DESCRIBE_STRUCT(ShiftListQuery, (ListQuery), (status, from, to, urgency, specialty, department, staffId, open))

namespace {

using events::Kind;

/// The answer of GET /api/shifts/{id}/assignments, which get_assignments makes of stored JSON.
struct AssignmentList {
    std::vector<events::Assignment> data;
};
BOOST_DESCRIBE_STRUCT(AssignmentList, (), (data))

boost::asio::awaitable<Outcome> get_shift(Call& call) { return get_one(call, "shift", projections::find_shift); }

boost::asio::awaitable<Outcome> get_assignments(Call& call) {
    auto outcome = co_await get_one(call, "shift", projections::find_assignments);
    if (!outcome.refused) outcome.body = R"({"data":)" + outcome.body + "}";
    co_return outcome;
}

boost::asio::awaitable<Outcome> list_shifts(Call& call) {
    return get_list<ShiftListQuery>(
        call,
        [&call](auto const& scope, ShiftListQuery const& query,
                auto const& page) -> boost::asio::awaitable<core::Result<projections::Page>> {
            projections::ShiftFilter filter;
            filter.status = query.status.value_or(std::vector<events::ShiftStatus>{});
            filter.from = query.from;
            filter.to = query.to;
            filter.urgency = query.urgency.value_or(std::vector<events::Urgency>{});
            filter.specialty = text_or_empty(query.specialty);
            filter.department = text_or_empty(query.department);
            filter.staff_id = query.staffId;
            if (query.open.value_or(false)) filter.open_at = core::now();
            filter.q = text_or_empty(query.q);
            filter.updated_since = query.updatedSince;
            co_return co_await projections::list_shifts(call.services.reads, scope, filter, page);
        });
}

/// Takes one shift, or `{shifts: […]}` for up to 100.
boost::asio::awaitable<Outcome> create_shifts(Call& call) {
    auto const& body = *call.input.body;
    if (!body || !body->IsObject() || !body->HasMember("shifts")) return run_command<commands::CreateShift>(call);
    auto many = read_command<commands::CreateShifts>(call);
    auto const count = many ? many->shifts.size() : 0;
    return submit(call, submission_of(call, std::move(many)), count);
}

Operation shift_creation() {
    auto row = command<commands::CreateShift>("shifts.create", "Post a shift, or up to 100 as {shifts: […]}");
    row.body = [](core::JsonWriter& w, Components& components) {
        w.key("oneOf");
        w.begin_array();
        w.begin_object();
        w.key("allOf");
        w.begin_array();
        write_object<commands::CreateShift>(w, Side::request, components);
        w.raw(R"({"not":{"required":["shifts"]}})");
        w.end_array();
        w.end_object();
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

/// `staffId` or `staffIds`.
Operation assignment() {
    auto row = command<commands::AssignStaff>("shifts.assign", "Assign staff to a shift");
    row.body_required = true;
    return row;
}

}  // namespace

std::vector<Operation> shift_operations() {
    using enum net::Method;
    return {
        list<events::Shift, ShiftListQuery>("shifts.list", "List shifts", list_shifts, projections::shift_sorts())
            .needs("shifts.view")
            .at(get, "/api/shifts"),
        one<events::Shift>("shifts.get", "Read a shift", get_shift).needs("shifts.view").at(get, "/api/shifts/{id}"),
        one<AssignmentList>("shifts.assignments", "Who is assigned to a shift", get_assignments)
            .needs("shifts.view")
            .at(get, "/api/shifts/{id}/assignments"),
        shift_creation().needs("shifts.create").creates(Kind::shift).at(post, "/api/shifts"),
        command<commands::UpdateShift>("shifts.update", "Change a shift")
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(patch, "/api/shifts/{id}")
            .also_put("shifts.put"),
        command<commands::DeleteShift>("shifts.delete", "Delete a shift")
            .needs("shifts.delete")
            .on(Kind::shift)
            .destroys()
            .at(del, "/api/shifts/{id}"),
        assignment().needs("shifts.assign").on(Kind::shift).at(post, "/api/shifts/{id}/assign"),
        command<commands::UnassignStaff>("shifts.unassign", "Take someone off a shift")
            .needs("shifts.assign")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id}/unassign"),
        command<commands::StartShift>("shifts.start", "Start a shift")
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id}/start"),
        command<commands::CompleteShift>("shifts.complete", "Complete a shift")
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id}/complete"),
        command<commands::CancelShift>("shifts.cancel", "Cancel a shift")
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id}/cancel"),
        command<commands::ReopenShift>("shifts.reopen", "Reopen a cancelled shift")
            .needs("shifts.edit")
            .on(Kind::shift)
            .at(post, "/api/shifts/{id}/reopen"),
    };
}

}  // namespace workforce::operations
