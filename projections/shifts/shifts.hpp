// Queries over shifts and their assignments.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "core/database.hpp"
#include "core/result.hpp"
#include "events/shift.hpp"
#include "projections/engine/projection.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// What a list of shifts is narrowed to (domain 3.4); what is empty does not narrow.
struct ShiftFilter {
    std::vector<events::ShiftStatus> status{};
    std::optional<core::Date> from{};  ///< first date, inclusive, as the facility's calendar has it
    std::optional<core::Date> to{};    ///< last date, inclusive
    std::vector<events::Urgency> urgency{};
    std::string specialty{};                   ///< equal but for case
    std::string department{};                  ///< equal but for case
    std::optional<Id> staff_id{};              ///< assigned to that person
    std::optional<core::Timestamp> open_at{};  ///< open=true: open and not ended at that moment
    std::string q{};                           ///< substring of title, department or specialty, in any case
    std::optional<core::Timestamp> updated_since{};
};

/// The shift, unless it was deleted or lies outside the scope. Errors, as of all queries: core::DatabaseUnavailable,
/// core::DatabaseBusy.
boost::asio::awaitable<std::optional<Document>> find_shift(core::Database& database, Scope const& scope, Id id);

/// The shift's assignments as a JSON array, in the order made. Nothing as find_shift.
boost::asio::awaitable<std::optional<Document>> find_assignments(core::Database& database, Scope const& scope,
                                                                 Id shift);

/// Sort keys: startsAt (default), createdAt, urgency. Deleted shifts are left out.
/// Refuses with VALIDATION_ERROR an unknown sort key, with INVALID_CURSOR an `after` that is not of this sort.
boost::asio::awaitable<core::Result<Page>> list_shifts(core::Database& database, Scope const& scope,
                                                       ShiftFilter const& filter, PageRequest const& page);

/// The shift of a row of read.shift that has the columns doc, assignments and deleted.
events::ShiftRecord shift_of(pqxx::row const& row);
/// What `sort` of that list may be.
std::vector<std::string> shift_sorts();

/// What keeps read.shift.
ProjectionType shift_projection();

}  // namespace workforce::projections
