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

/// read.staff. Who is tied to no facility is seen from each.
StaffRows const& staff();

}  // namespace workforce::projections
