// What handlers of reads share: one resource by its id, and lists (domain 0, lists and paging).
#pragma once

#include <algorithm>

#include "operations/call.hpp"

namespace workforce::operations {

/// Query parameters, as the handlers read them and OpenAPI shows them.
struct ListQuery {
    static constexpr std::string_view kLimit = "50 where it is not given; more than 200 counts as 200.";
    std::optional<core::Int<1, 1'000'000>> limit;  ///< over 200 is clamped
    std::optional<std::string> cursor;
    std::optional<core::Text<1, 100>> sort;
    std::optional<Id> facilityId;
    std::optional<Id> orgUnitId;
    std::optional<core::Timestamp> updatedSince;
    std::optional<core::Text<2, 100>> q;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, cursor, sort, facilityId, orgUnitId, updatedSince, q))

struct ScopeQuery {
    std::optional<Id> facilityId;
    std::optional<Id> orgUnitId;
};
BOOST_DESCRIBE_STRUCT(ScopeQuery, (), (facilityId, orgUnitId))

/// The text of a parameter; empty where it was not given.
std::string text_or_empty(auto const& field) { return field ? field->value : std::string{}; }

/// Where the page begins and how long it is. Errors: INVALID_CURSOR, also for a cursor of another list.
core::Result<projections::PageRequest> page_request(Call const& call, ListQuery const& query);

/// The answer of a list.
Outcome list_outcome(Call const& call, ListQuery const& query, projections::PageRequest const& request,
                     projections::Page const& page);

/// One resource, found by the query that `find` starts; 404 names it as `what`.
template <class Find>
boost::asio::awaitable<Outcome> get_one(Call& call, std::string_view what, Find find) {
    auto scope = read_scope(call, std::nullopt, std::nullopt);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto const id = call.input.ids.at(0);
    std::optional<projections::Document> document = co_await find(call.services.reads, *scope, id);
    if (!document) {
        co_return refuse(call, {core::Code::not_found,
                                "There is no " + std::string(what) + " " + std::to_string(id) + " in your scope."});
    }
    Outcome outcome;
    outcome.body = std::move(document->doc);
    outcome.version = document->version;
    co_return outcome;
}

/// A list: reads parameters of type Query, asks `list` for the page, and renders it.
template <class Query, class List>
boost::asio::awaitable<Outcome> get_list(Call& call, List list) {
    auto query = read_query<Query>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    auto scope = read_scope(call, query->facilityId, query->orgUnitId);
    if (!scope) co_return refuse(call, scope.error());
    auto request = page_request(call, *query);
    if (!request) co_return refuse(call, request.error());
    co_await await_own_writes(call);
    if (auto known = co_await check_facility(call, query->facilityId); !known) co_return refuse(call, known.error());
    core::Result<projections::Page> page = co_await list(*scope, *query, *request);
    if (!page) co_return refuse(call, page.error());
    co_return list_outcome(call, *query, *request, *page);
}

}  // namespace workforce::operations
