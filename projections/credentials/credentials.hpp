// Credentials of staff as queries see them.
#pragma once

#include "events/credential.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of credentials is narrowed to (domain 3.3).
struct CredentialFilter : ListFilter {
    std::optional<Id> staffId{};
    std::optional<std::vector<events::CredentialStatus>> status{};
    std::optional<std::vector<events::StaffCredentialType>> type{};
    /// Pending and verified ones whose last day is no further away; those whose date has passed are none of them.
    std::optional<core::Int<0, 3650>> expiringWithinDays{};
};
BOOST_DESCRIBE_STRUCT(CredentialFilter, (ListFilter), (staffId, status, type, expiringWithinDays))

using CredentialRows = ReadModel<events::CredentialRecord, CredentialFilter, events::CredentialView>;

/// read.credential. Who sees a staff member sees their credentials.
CredentialRows const& credentials();

}  // namespace workforce::projections
