// THE route table: everything that the REST listener answers.
#include "api/api_schema.hpp"
#include "api/command_route.hpp"
#include "api/read_routes.hpp"
#include "api/versions.hpp"
#include "commands/facility.hpp"
#include "commands/shift.hpp"
#include "commands/staff.hpp"
#include "core/scopes.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::api {
namespace {

using events::Kind;
namespace cmd = commands;

template <class T>
void request_of(core::JsonWriter& w) {
    ApiSchema<T>::write(w, Side::request);
}
template <class T>
void answer_of(core::JsonWriter& w) {
    ApiSchema<T>::write(w, Side::answer);
}

/// Schemas of lists: the data, where the next page begins, and what the list was taken from.
template <class T>
void list_schema_of(core::JsonWriter& w) {
    w.member("type", "object");
    w.key("properties");
    w.begin_object();
    w.key("data");
    w.begin_object();
    answer_of<std::vector<T>>(w);
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

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::optional<std::vector<T>>> = true;

template <class Query>
std::vector<QueryParameter> parameters_of() {
    std::vector<QueryParameter> all;
    boost::mp11::mp_for_each<core::Members<Query>>([&](auto d) {
        using Member = std::remove_cvref_t<decltype(std::declval<Query>().*d.pointer)>;
        all.push_back({core::wire_name(d.name), !core::kIsOptional<Member>, kIsList<Member>, &request_of<Member>});
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
    route.answer = &answer_of<Answer>;
    route.handler = handler;
    return route;
}

/// A query with parameters.
template <class Answer, class Query>
Route query_with(About about, boost::asio::awaitable<Reply> (*handler)(Call&)) {
    auto route = query<Answer>(about, handler);
    route.query = parameters_of<Query>();
    if constexpr (requires { Query::kLimit; }) {
        for (auto& parameter : route.query) {
            if (parameter.name == "limit") parameter.description = Query::kLimit;
        }
    }
    return route;
}

/// A list, which `sorts` says how to sort.
template <class Row, class Query>
Route list(About about, boost::asio::awaitable<Reply> (*handler)(Call&), std::vector<std::string> sorts) {
    auto route = query_with<Row, Query>(about, handler);
    route.answer = &list_schema_of<Row>;
    for (auto& parameter : route.query) {
        if (parameter.name == "sort") parameter.values = sorts;
    }
    return route;
}

/// One resource by its id.
template <class Answer>
Route one(About about, boost::asio::awaitable<Reply> (*handler)(Call&)) {
    auto route = query<Answer>(about, handler);
    route.versioned = true;
    return route;
}

template <class T>
constexpr bool has_required_member() {
    bool any = false;
    boost::mp11::mp_for_each<core::Members<T>>([&](auto d) {
        using Member = std::remove_cvref_t<decltype(std::declval<T>().*d.pointer)>;
        any = any || core::is_required<T, Member>(core::wire_name(d.name));
    });
    return any;
}

/// A command whose body is the command's fields.
template <class Command>
Route command(About about, CommandOptions options) {
    auto route = route_of(about);
    route.success = options.success;
    route.versioned = true;
    if constexpr (boost::mp11::mp_size<core::Members<Command>>::value > 0) route.body = &request_of<Command>;
    route.body_required = has_required_member<Command>();
    route.answer = &answer_of<typename Command::Answer>;
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
        w.begin_object();
        request_of<cmd::CreateShift>(w);
        w.key("not");
        w.raw(R"({"required":["shifts"]})");
        w.end_object();
        w.begin_object();
        request_of<cmd::CreateShifts>(w);
        w.end_object();
        w.end_array();
    };
    route.answer = [](core::JsonWriter& w) {
        w.key("oneOf");
        w.begin_array();
        for (auto const writer : {&answer_of<events::Shift>, &answer_of<cmd::ShiftList>}) {
            w.begin_object();
            writer(w);
            w.end_object();
        }
        w.end_array();
    };
    route.handler = create_shifts;
    return route;
}

/// `staffId` or `staffIds`.
Route assignment() {
    auto route = command<cmd::AssignStaff>(
        {Method::post, "/api/shifts/{id}/assign", "shifts.assign", "shifts.assign", "Assign staff to a shift"},
        on(Kind::shift));
    route.body_required = true;
    route.body = [](core::JsonWriter& w) {
        request_of<cmd::AssignStaff>(w);
        w.key("oneOf");
        w.raw(R"([{"required":["staffId"]},{"required":["staffIds"]}])");
    };
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
Route document(std::string_view path, std::string_view name, std::string_view summary, std::string (*text)(),
               SchemaWriter schema) {
    Route route;
    route.path = path;
    route.name = name;
    route.summary = summary;
    route.access = Access::open;
    route.answer = schema;
    route.handler = [text](Call&) -> boost::asio::awaitable<Reply> {
        Reply reply;
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

void schema_of_openapi(core::JsonWriter& w) { w.member("type", "object"); }

std::vector<Route> facility_routes() {
    using enum Method;
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
    using enum Method;
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
    using enum Method;
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
        document("/healthz", "health", "Whether the process is up", health, &answer_of<Health>),
        document("/openapi.json", "openapi", "This API, as OpenAPI 3.1", openapi_document, schema_of_openapi),
        document("/api/openapi.json", "openapi.api", "This API, as OpenAPI 3.1", openapi_document, schema_of_openapi),
        document("/.well-known/api-versions", "versions", "The API's versions", versions_document,
                 &answer_of<VersionList>),
        document("/api/scopes", "scopes", "Scopes that credentials can be given", scopes_document,
                 &answer_of<ScopeList>),
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
