// Rules of leads (domain 1.8, 2.4).
#include "commands/lead.hpp"

#include "commands/facility.hpp"

namespace workforce::commands {
namespace {

using events::LeadStatus;

NewEvent lead_event(Id id, core::Nullable<Id> const& facility, events::LeadEvent event) {
    return {{events::Kind::lead, id}, facility.value.value_or(0), std::move(event)};
}

/// Those who are bound to facilities see leads of these, and none of the organization as a whole.
bool in_scope(core::Nullable<Id> const& facility, Context const& context) {
    return facility.value ? context.reaches(*facility.value) : context.facilities.empty();
}

events::Lead const* visible_lead(View const& view, Id id, Context const& context) {
    auto const* lead = view.get<events::LeadRecord>(id);
    return lead && !lead->deleted && in_scope(lead->facilityId, context) ? lead : nullptr;
}

bool is_given_up(LeadStatus status) { return status == LeadStatus::lost || status == LeadStatus::disqualified; }

tl::unexpected<core::Problem> refuse_unnamed() { return invalid_field("name", "required", "or company is required"); }

/// Whether a lead may be of that facility and belong to that user, either of which may be none.
std::optional<tl::unexpected<core::Problem>> check_place(View const& view, core::Nullable<Id> const* facility,
                                                         core::Nullable<Id> const* owner, Context const& context) {
    if (facility && facility->value) {
        if (auto found = facility_in_scope(view, *facility->value, context); !found)
            return tl::unexpected(found.error());
    } else if (facility && !context.facilities.empty()) {
        return refuse(Code::facility_scope_violation, "facilityId must name one of your facilities.");
    }
    if (owner && owner->value && !view.get<events::User>(*owner->value)) {
        return invalid_field("ownerUserId", "known", "must be a user of the organization");
    }
    return std::nullopt;
}

/// The standing that `status` and `reason` lead to. Errors: VALIDATION_ERROR where a reason is missing.
Result<events::LeadStanding> standing(LeadStatus status, core::ShortText reason) {
    if (!is_given_up(status)) return events::LeadStanding{status, {}};
    if (reason.value.empty()) {
        return invalid_field("lostReason", "required",
                             "is required where status is " + std::string(core::enum_name(status)));
    }
    return events::LeadStanding{status, std::move(reason)};
}

}  // namespace

void CreateLead::check(core::FieldCheck& fields) const {
    if (name.value.value.empty() && company.value.empty() && fields.sound("name") && fields.sound("company")) {
        fields.fail("name", "required", "or company is required");
    }
}

Result<Decision> decide(View const& view, CreateLead const& command, Context const& context) {
    events::LeadCreated created{command, {}};
    if (!created.facilityId.value && context.facilities.size() == 1) created.facilityId = context.facilities.front();
    if (!created.facilityId.value && !context.facilities.empty()) {
        return invalid_field("facilityId", "required", "must name one of your facilities");
    }
    if (auto fault = check_place(view, &created.facilityId, &created.ownerUserId, context)) return *fault;
    if (!created.ownerUserId.value && view.get<events::User>(context.actor.user)) {
        created.ownerUserId = context.actor.user;
    }
    auto stands = standing(command.status, command.lostReason);
    if (!stands) return tl::unexpected(stands.error());
    static_cast<events::LeadStanding&>(created) = *std::move(stands);
    Id const id = context.new_ids.at(0);
    auto const facility = created.facilityId;
    bool const qualified = created.status == LeadStatus::qualified;
    Decision decision{{lead_event(id, facility, std::move(created))}, {}};
    if (qualified) decision.events.push_back(lead_event(id, facility, events::LeadQualified{}));
    return decision;
}
events::Lead answer(View const& view, CreateLead const&, Decision const& decision) {
    return *view.get<events::LeadRecord>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateLead const& command, Context const& context) {
    auto const* lead = visible_lead(view, command.id, context);
    if (!lead) return not_found("lead", command.id);
    events::LeadUpdated updated{command};
    bool const changed = events::keep_changed(*lead, static_cast<events::LeadChanges&>(updated));
    auto const* facility = updated.facilityId ? &*updated.facilityId : nullptr;
    auto const* owner = updated.ownerUserId ? &*updated.ownerUserId : nullptr;
    if (auto fault = check_place(view, facility, owner, context)) return *fault;
    auto const& name = updated.name ? updated.name->value.value : lead->name.value.value;
    auto const& company = updated.company ? updated.company->value : lead->company.value;
    // An erased person's name is empty, and that is no reason to refuse the rest.
    if ((updated.name || updated.company) && name.empty() && company.empty()) return refuse_unnamed();
    auto const status = command.status.value_or(lead->status);
    auto const kept = status == lead->status ? lead->lostReason : core::ShortText();
    auto stands = standing(status, command.lostReason.value_or(kept));
    if (!stands) return tl::unexpected(stands.error());
    auto const at = facility ? *facility : lead->facilityId;
    Decision decision;
    if (changed) decision.events.push_back(lead_event(command.id, at, std::move(updated)));
    bool const moves = stands->status != lead->status;
    if (moves || stands->lostReason.value != lead->lostReason.value) {
        bool const qualified = moves && stands->status == LeadStatus::qualified;
        decision.events.push_back(
            lead_event(command.id, at, events::LeadStatusChanged{{*std::move(stands)}, lead->status}));
        if (qualified) decision.events.push_back(lead_event(command.id, at, events::LeadQualified{}));
    }
    return decision;
}
events::Lead answer(View const& view, UpdateLead const& command, Decision const&) {
    return *view.get<events::LeadRecord>(command.id);
}

Result<Decision> decide(View const& view, DeleteLead const& command, Context const& context) {
    auto const* lead = visible_lead(view, command.id, context);
    if (!lead) return not_found("lead", command.id);
    return Decision{{lead_event(command.id, lead->facilityId, events::LeadDeleted{})}, {}};
}

}  // namespace workforce::commands
