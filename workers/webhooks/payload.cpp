// Events to messages: a row a type.
#include "workers/webhooks/payload.hpp"

#include <array>
#include <utility>

#include "events/webhook_types.hpp"

namespace workforce::workers {
namespace {

using core::JsonWriter;
using events::Event;

/// How an event of one type becomes the data of a message. Writes the members of an open object.
struct MessageRule {
    std::string_view event;  ///< type of the event
    std::string_view type;   ///< of the message
    bool personal = false;   ///< the data tells of the person who is the event's subject
    void (*write)(JsonWriter& w, Event const& event, LeadBrief const& lead) = nullptr;
};

template <class T>
void put(JsonWriter& w, std::string_view name, T const& value) {
    w.key(name);
    core::write_json(w, value);
}

core::Nullable<Id> facility_of(Event const& event) {
    return event.meta.facility == 0 ? core::Nullable<Id>() : core::Nullable<Id>(event.meta.facility);
}

void write_shift_posted(JsonWriter& w, Event const& event, LeadBrief const&) {
    auto const& shift = events::get<events::ShiftPosted>(event.data);
    put(w, "shiftId", event.meta.subject.id);
    put(w, "facilityId", shift.facilityId);
    put(w, "title", shift.title);
    put(w, "date", shift.date);
    put(w, "startTime", shift.startTime);
    put(w, "endTime", shift.endTime);
    put(w, "department", shift.department);
    put(w, "specialty", shift.specialty);
    put(w, "requiredWorkers", shift.requiredWorkers);
    put(w, "urgency", shift.urgency);
    put(w, "rate", shift.rate);
    put(w, "status", events::ShiftStatus::open);  // what it begins as (domain 14)
}

void write_shift_filled(JsonWriter& w, Event const& event, LeadBrief const&) {
    put(w, "shiftId", event.meta.subject.id);
    put(w, "facilityId", facility_of(event));
    put(w, "assignedStaffIds", events::get<events::ShiftFilled>(event.data).assignedStaffIds);
}

void write_lead_qualified(JsonWriter& w, Event const& event, LeadBrief const& lead) {
    put(w, "leadId", event.meta.subject.id);
    put(w, "facilityId", lead.facilityId);
    put(w, "name", lead.name);
    put(w, "company", lead.company);
    put(w, "previousStatus", lead.previousStatus);
    put(w, "status", lead.status);
    put(w, "ownerUserId", lead.ownerUserId);
    put(w, "qualifiedAt", event.meta.time);
}

void write_staff_onboarded(JsonWriter& w, Event const& event, LeadBrief const&) {
    auto const& person = events::get<events::StaffOnboarded>(event.data);
    put(w, "staffId", event.meta.subject.id);
    put(w, "facilityIds", person.facilityIds);
    put(w, "firstName", person.firstName);
    put(w, "lastName", person.lastName);
    put(w, "specialty", person.specialty);
    put(w, "employmentType", person.employmentType);
    put(w, "onboardedAt", event.meta.time);
}

void write_credential_expired(JsonWriter& w, Event const& event, LeadBrief const&) {
    auto const& credential = events::get<events::CredentialExpired>(event.data);
    put(w, "credentialId", event.meta.subject.id);
    put(w, "staffId", credential.staffId);
    put(w, "facilityIds", event.meta.facilities);
    put(w, "type", credential.type);
    put(w, "name", credential.name);
    put(w, "expiresOn", credential.expiresOn);
    put(w, "expiredAt", event.meta.time);
    put(w, "reason", credential.reason);
}

void write_timesheet_approved(JsonWriter& w, Event const& event, LeadBrief const&) {
    auto const& log = events::get<events::TimesheetApproved>(event.data);
    put(w, "timesheetId", event.meta.subject.id);
    put(w, "shiftId", log.shiftId);
    put(w, "staffId", log.staffId);
    put(w, "facilityId", log.facilityId);
    put(w, "date", log.date);
    put(w, "workedMinutes", log.workedMinutes);
    put(w, "overtimeMinutes", log.overtimeMinutes);
    put(w, "approvedBy", event.meta.actor.user == 0 ? core::Nullable<Id>() : core::Nullable<Id>(event.meta.actor.user));
    put(w, "approvedAt", event.meta.time);
}

constexpr std::array kMessageRules{
    MessageRule{events::ShiftPosted::kType, "shift_posted", false, write_shift_posted},
    MessageRule{events::ShiftFilled::kType, "shift_filled", false, write_shift_filled},
    MessageRule{events::CredentialExpired::kType, "credential_expired", false, write_credential_expired},
    MessageRule{events::TimesheetApproved::kType, "timesheet_approved", false, write_timesheet_approved},
    MessageRule{events::LeadQualified::kType, "lead_qualified", true, write_lead_qualified},
    MessageRule{events::StaffOnboarded::kType, "staff_onboarded", true, write_staff_onboarded},
};

std::string body_of(std::string_view id, std::string_view type, core::Timestamp occurred_at,
                    auto const& write_members) {
    JsonWriter w;
    w.begin_object();
    w.member("id", id);
    w.member("type", type);
    w.key("data");
    w.begin_object();
    write_members(w);
    w.end_object();
    put(w, "occurredAt", occurred_at);
    w.end_object();
    return w.take();
}

std::vector<Id> facilities_of(Event const& event) {
    if (!event.meta.facilities.empty()) return event.meta.facilities;
    if (auto const* onboarded = events::get_if<events::StaffOnboarded>(event.data)) return onboarded->facilityIds;
    if (event.meta.facility != 0) return {event.meta.facility};
    return {};
}

}  // namespace

void fold(std::optional<LeadBrief>& lead, events::LeadEvent const& event) {
    using namespace events;  // each type is one of it
    if (auto const* created = std::get_if<LeadCreated>(&event)) {
        lead = LeadBrief{created->name.value.value, created->company.value, created->status, {},
                         created->ownerUserId,      created->facilityId};
    } else if (std::holds_alternative<LeadErased>(event) || std::holds_alternative<LeadDeleted>(event)) {
        lead.reset();
    }
    if (!lead) return;
    if (auto const* updated = std::get_if<LeadUpdated>(&event)) {
        if (updated->name) lead->name = updated->name->value.value;
        if (updated->company) lead->company = updated->company->value;
        if (updated->ownerUserId) lead->ownerUserId = *updated->ownerUserId;
        if (updated->facilityId) lead->facilityId = *updated->facilityId;
    } else if (auto const* moved = std::get_if<LeadStatusChanged>(&event)) {
        lead->previousStatus = moved->from;
        lead->status = moved->status;
    }
}

std::optional<WebhookMessage> message_of(Event const& event, std::optional<LeadBrief> const& lead) {
    for (auto const& rule : kMessageRules) {
        if (rule.event != event.meta.type) continue;
        bool const of_lead = event.meta.subject.kind == events::Kind::lead;
        if (of_lead && !lead) return std::nullopt;  // they were erased since
        return WebhookMessage{rule.type, facilities_of(event),
                              rule.personal ? events::to_string(event.meta.subject) : std::string(),
                              body_of(event.meta.id, rule.type, event.meta.time,
                                      [&](JsonWriter& w) { rule.write(w, event, of_lead ? *lead : LeadBrief()); })};
    }
    return std::nullopt;
}

std::string test_body(std::string_view id, Id webhook, core::Timestamp now) {
    return body_of(id, events::kTestType, now, [&](JsonWriter& w) {
        w.member("webhookId", webhook);
        w.member("message", "This is a test of your webhook subscription.");
    });
}

}  // namespace workforce::workers
