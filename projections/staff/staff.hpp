// Staff as queries see them.
#pragma once

#include "core/bool_or_any.hpp"
#include "events/credential.hpp"
#include "events/staff.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of staff is narrowed to (domain 3.3).
struct StaffFilter : ListFilter {
    std::optional<core::ShortText> specialty{};  ///< equal but for case
    std::optional<std::vector<events::EmploymentType>> employmentType{};
    std::optional<core::BoolOrAny> isActive = core::BoolOrAny{true};
    std::optional<core::ShortText> skill{};  ///< one of the skills, equal but for case
    /// Who has a credential of one of these.
    std::optional<std::vector<events::CredentialStatus>> credentialStatus{};
};
BOOST_DESCRIBE_STRUCT(StaffFilter, (ListFilter), (specialty, employmentType, isActive, skill, credentialStatus))

using StaffRows = ReadModel<events::StaffRecord, StaffFilter>;

/// read.staff. Who is tied to no facility is seen from each. `userId` is told by the users' rows.
StaffRows const& staff();

/// Which facilities see what a staff member has: those that see the person.
inline constexpr std::string_view kSeenWithHolder =
    "EXISTS (SELECT FROM read.staff s WHERE s.organization_id = t.organization_id AND s.is_sandbox = t.is_sandbox "
    "AND s.id = t.staff_id AND (s.facility_ids && $facilities OR s.facility_ids = '{}'))";

/// Finds when a person can work, with whose it is, as find_document() takes it.
ScopedStatement const& availability_by_person();

/// The active staff of a facility, the oldest ids first, at most so many. People who are tied to no facility are not
/// among them.
boost::asio::awaitable<std::vector<Id>> active_staff_at(core::Database& database, Scope scope, Id facility,
                                                        std::int64_t most);

/// A row's document as queries show it: with the user who names the person (domain 16). Of several it is one who was
/// not deactivated, where there is one, and the one made first; a user who was erased names nobody.
inline constexpr std::string_view kStaffDocument = R"(replace(t.doc, '"userId":null', '"userId":' || coalesce((
        SELECT u.id::text FROM read.user_account u
        WHERE u.organization_id = t.organization_id AND u.staff_id = t.id AND NOT u.is_sandbox AND NOT u.erased
        ORDER BY u.status = 'deactivated', u.id LIMIT 1), 'null')))";

}  // namespace workforce::projections
