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

/// Time that somebody has off.
struct ApprovedTimeOff {
    Id id = 0;
    core::Timestamp starts;
    core::Timestamp ends;
};

struct Candidate {
    Id staff = 0;
    bool has_specialty = false;  ///< of the specialty that was asked for
    core::Nullable<core::Decimal<0, 168>> max_weekly_hours;
    std::string last_name_key;
    std::vector<events::AvailabilityBlock> weekly;  ///< when they can work
    std::vector<PlannedTime> planned;
    std::vector<ApprovedTimeOff> away;  ///< that overlaps the shift
    /// Verified ones, where they were asked for: type, status, name and expiresOn.
    std::vector<events::Credential> credentials;
};

/// A question for people who could take a shift.
struct CandidateQuery {
    Id facility = 0;
    std::string specialty{};
    core::Timestamp from{};  ///< their time at whatever facility counts from then on
    core::Timestamp to{};    ///< until then
    core::Timestamp starts{};
    core::Timestamp ends{};  ///< of the shift, of whose time they may have some off
    bool with_credentials = false;
};
/// The active people whom the facility sees, in no order, with what the query asks of them. Errors, as of all queries:
/// core::DatabaseUnavailable, core::DatabaseBusy.
boost::asio::awaitable<std::vector<Candidate>> find_candidates(core::Database& database, Scope scope,
                                                               CandidateQuery query);

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
