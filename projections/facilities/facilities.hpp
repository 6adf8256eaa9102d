// Queries over facilities. Each has a row for its sandbox besides the live one (domain 9).
#pragma once

#include <boost/asio/awaitable.hpp>

#include "core/database.hpp"
#include "core/result.hpp"
#include "projections/engine/projection.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// What a list of facilities is narrowed to (domain 3.3); what is empty does not narrow.
struct FacilityFilter {
    std::optional<bool> is_active{};
    std::string q{};  ///< substring of name or code, in any case
    std::optional<core::Timestamp> updated_since{};
};

/// The facility.
boost::asio::awaitable<std::optional<Document>> find_facility(core::Database& database, Scope const& scope, Id id);

/// Sort keys: name (default), createdAt. Refusals as list_shifts.
boost::asio::awaitable<core::Result<Page>> list_facilities(core::Database& database, Scope const& scope,
                                                           FacilityFilter const& filter, PageRequest const& page);

/// What `sort` of that list may be.
std::vector<std::string> facility_sorts();

/// What keeps read.facility.
ProjectionType facility_projection();

}  // namespace workforce::projections
