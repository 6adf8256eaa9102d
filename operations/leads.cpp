// The operations on leads.
#include "commands/lead.hpp"

#include "operations/declare.hpp"
#include "projections/leads/leads.hpp"

namespace workforce::operations {

std::vector<Operation> lead_operations() {
    using enum net::Method;
    using events::Kind;
    using enum events::ModelTier;
    std::vector<RenamedField> const kLeadId{{"leadId", "id"}};
    return {
        list<projections::leads>("leads.list", "List leads")
            .says("Returns a page of leads: who may become a customer. Narrow it by status, owner or source.")
            .needs("crm.view")
            .at(get, "/api/crm/leads")
            .as_tool({.name = "leads_list"}),
        one<projections::leads>("leads.get", "Read a lead")
            .says("Returns one lead with its contact, its status and who follows it up.")
            .needs("crm.view")
            .at(get, "/api/crm/leads/{id:int}")
            .as_tool({.name = "leads_get", .renamed = kLeadId}),
        command<commands::CreateLead>("leads.create", "Add a lead")
            .says(
                "Adds a lead and returns it. It takes a name or a company, and with lost or disqualified a lostReason.")
            .needs("crm.create")
            .creates(Kind::lead)
            .at(post, "/api/crm/leads")
            .as_tool({.name = "leads_create", .tier = standard}),
        command<commands::UpdateLead>("leads.update", "Change a lead")
            .says("Changes the fields that are given; others stay. Returns the lead. A status that becomes qualified "
                  "is billed, and subscribers hear of it as lead_qualified. lost and disqualified take a lostReason.")
            .needs("crm.edit")
            .on(Kind::lead)
            .at(patch, "/api/crm/leads/{id:int}")
            .also_put("leads.put")
            .as_tool({.name = "leads_update", .tier = standard, .renamed = kLeadId}),
        command<commands::DeleteLead>("leads.delete", "Delete a lead")
            .says("Deletes a lead for good: from then on nobody finds it.")
            .needs("crm.delete")
            .on(Kind::lead)
            .destroys()
            .at(del, "/api/crm/leads/{id:int}"),
    };
}

}  // namespace workforce::operations
