// Who could be assigned to a shift, and what assignment rules ask of them.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/database.hpp"
#include "core/result.hpp"
#include "events/credential.hpp"
#include "events/staff.hpp"
#include "net/byte_budget.hpp"
#include "projections/engine/query.hpp"

namespace workforce::projections {

/// A shift that takes time of somebody.
struct PlannedTime {
    Id shift = 0;
    Id facility = 0;
    core::Timestamp starts;
    core::Timestamp ends;
};

struct Candidate {
    Id staff = 0;
    bool has_specialty = false;  ///< of the specialty that was asked for
    core::Nullable<core::Decimal<0, 168>> max_weekly_hours;
    std::string last_name_key;
    std::vector<PlannedTime> planned;
    /// Verified ones, where they were asked for: type, status, name and expiresOn.
    std::vector<events::Credential> credentials;
};

/// The active people whom the facility sees, whether they have the specialty, and their time from one moment to another
/// at whatever facility, in no order; `with_credentials` those that were verified, too. Errors, as of all queries:
/// core::DatabaseUnavailable, core::DatabaseBusy.
boost::asio::awaitable<std::vector<Candidate>> find_candidates(core::Database& database, Scope scope, Id facility,
                                                               std::string specialty, core::Timestamp from,
                                                               core::Timestamp to, bool with_credentials);

/// Documents of people by their ids, and the room that they take.
struct StaffDocuments {
    std::vector<std::pair<Id, std::string>> docs;
    net::HeldBytes held{};
};
/// The documents of these people, in that order: as many as the room has place for, one at least. Whoever is gone
/// meanwhile is left out. Errors: SERVICE_UNAVAILABLE where there is no room.
boost::asio::awaitable<core::Result<StaffDocuments>> find_staff_documents(core::Database& database, Scope scope,
                                                                          std::vector<Id> ids, PageRoom room);

}  // namespace workforce::projections
