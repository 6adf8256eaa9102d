// The operations on leads.
#include "commands/lead.hpp"

#include "operations/declare.hpp"
#include "operations/words/words.hpp"
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

std::vector<StructWords> lead_words() {
    return {
        {{"leads/"}, {{"id", "The lead's id, from {leads.list}"}}},
        {{"LeadDetails", "LeadChanges"},
         {{"facilityId", "Facility that it is for, from {facilities.list}; null: the organization as a whole"},
          {"name", "The contact's name; a lead has this or a company"},
          {"company", "Where the contact works; a lead has this or a name"},
          {"email", "The contact's address, or empty"},
          {"phone", "Number to call the contact by"},
          {"estimatedValue", "Money that it may bring, in the organization's currency"},
          {"tags", "Labels of your own"},
          {"lastContactedAt", "When somebody last spoke to the contact; null: never"},
          {"externalId", "The lead's id in a system of yours"}}},
        {{"LeadDetails"},
         {{"notes", "Free text about it"},
          {"source", "Where the lead came from; manual by default"},
          {"score", "How promising it is, 0 to 100; 0 by default"},
          {"ownerUserId", "User who follows it up; you where it is not given, null: nobody"}}},
        {{"LeadChanges"},
         {{"notes", "Free text about it, which replaces all that was there: repeat what is to stay"},
          {"source", "Where the lead came from"},
          {"score", "How promising it is, 0 to 100"},
          {"ownerUserId", "User who follows it up; null: nobody"}}},
        {{"LeadStanding", "UpdateLead"},
         {{"status",
           "How far it is: new, contacted, qualified, proposal, won by the usual way, lost or disqualified where it "
           "ended; any "
           "may follow any"},
          {"lostReason", "Why it was given up; required with lost and disqualified"}}},
        {{"LeadFlags"}, {{"qualifiedAt", "When it last became qualified; null: never"}}},
        {{"LeadFilter"},
         {{"status", "Only those that stand so; open are new, contacted, qualified and proposal"},
          {"ownerUserId", "Only what this user follows up"},
          {"source", "Only from there"}}},
        {{"LeadStatus"}, {{"", "Where a lead stands on its way to a contract"}}},
        {{"LeadSource"}, {{"", "Where a lead came from"}}},
    };
}

}  // namespace workforce::operations
