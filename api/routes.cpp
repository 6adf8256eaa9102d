// THE route table: everything that the REST listener answers.
#include "api/command_route.hpp"
#include "api/read_routes.hpp"
#include "api/versions.hpp"
#include "commands/facility.hpp"
#include "commands/shift.hpp"
#include "commands/staff.hpp"
#include "core/scopes.hpp"

namespace workforce::api {
namespace {

using events::Kind;
namespace cmd = commands;

template <class T>
void schema_of(core::JsonWriter& w) {
    core::JsonType<T>::schema(w);
}

/// Schemas of lists: the data, where the next page begins, and what the list was taken from.
template <class T>
void list_schema_of(core::JsonWriter& w) {
    w.member("type", "object");
    w.key("properties");
    w.begin_object();
    w.key("data");
    w.begin_object();
    core::JsonType<std::vector<T>>::schema(w);
    w.end_object();
    w.key("pagination");
    w.raw(
        R"({"type":"object","properties":{"limit":{"type":"integer"},"hasMore":{"type":"boolean"},)"
        R"("nextCursor":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["limit","hasMore","nextCursor"]})");
    w.key("scope");
    w.raw(R"({"type":"object","properties":{"facilityId":{"type":"integer"},"orgUnitId":{"type":"integer"},)"
          R"("global":{"type":"boolean"}}})");
    w.end_object();
    w.key("required");
    w.raw(R"(["data","pagination","scope"])");
}

template <class Query>
std::vector<QueryParameter> parameters_of() {
    std::vector<QueryParameter> all;
    boost::mp11::mp_for_each<core::Members<Query>>([&](auto d) {
        using Member = std::remove_cvref_t<decltype(std::declval<Query>().*d.pointer)>;
        all.push_back({core::wire_name(d.name), !core::kIsOptional<Member>, &schema_of<Member>});
    });
    return all;
}

/// The answer of GET /api/shifts/{id}/assignments, which get_assignments makes of stored JSON.
struct AssignmentList {
    std::vector<events::Assignment> data;
};
BOOST_DESCRIBE_STRUCT(AssignmentList, (), (data))

/// What a row says of itself.
struct About {
    Method method;
    std::string_view path;
    std::string_view name;
    std::string_view permission;
    std::string_view summary;
};

Route route_of(About const& about) {
    Route route;
    route.method = about.method;
    route.path = about.path;
    route.name = about.name;
    route.permission = about.permission;
    route.summary = about.summary;
    route.access = about.permission.empty() ? Access::authenticated : Access::permission;
    return route;
}

/// A query without parameters of its own.
template <class Answer>
Route query(About about, boost::asio::awaitable<Reply> (*handler)(Call&)) {
    auto route = route_of(about);
    route.answer = &schema_of<Answer>;
    route.handler = handler;
    return route;
}

/// A query with parameters.
template <class Answer, class Query>
Route query_with(About about, boost::asio::awaitable<Reply> (*handler)(Call&)) {
    auto route = query<Answer>(about, handler);
    route.query = parameters_of<Query>();
    return route;
}

/// A list.
template <class Row, class Query>
Route list(About about, boost::asio::awaitable<Reply> (*handler)(Call&)) {
    auto route = query_with<Row, Query>(about, handler);
    route.answer = &list_schema_of<Row>;
    return route;
}

/// A command whose body is the command's fields.
template <class Command>
Route command(About about, CommandOptions options) {
    auto route = route_of(about);
    route.success = options.success;
    if constexpr (boost::mp11::mp_size<core::Members<Command>>::value > 0) route.body = &schema_of<Command>;
    route.answer = &schema_of<typename Command::Answer>;
    route.handler = command_handler<Command>(options);
    return route;
}

constexpr CommandOptions creates(Kind kind, std::string_view location) { return {kind, std::nullopt, 201, location}; }
constexpr CommandOptions on(Kind kind) { return {std::nullopt, kind, 200, {}}; }

/// POST /api/shifts takes one shift, or `{shifts: […]}` for up to 100.
boost::asio::awaitable<Reply> create_shifts(Call& call) {
    auto const options = creates(Kind::shift, "/api/shifts/");
    auto body = parse_body(call.request);
    if (!body || !body->IsObject() || !body->HasMember("shifts")) {
        auto one = body ? read_command<cmd::CreateShift>(call, *body)
                        : core::Result<cmd::CreateShift>(tl::unexpected(body.error()));
        co_return co_await run_command(call, std::move(one), options, 1);
    }
    auto many = read_command<cmd::CreateShifts>(call, *body);
    auto const count = many ? many->shifts.size() : 0;
    co_return co_await run_command(call, std::move(many), options, count);
}

struct ForceQuery {
    std::optional<bool> force;
};
BOOST_DESCRIBE_STRUCT(ForceQuery, (), (force))

/// DELETE /api/staff/{id} takes `force` from the query, for bodies of DELETE mean nothing (RFC 9110 9.3.5).
boost::asio::awaitable<Reply> deactivate_staff(Call& call) {
    auto command = read_query<ForceQuery>(call.query).map([&](ForceQuery const& query) {
        cmd::DeactivateStaff deactivate;
        deactivate.id = call.path_ids.at(0);
        deactivate.force = query.force;
        return deactivate;
    });
    co_return co_await run_command(call, std::move(command), on(Kind::staff), 0);
}

Route shift_creation() {
    auto route = command<cmd::CreateShift>(
        {Method::post, "/api/shifts", "shifts.create", "shifts.create", "Post a shift, or up to 100 as {shifts: […]}"},
        creates(Kind::shift, "/api/shifts/"));
    route.body = [](core::JsonWriter& w) {
        w.key("oneOf");
        w.begin_array();
        for (auto const writer : {&schema_of<cmd::CreateShift>, &schema_of<cmd::CreateShifts>}) {
            w.begin_object();
            writer(w);
            w.end_object();
        }
        w.end_array();
    };
    route.handler = create_shifts;
    return route;
}

Route staff_deactivation() {
    auto route = command<cmd::DeactivateStaff>(
        {Method::del, "/api/staff/{id}", "staff.deactivate", "staff.deactivate", "Deactivate a staff member"},
        on(Kind::staff));
    route.body = nullptr;
    route.query = parameters_of<ForceQuery>();
    route.handler = deactivate_staff;
    return route;
}

/// A document that never changes while the program runs.
Route document(std::string_view path, std::string_view name, std::string_view summary, std::string (*text)()) {
    Route route;
    route.path = path;
    route.name = name;
    route.summary = summary;
    route.access = Access::open;
    route.handler = [text](Call&) -> boost::asio::awaitable<Reply> {
        Reply reply;
        reply.body = text();
        co_return reply;
    };
    return route;
}

std::string health() { return R"({"status":"ok"})"; }

std::string scopes_document() {
    core::JsonWriter w;
    w.begin_object();
    w.key("data");
    w.begin_array();
    for (auto const& scope : core::scope_catalogue()) {
        w.begin_object();
        w.member("scope", scope.name);
        w.member("inDefaultGrant", scope.in_default_grant);
        w.end_object();
    }
    w.end_array();
    w.end_object();
    return w.take();
}

std::vector<Route> facility_routes() {
    using enum Method;
    return {
        list<events::Facility, FacilityListQuery>(
            {get, "/api/facilities", "facilities.list", "facilities.view", "List facilities"}, list_facilities),
        query<events::Facility>({get, "/api/facilities/{id}", "facilities.get", "facilities.view", "Read a facility"},
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
    using enum Method;
    return {
        list<events::Staff, StaffListQuery>({get, "/api/staff", "staff.list", "staff.view", "List staff"}, list_staff),
        query<events::Staff>({get, "/api/staff/{id}", "staff.get", "staff.view", "Read a staff member"}, get_staff),
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
    using enum Method;
    return {
        list<events::Shift, ShiftListQuery>({get, "/api/shifts", "shifts.list", "shifts.view", "List shifts"},
                                            list_shifts),
        query<events::Shift>({get, "/api/shifts/{id}", "shifts.get", "shifts.view", "Read a shift"}, get_shift),
        query<AssignmentList>(
            {get, "/api/shifts/{id}/assignments", "shifts.assignments", "shifts.view", "Who is assigned to a shift"},
            get_assignments),
        shift_creation(),
        command<cmd::UpdateShift>({patch, "/api/shifts/{id}", "shifts.update", "shifts.edit", "Change a shift"},
                                  on(Kind::shift)),
        command<cmd::UpdateShift>({put, "/api/shifts/{id}", "shifts.put", "shifts.edit", "Change a shift"},
                                  on(Kind::shift)),
        command<cmd::DeleteShift>({del, "/api/shifts/{id}", "shifts.delete", "shifts.delete", "Delete a shift"},
                                  on(Kind::shift)),
        command<cmd::AssignStaff>(
            {post, "/api/shifts/{id}/assign", "shifts.assign", "shifts.assign", "Assign staff to a shift"},
            on(Kind::shift)),
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
    using enum Method;
    return {
        query<Me>({get, "/api/auth/me", "auth.me", "", "Who the credential stands for"}, get_me),
        query_with<DashboardAnswer, ScopeQuery>(
            {get, "/api/dashboard/stats", "dashboard.stats", "analytics.view", "The dashboard's figures"},
            get_dashboard_stats),
        query_with<std::vector<projections::ActivityItem>, ActivityQuery>(
            {get, "/api/dashboard/recent-activity", "dashboard.activity", "analytics.view",
             "What happened last, newest first"},
            get_recent_activity),
        document("/healthz", "health", "Whether the process is up", health),
        document("/openapi.json", "openapi", "This API, as OpenAPI 3.1", openapi_document),
        document("/api/openapi.json", "openapi.api", "This API, as OpenAPI 3.1", openapi_document),
        document("/.well-known/api-versions", "versions", "The API's versions", versions_document),
        document("/api/scopes", "scopes", "Scopes that credentials can be given", scopes_document),
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
