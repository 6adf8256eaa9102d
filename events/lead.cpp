// How events of leads fold: the one definition, for the write side's memory and for read models.
#include "events/lead.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(LeadRecord& lead, LeadEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](LeadCreated const& e) {
                              static_cast<LeadDetails&>(lead) = e;
                              static_cast<LeadStanding&>(lead) = e;
                          },
                          [&](LeadUpdated const& e) { merge(lead, static_cast<LeadChanges const&>(e)); },
                          [&](LeadStatusChanged const& e) { static_cast<LeadStanding&>(lead) = e; },
                          [&](LeadQualified const&) { lead.qualifiedAt = meta.time; },
                          [&](LeadDeleted const&) { lead.deleted = true; },
                          [&](LeadErased const&) { erase_personal(static_cast<LeadDetails&>(lead)); }},
               event);
    stamp(lead, meta);
}

template struct DataCodec<LeadEvent>;

}  // namespace workforce::events
