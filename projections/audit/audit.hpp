// The audit log: who changed what of users, keys and organizations, reset sandboxes and overrode rules.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <span>
#include <vector>

#include "core/database.hpp"
#include "core/day_or_moment.hpp"
#include "core/text.hpp"
#include "projections/audit/entry.hpp"
#include "projections/engine/projection.hpp"
#include "projections/engine/statements.hpp"

namespace workforce::projections {

/// What keeps read.audit_entry: one row an event that a rule (rules.hpp) has an action for.
ProjectionType audit_projection();

/// What the log can be narrowed to (domain 3.6).
struct AuditFilter {
    std::optional<std::vector<core::Text<1, 100>>> action{};
    std::optional<core::Int<0, core::kMaxId>> actorId{};  ///< as the entries' actors have it
    std::optional<core::Text<1, 100>> resource{};
    std::optional<core::DayOrMoment<core::End::first>> from{};
    std::optional<core::DayOrMoment<core::End::last>> to{};
};
BOOST_DESCRIBE_STRUCT(AuditFilter, (), (action, actorId, resource, from, to))

/// What the list may be sorted by; the newest first is `-createdAt`.
std::span<SortKey const> audit_sorts();
/// The parameters of audit_page() that a filter is.
std::vector<core::Parameter> audit_filters(AuditFilter const& filter);
/// A page of entries, with the names of who acts and where requests came from. Names and origins of operators of the
/// platform are not the customers' to know; `names`, for readers who are operators, has sessions that see all
/// organizations, else it is null. Errors: as ListStatements::run.
boost::asio::awaitable<core::Result<Page>> audit_page(core::Database& database, core::Database* names, Scope scope,
                                                      PageRequest request, std::vector<core::Parameter> filters);

}  // namespace workforce::projections
