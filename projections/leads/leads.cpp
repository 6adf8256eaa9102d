// The declaration of read.lead.
#include "projections/leads/leads.hpp"

namespace workforce::projections {
namespace {

std::string searched(events::Lead const& lead) {
    return search_text(lead.name.value.value, lead.company.value, lead.email.value.value);
}

}  // namespace

LeadRows const& leads() {
    static LeadRows const model =
        LeadRows::declare("lead")
            .seen_at("t.facility_id = ANY ($facilities)")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& lead) { return lead.facilityId; })
            .column("deleted", [](auto const& lead) { return lead.deleted; })
            .column("status", [](auto const& lead) { return lead.status; })
            .column("source", [](auto const& lead) { return lead.source; })
            .column("owner_user_id", [](auto const& lead) { return lead.ownerUserId; })
            .column("score", [](auto const& lead) { return lead.score; })
            .column("estimated_value", [](auto const& lead) { return lead.estimatedValue; })
            .column("name_key", [](auto const& lead) { return core::fold_case(lead.name.value.value); })
            .filter<&LeadFilter::status>("t.status = ANY ($status)")
            .filter<&LeadFilter::ownerUserId>("t.owner_user_id = $ownerUserId")
            .filter<&LeadFilter::source>("t.source = ANY ($source)")
            .search([](auto const& lead) { return searched(lead); })
            .stamped()
            .sort("createdAt", "created_at")
            .sort("name", "name_key")
            .sort("score", "score")
            .sort("estimatedValue", "estimated_value");
    return model;
}

}  // namespace workforce::projections
