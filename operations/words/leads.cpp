// Words for leads.
#include "operations/words/words.hpp"

namespace workforce::operations {

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
