// Queries over staff.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "core/database.hpp"
#include "core/result.hpp"
#include "events/staff.hpp"
#include "projections/engine/projection.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// What a list of staff is narrowed to (domain 3.3); what is empty does not narrow.
struct StaffFilter {
    std::string q{};          ///< substring of the name or e-mail, in any case
    std::string specialty{};  ///< equal but for case
    std::vector<events::EmploymentType> employment_type{};
    std::optional<bool> is_active = true;
    std::string skill{};  ///< one of the skills, equal but for case
    std::optional<core::Timestamp> updated_since{};
};

/// The staff member. A scope of facilities sees those who work at one of them, or who are tied to none.
boost::asio::awaitable<std::optional<Document>> find_staff(core::Database& database, Scope const& scope, Id id);

/// Sort keys: lastName (default), createdAt, hourlyRate. Refusals as list_shifts.
boost::asio::awaitable<core::Result<Page>> list_staff(core::Database& database, Scope const& scope,
                                                      StaffFilter const& filter, PageRequest const& page);

/// The person of a row of read.staff that has the column doc.
events::Staff staff_of(pqxx::row const& row);
/// What `sort` of that list may be.
std::vector<std::string> staff_sorts();

/// What keeps read.staff.
ProjectionType staff_projection();

}  // namespace workforce::projections
