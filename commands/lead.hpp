// Commands on leads.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/lead.hpp"

namespace workforce::commands {

/// POST /api/crm/leads. Whoever is bound to facilities makes leads of these alone: of the only one where none is named
/// (FACILITY_SCOPE_VIOLATION, VALIDATION_ERROR). The owner is the caller's user where none is named.
struct CreateLead : events::LeadDetails, events::LeadStanding {
    using Answer = events::Lead;
    void check(core::FieldCheck& fields) const;
};
BOOST_DESCRIBE_STRUCT(CreateLead, (events::LeadDetails, events::LeadStanding), ())
Result<Decision> decide(View const& view, CreateLead const& command, Context const& context);
events::Lead answer(View const& view, CreateLead const& command, Decision const& decision);

/// PUT or PATCH /api/crm/leads/{id}. Any status may follow any other; `lostReason` counts where the lead is lost or
/// disqualified then, and is required there (VALIDATION_ERROR).
struct UpdateLead : events::LeadChanges {
    using Answer = events::Lead;
    Id id = 0;
    std::optional<events::LeadStatus> status;
    std::optional<core::ShortText> lostReason;
};
BOOST_DESCRIBE_STRUCT(UpdateLead, (events::LeadChanges), (status, lostReason))
Result<Decision> decide(View const& view, UpdateLead const& command, Context const& context);
events::Lead answer(View const& view, UpdateLead const& command, Decision const& decision);

/// DELETE /api/crm/leads/{id}. For good: NOT_FOUND from then on.
struct DeleteLead {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeleteLead, (), ())
Result<Decision> decide(View const& view, DeleteLead const& command, Context const& context);

}  // namespace workforce::commands
