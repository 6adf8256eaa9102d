// Queries of facilities, staff, shifts and the dashboard.
#include "api/rest/read_routes.hpp"

#include <algorithm>

#include "api/problem_reply.hpp"
#include "api/rest/cursor.hpp"
#include "api/rest/entity_tags.hpp"
#include "core/scopes.hpp"
#include "projections/dashboard/dashboard.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/staff.hpp"

namespace workforce::api {
namespace {

using core::Code;
namespace read = projections;

net::Reply refuse_with(Call const& call, core::Problem const& problem) {
    return problem_reply(problem, call.request_id, call.services.config.base_url);
}

net::Reply json_reply(std::string body) {
    net::Reply reply;
    reply.body = std::move(body);
    return reply;
}

/// One resource, found by the query that `find` starts; 404 names it as `what`.
template <class Find>
boost::asio::awaitable<net::Reply> get_one(Call& call, std::string_view what, Find find) {
    auto scope = read_scope(call, std::nullopt, std::nullopt);
    if (!scope) co_return refuse_with(call, scope.error());
    co_await await_own_writes(call);
    std::optional<read::Document> document = co_await find(call.services.reads, *scope, call.path_ids.at(0));
    if (!document) {
        co_return refuse_with(call, {Code::not_found, "There is no " + std::string(what) + " " +
                                                          std::to_string(call.path_ids.at(0)) + " in your scope."});
    }
    auto reply = json_reply(std::move(document->doc));
    reply.headers.emplace_back("ETag", entity_tag(document->version));
    co_return reply;
}

std::string text_or_empty(auto const& field) { return field ? field->value : std::string{}; }

/// What a cursor is bound to: the route and every parameter but where and how much.
std::string cursor_binding(Call const& call) {
    std::string binding(call.route);
    binding += '\n' + call.principal->lineage();
    for (auto const& [name, value] : call.query) {
        if (name == "cursor" || name == "limit") continue;
        binding.append("\n").append(name).append("=").append(value);
    }
    return binding;
}

core::Result<read::PageRequest> page_request(Call const& call, ListQuery const& query) {
    read::PageRequest page;
    page.limit = static_cast<int>(std::min<std::int64_t>(query.limit ? query.limit->value : 50, 200));
    page.sort = text_or_empty(query.sort);
    if (!query.cursor) return page;
    auto keys = decode_cursor(*query.cursor, cursor_binding(call), call.services.cursor_secret);
    if (!keys) return tl::unexpected(keys.error());
    page.after = std::move(*keys);
    return page;
}

std::string scope_json(Call const& call, ListQuery const& query) {
    auto const& principal = *call.principal;
    core::JsonWriter w;
    w.begin_object();
    if (query.facilityId) {
        w.member("facilityId", *query.facilityId);
    } else if (principal.facilities.size() == 1) {
        w.member("facilityId", principal.facilities.front());
    } else {
        w.member("orgUnitId", principal.organization);
    }
    w.end_object();
    return w.take();
}

/// A list: reads parameters of type Query, asks `list` for the page, and renders it (domain 0, lists).
template <class Query, class List>
boost::asio::awaitable<net::Reply> get_list(Call& call, List list) {
    auto query = read_query<Query>(call.query);
    if (!query) co_return refuse_with(call, query.error());
    auto scope = read_scope(call, query->facilityId, query->orgUnitId);
    if (!scope) co_return refuse_with(call, scope.error());
    auto request = page_request(call, *query);
    if (!request) co_return refuse_with(call, request.error());
    co_await await_own_writes(call);
    if (auto known = co_await check_facility(call, query->facilityId); !known)
        co_return refuse_with(call, known.error());
    core::Result<read::Page> page = co_await list(*scope, *query, *request);
    if (!page) co_return refuse_with(call, page.error());
    core::JsonWriter w;
    w.begin_object();
    w.key("pagination");
    w.begin_object();
    w.member("limit", request->limit);
    w.member("hasMore", page->has_more);
    w.key("nextCursor");
    if (page->has_more) {
        w.string(encode_cursor(page->next, cursor_binding(call), call.services.cursor_secret));
    } else {
        w.null();
    }
    w.end_object();
    w.key("scope");
    w.raw(scope_json(call, *query));
    w.end_object();
    // The rows are text of some size, which the writer would copy byte by byte.
    auto const rest = w.text().substr(1);
    std::string body;
    body.reserve(page->rows.size() + rest.size() + 16);
    body.append(R"({"data":)").append(page->rows).append(",").append(rest);
    co_return json_reply(std::move(body));
}

}  // namespace

boost::asio::awaitable<net::Reply> get_me(Call& call) {
    auto const& principal = *call.principal;
    auto const& user = principal.user;
    Me me;
    me.user = {user.id,
               user.email.value.value,
               user.username.value.value,
               user.firstName.value.value,
               user.lastName.value.value,
               user.role};
    me.organization = {principal.organization, principal.organization_record.name.value,
                       principal.organization_record.type};
    me.isInternal = principal.organization_record.type == events::OrganizationType::internal;
    me.facilityIds = principal.facilities;
    me.scopes = principal.scopes;
    for (auto const permission : core::permission_catalogue()) {
        if (principal.permits(permission)) me.permissions.emplace_back(permission);
    }
    me.credential = {principal.key_type, principal.credential_id};
    co_return json_reply(core::to_json(me));
}

boost::asio::awaitable<net::Reply> get_facility(Call& call) { return get_one(call, "facility", read::find_facility); }
boost::asio::awaitable<net::Reply> get_staff(Call& call) { return get_one(call, "staff member", read::find_staff); }
boost::asio::awaitable<net::Reply> get_shift(Call& call) { return get_one(call, "shift", read::find_shift); }
boost::asio::awaitable<net::Reply> get_assignments(Call& call) {
    auto reply = co_await get_one(call, "shift", read::find_assignments);
    if (reply.status == 200) reply.body = R"({"data":)" + reply.body + "}";
    co_return reply;
}

boost::asio::awaitable<net::Reply> list_facilities(Call& call) {
    return get_list<FacilityListQuery>(
        call,
        [&call](auto const& scope, FacilityListQuery const& query,
                auto const& page) -> boost::asio::awaitable<core::Result<read::Page>> {
            read::FacilityFilter const filter{query.isActive, text_or_empty(query.q), query.updatedSince};
            co_return co_await read::list_facilities(call.services.reads, scope, filter, page);
        });
}

boost::asio::awaitable<net::Reply> list_staff(Call& call) {
    return get_list<StaffListQuery>(call,
                                    [&call](auto const& scope, StaffListQuery const& query,
                                            auto const& page) -> boost::asio::awaitable<core::Result<read::Page>> {
                                        read::StaffFilter filter;
                                        filter.q = text_or_empty(query.q);
                                        filter.specialty = text_or_empty(query.specialty);
                                        filter.employment_type =
                                            query.employmentType.value_or(std::vector<events::EmploymentType>{});
                                        filter.is_active = query.isActive.value_or(true);
                                        filter.skill = text_or_empty(query.skill);
                                        filter.updated_since = query.updatedSince;
                                        co_return co_await read::list_staff(call.services.reads, scope, filter, page);
                                    });
}

boost::asio::awaitable<net::Reply> list_shifts(Call& call) {
    return get_list<ShiftListQuery>(call,
                                    [&call](auto const& scope, ShiftListQuery const& query,
                                            auto const& page) -> boost::asio::awaitable<core::Result<read::Page>> {
                                        read::ShiftFilter filter;
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
                                        co_return co_await read::list_shifts(call.services.reads, scope, filter, page);
                                    });
}

boost::asio::awaitable<net::Reply> get_dashboard_stats(Call& call) {
    auto query = read_query<ScopeQuery>(call.query);
    if (!query) co_return refuse_with(call, query.error());
    auto scope = read_scope(call, query->facilityId, query->orgUnitId);
    if (!scope) co_return refuse_with(call, scope.error());
    co_await await_own_writes(call);
    if (auto known = co_await check_facility(call, query->facilityId); !known)
        co_return refuse_with(call, known.error());
    DashboardAnswer answer;
    static_cast<read::DashboardStats&>(answer) =
        co_await read::dashboard_stats(call.services.reads, *scope, core::now());
    answer.recentActivity = co_await read::recent_activity(call.services.reads, *scope, 10);
    co_return json_reply(core::to_json(answer));
}

boost::asio::awaitable<net::Reply> get_recent_activity(Call& call) {
    auto query = read_query<ActivityQuery>(call.query);
    if (!query) co_return refuse_with(call, query.error());
    auto scope = read_scope(call, std::nullopt, std::nullopt);
    if (!scope) co_return refuse_with(call, scope.error());
    co_await await_own_writes(call);
    auto const limit = query->limit ? query->limit->value : 20;
    auto items = co_await read::recent_activity(call.services.reads, *scope,
                                                static_cast<int>(std::min<std::int64_t>(limit, 100)));
    co_return json_reply(core::to_json(items));
}

}  // namespace workforce::api
