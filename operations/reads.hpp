// The handlers of reads: one resource by its id, and lists (domain 0, lists and paging).
#pragma once

#include <functional>

#include "operations/call.hpp"
#include "projections/engine/statements.hpp"

namespace workforce::projections {
class AnyReadModel;
}

namespace workforce::operations {

/// Query parameters that every list has.
struct PageQuery {
    std::optional<core::Int<1, core::kMaxId>> limit;  ///< over 200 is clamped
    std::optional<std::string> cursor;
    std::optional<core::Text<1, 100>> sort;
    std::optional<Id> facilityId;
    std::optional<Id> orgUnitId;  ///< read by target.hpp, as all of this name
};
BOOST_DESCRIBE_STRUCT(PageQuery, (), (limit, cursor, sort, facilityId, orgUnitId))

/// All query parameters of a list, as it is read and OpenAPI shows it.
template <class Filter>
struct ListQuery : PageQuery, Filter {
    BOOST_DESCRIBE_CLASS(ListQuery, (PageQuery, Filter), (), (), ())
};

struct ScopeQuery {
    std::optional<Id> facilityId;
    std::optional<Id> orgUnitId;
};
BOOST_DESCRIBE_STRUCT(ScopeQuery, (), (facilityId, orgUnitId))

/// Where a resource is, by its JSON text: its `facilityId`, or the one of its `facilityIds`; 0 where it is nowhere, or
/// at several facilities.
Id facility_in(std::string_view resource);

/// Whether the caller may read all resources of the kind, by the first operation of the table that does
/// (Operation::shown): what happened to them is then theirs to know, too.
bool may_read(Caller const& caller, events::Kind kind);

/// That operation, by which the caller reads resources of the kind; null where it may read none, not even rows of its
/// own.
Operation const* reader_of(Caller const& caller, events::Kind kind);

/// One resource, found by a statement as find_document() takes it; 404 names it by the noun.
boost::asio::awaitable<Outcome> get_one(Call& call, std::string_view noun,
                                        projections::ScopedStatement const& statement);

/// Waits for the caller's own writes, then looks whether the caller sees that resource. Errors: NOT_FOUND, and those of
/// read_scope().
boost::asio::awaitable<core::Result<void>> require_seen(Call& call, projections::AnyReadModel const& model, Id id);

/// Which part of a list is asked for.
struct ListInput {
    PageQuery page;
    std::vector<core::Parameter> filters;
};
/// What gives a page, as ListStatements::run does.
using PageSource = std::function<boost::asio::awaitable<core::Result<projections::Page>>(
    core::Database& database, projections::Scope scope, projections::PageRequest request,
    std::vector<core::Parameter> filters)>;
/// A page of a list; input that isn't valid is refused.
boost::asio::awaitable<Outcome> get_list(Call& call, PageSource source, core::Result<ListInput> input);
boost::asio::awaitable<Outcome> get_list(Call& call, projections::ListStatements const& lists,
                                         core::Result<ListInput> input);

/// The handler of one resource of a read model. `Model` is the function that gives it.
template <auto Model>
boost::asio::awaitable<Outcome> get_resource(Call& call) {
    return get_one(call, Model().spec().noun, Model().by_id());
}

template <auto Model>
using ModelOf = std::remove_cvref_t<decltype(Model())>;

/// The handler of a read model's list.
template <auto Model>
boost::asio::awaitable<Outcome> list_resources(Call& call) {
    using Query = ListQuery<typename ModelOf<Model>::Filter>;
    return get_list(call, Model().lists(), read_query<Query>(call.input.parameters).map([](Query const& query) {
        return ListInput{query, Model().filters(query)};
    }));
}

}  // namespace workforce::operations
