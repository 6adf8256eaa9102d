// Leads as queries see them.
#pragma once

#include "events/lead.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of leads is narrowed to (domain 3.5).
struct LeadFilter : ListFilter {
    std::optional<std::vector<events::LeadStatus>> status{};
    std::optional<Id> ownerUserId{};
    std::optional<std::vector<events::LeadSource>> source{};
};
BOOST_DESCRIBE_STRUCT(LeadFilter, (ListFilter), (status, ownerUserId, source))

using LeadRows = ReadModel<events::LeadRecord, LeadFilter>;

/// read.lead. Callers who are bound to facilities see leads of these, and none of the organization as a whole.
LeadRows const& leads();

}  // namespace workforce::projections
