// THE route table: everything that the REST listener answers.
#include "api/rest/read_routes.hpp"
#include "api/rest/route_rows.hpp"
#include "api/versions.hpp"
#include "commands/facility.hpp"
#include "commands/shift.hpp"
#include "commands/staff.hpp"
#include "core/scopes.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::api {

template <>
inline constexpr core::Id kLeastId<MeUser> = 0;  // of a credential with no user behind it
template <>
inline constexpr core::Id kLeastId<projections::ActivityUser> = 0;

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

namespace {

using events::Kind;
namespace cmd = commands;

/// The answer of GET /api/shifts/{id}/assignments, which get_assignments makes of stored JSON.
struct AssignmentList {
    std::vector<events::Assignment> data;
};
BOOST_DESCRIBE_STRUCT(AssignmentList, (), (data))

/// POST /api/shifts takes one shift, or `{shifts: […]}` for up to 100.
boost::asio::awaitable<net::Reply> create_shifts(Call& call) {
    auto const options = creates(Kind::shift, "/api/shifts/");
    auto body = parse_body(call.request);
    if (!body || !body->IsObject() || !body->HasMember("shifts")) {
        auto one = body ? read_command<cmd::CreateShift>(call, *body)
                        : core::Result<cmd::CreateShift>(tl::unexpected(body.error()));
        std::size_t const count = one ? 1 : 0;
        return run_submission(call, submission_of(call, std::move(one)), options, count);
    }
    auto many = read_command<cmd::CreateShifts>(call, *body);
    auto const count = many ? many->shifts.size() : 0;
    return run_submission(call, submission_of(call, std::move(many)), options, count);
}

struct ForceQuery {
    std::optional<bool> force;
};
BOOST_DESCRIBE_STRUCT(ForceQuery, (), (force))

/// DELETE /api/staff/{id} takes `force` from the query, for bodies of DELETE mean nothing (RFC 9110 9.3.5).
boost::asio::awaitable<net::Reply> deactivate_staff(Call& call) {
    auto command = read_query<ForceQuery>(call.query).map([&](ForceQuery const& query) {
        cmd::DeactivateStaff deactivate;
        deactivate.id = call.path_ids.at(0);
        deactivate.force = query.force;
        return deactivate;
    });
    return run_submission(call, submission_of(call, std::move(command)), on(Kind::staff), 0);
}

Route shift_creation() {
    auto route = command<cmd::CreateShift>({net::Method::post, "/api/shifts", "shifts.create", "shifts.create",
                                            "Post a shift, or up to 100 as {shifts: […]}"},
                                           creates(Kind::shift, "/api/shifts/"));
    route.body = [](core::JsonWriter& w, Components& components) {
        w.key("oneOf");
        w.begin_array();
        w.begin_object();
        w.key("allOf");
        w.begin_array();
        write_object<cmd::CreateShift>(w, Side::request, components);
        w.raw(R"({"not":{"required":["shifts"]}})");
        w.end_array();
        w.end_object();
        write_object<cmd::CreateShifts>(w, Side::request, components);
        w.end_array();
    };
    route.answer = [](core::JsonWriter& w, Components& components) {
        w.key("oneOf");
        w.begin_array();
        write_object<cmd::ShiftAnswer>(w, Side::answer, components);
        write_object<cmd::ShiftList>(w, Side::answer, components);
        w.end_array();
    };
    route.handler = create_shifts;
    return route;
}

/// `staffId` or `staffIds`.
Route assignment() {
    auto route = command<cmd::AssignStaff>(
        {net::Method::post, "/api/shifts/{id}/assign", "shifts.assign", "shifts.assign", "Assign staff to a shift"},
        on(Kind::shift));
    route.body_required = true;
    return route;
}

Route staff_deactivation() {
    auto route = command<cmd::DeactivateStaff>(
        {net::Method::del, "/api/staff/{id}", "staff.deactivate", "staff.deactivate", "Deactivate a staff member"},
        on(Kind::staff));
    route.body = nullptr;
    route.body_example = nullptr;
    route.query = parameters_of<ForceQuery>();
    route.handler = deactivate_staff;
    return route;
}

/// A document that never changes while the program runs.
Route document(std::string_view path, std::string_view name, std::string_view summary, std::string (*text)(),
               SchemaWriter schema, ExampleWriter shown = nullptr) {
    Route route;
    route.path = path;
    route.name = name;
    route.summary = summary;
    route.access = Access::open;
    route.answer = schema;
    route.answer_example = shown;
    route.handler = [text](Call&) -> boost::asio::awaitable<net::Reply> {
        net::Reply reply;
        reply.body = text();
        co_return reply;
    };
    return route;
}

struct Health {
    std::string status = "ok";
};
BOOST_DESCRIBE_STRUCT(Health, (), (status))

std::string health() { return core::to_json(Health{}); }

struct ScopeRow {
    std::string scope;
    bool inDefaultGrant = false;
};
BOOST_DESCRIBE_STRUCT(ScopeRow, (), (scope, inDefaultGrant))

struct ScopeList {
    std::vector<ScopeRow> data;
};
BOOST_DESCRIBE_STRUCT(ScopeList, (), (data))

std::string scopes_document() {
    ScopeList list;
    for (auto const& scope : core::scope_catalogue()) {
        list.data.push_back({std::string(scope.name), scope.in_default_grant});
    }
    return core::to_json(list);
}

void schema_of_openapi(core::JsonWriter& w, Components&) { w.member("type", "object"); }

std::vector<Route> facility_routes() {
    using enum net::Method;
    return {
        list<events::Facility, FacilityListQuery>(
            {get, "/api/facilities", "facilities.list", "facilities.view", "List facilities"}, list_facilities,
            projections::facility_sorts()),
        one<events::Facility>({get, "/api/facilities/{id}", "facilities.get", "facilities.view", "Read a facility"},
                              get_facility),
        command<cmd::CreateFacility>(
            {post, "/api/facilities", "facilities.create", "facilities.create", "Add a facility"},
            creates(Kind::facility, "/api/facilities/")),
        command<cmd::UpdateFacility>(
            {patch, "/api/facilities/{id}", "facilities.update", "facilities.edit", "Change a facility"},
            on(Kind::facility)),
        command<cmd::UpdateFacility>(
            {put, "/api/facilities/{id}", "facilities.put", "facilities.edit", "Change a facility"},
            on(Kind::facility)),
        command<cmd::DeactivateFacility>(
            {del, "/api/facilities/{id}", "facilities.deactivate", "facilities.deactivate", "Deactivate a facility"},
            on(Kind::facility)),
    };
}

std::vector<Route> staff_routes() {
    using enum net::Method;
    return {
        list<events::Staff, StaffListQuery>({get, "/api/staff", "staff.list", "staff.view", "List staff"}, list_staff,
                                            projections::staff_sorts()),
        one<events::Staff>({get, "/api/staff/{id}", "staff.get", "staff.view", "Read a staff member"}, get_staff),
        command<cmd::CreateStaff>({post, "/api/staff", "staff.create", "staff.create", "Onboard a staff member"},
                                  creates(Kind::staff, "/api/staff/")),
        command<cmd::UpdateStaff>({patch, "/api/staff/{id}", "staff.update", "staff.edit", "Change a staff member"},
                                  on(Kind::staff)),
        command<cmd::UpdateStaff>({put, "/api/staff/{id}", "staff.put", "staff.edit", "Change a staff member"},
                                  on(Kind::staff)),
        staff_deactivation(),
        command<cmd::ReactivateStaff>(
            {post, "/api/staff/{id}/reactivate", "staff.reactivate", "staff.edit", "Reactivate a staff member"},
            on(Kind::staff)),
    };
}

std::vector<Route> shift_routes() {
    using enum net::Method;
    return {
        list<events::Shift, ShiftListQuery>({get, "/api/shifts", "shifts.list", "shifts.view", "List shifts"},
                                            list_shifts, projections::shift_sorts()),
        one<events::Shift>({get, "/api/shifts/{id}", "shifts.get", "shifts.view", "Read a shift"}, get_shift),
        one<AssignmentList>(
            {get, "/api/shifts/{id}/assignments", "shifts.assignments", "shifts.view", "Who is assigned to a shift"},
            get_assignments),
        shift_creation(),
        command<cmd::UpdateShift>({patch, "/api/shifts/{id}", "shifts.update", "shifts.edit", "Change a shift"},
                                  on(Kind::shift)),
        command<cmd::UpdateShift>({put, "/api/shifts/{id}", "shifts.put", "shifts.edit", "Change a shift"},
                                  on(Kind::shift)),
        command<cmd::DeleteShift>({del, "/api/shifts/{id}", "shifts.delete", "shifts.delete", "Delete a shift"},
                                  on(Kind::shift)),
        assignment(),
        command<cmd::UnassignStaff>(
            {post, "/api/shifts/{id}/unassign", "shifts.unassign", "shifts.assign", "Take someone off a shift"},
            on(Kind::shift)),
        command<cmd::StartShift>({post, "/api/shifts/{id}/start", "shifts.start", "shifts.edit", "Start a shift"},
                                 on(Kind::shift)),
        command<cmd::CompleteShift>(
            {post, "/api/shifts/{id}/complete", "shifts.complete", "shifts.edit", "Complete a shift"}, on(Kind::shift)),
        command<cmd::CancelShift>({post, "/api/shifts/{id}/cancel", "shifts.cancel", "shifts.edit", "Cancel a shift"},
                                  on(Kind::shift)),
        command<cmd::ReopenShift>(
            {post, "/api/shifts/{id}/reopen", "shifts.reopen", "shifts.edit", "Reopen a cancelled shift"},
            on(Kind::shift)),
    };
}

std::vector<Route> other_routes() {
    using enum net::Method;
    return {
        query<Me>({get, "/api/auth/me", "auth.me", "", "Who the credential stands for"}, get_me),
        query_with<DashboardAnswer, ScopeQuery>(
            {get, "/api/dashboard/stats", "dashboard.stats", "analytics.view", "The dashboard's figures"},
            get_dashboard_stats),
        query_with<std::vector<projections::ActivityItem>, ActivityQuery>(
            {get, "/api/dashboard/recent-activity", "dashboard.activity", "analytics.view",
             "What happened last, newest first"},
            get_recent_activity),
        document("/healthz", "health", "Whether the process is up", health, &answer_of<Health>,
                 &example<Health, Side::answer>),
        document("/openapi.json", "openapi", "This API, as OpenAPI 3.1", openapi_document, schema_of_openapi),
        document("/api/openapi.json", "openapi.api", "This API, as OpenAPI 3.1", openapi_document, schema_of_openapi),
        document("/.well-known/api-versions", "versions", "The API's versions", versions_document,
                 &answer_of<VersionList>, &example<VersionList, Side::answer>),
        document("/api/scopes", "scopes", "Scopes that credentials can be given", scopes_document,
                 &answer_of<ScopeList>, &example<ScopeList, Side::answer>),
    };
}

}  // namespace

std::vector<Route> const& routes() {
    static auto const table = [] {
        std::vector<Route> all;
        for (auto part : {facility_routes(), staff_routes(), shift_routes(), other_routes()}) {
            std::move(part.begin(), part.end(), std::back_inserter(all));
        }
        return all;
    }();
    return table;
}

}  // namespace workforce::api
