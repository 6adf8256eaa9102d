// Events to messages: a row a type.
#include "workers/webhooks/payload.hpp"

#include <array>
#include <utility>

#include "events/timesheet.hpp"
#include "workers/webhooks/payload_data.hpp"

namespace workforce::workers {
namespace {

using core::JsonWriter;
using events::Event;

/// How an event of one type becomes the data of a message.
struct MessageRule {
    std::string_view event;  ///< type of the event
    std::string_view type;   ///< of the message
    bool personal = false;   ///< the data tells of the person who is the event's subject
    void (*write)(JsonWriter& w, Event const& event, LeadBrief const& lead) = nullptr;
};

core::Nullable<Id> facility_of(Event const& event) {
    return event.meta.facility == 0 ? core::Nullable<Id>() : core::Nullable<Id>(event.meta.facility);
}

ShiftPostedData shift_posted(Event const& event, LeadBrief const&) {
    auto const& shift = events::get<events::ShiftPosted>(event.data);
    return {.shiftId = event.meta.subject.id,
            .facilityId = shift.facilityId,
            .title = shift.title.value,
            .date = shift.date,
            .startTime = shift.startTime,
            .endTime = shift.endTime,
            .department = shift.department.value,
            .specialty = shift.specialty.value,
            .requiredWorkers = shift.requiredWorkers.value,
            .urgency = shift.urgency,
            .rate = shift.rate};
}

ShiftFilledData shift_filled(Event const& event, LeadBrief const&) {
    return {event.meta.subject.id, facility_of(event), events::get<events::ShiftFilled>(event.data).assignedStaffIds};
}

LeadQualifiedData lead_qualified(Event const& event, LeadBrief const& lead) {
    return {.leadId = event.meta.subject.id,
            .facilityId = lead.facilityId,
            .name = lead.name,
            .company = lead.company,
            .previousStatus = lead.previousStatus,
            .status = lead.status,
            .ownerUserId = lead.ownerUserId,
            .qualifiedAt = event.meta.time};
}

StaffOnboardedData staff_onboarded(Event const& event, LeadBrief const&) {
    auto const& person = events::get<events::StaffOnboarded>(event.data);
    return {.staffId = event.meta.subject.id,
            .facilityIds = person.facilityIds,
            .firstName = person.firstName.value.value,
            .lastName = person.lastName.value.value,
            .specialty = person.specialty.value,
            .employmentType = person.employmentType,
            .onboardedAt = event.meta.time};
}

CredentialExpiredData credential_expired(Event const& event, LeadBrief const&) {
    auto const& credential = events::get<events::CredentialExpired>(event.data);
    return {.credentialId = event.meta.subject.id,
            .staffId = credential.staffId,
            .facilityIds = event.meta.facilities,
            .type = credential.type,
            .name = credential.name.value,
            .expiresOn = credential.expiresOn,
            .expiredAt = event.meta.time,
            .reason = credential.reason};
}

TimesheetApprovedData timesheet_approved(Event const& event, LeadBrief const&) {
    auto const& log = events::get<events::TimesheetApproved>(event.data);
    auto const user = event.meta.actor.user;
    return {.timesheetId = event.meta.subject.id,
            .shiftId = log.shiftId,
            .staffId = log.staffId,
            .facilityId = log.facilityId,
            .date = log.date,
            .workedMinutes = log.workedMinutes,
            .overtimeMinutes = log.overtimeMinutes,
            .approvedBy = user == 0 ? core::Nullable<Id>() : core::Nullable<Id>(user),
            .approvedAt = event.meta.time};
}

PayrollCompletedData payroll_completed(Event const& event, LeadBrief const&) {
    auto const& submitted = events::get<events::PayrollRunSubmitted>(event.data);
    return {event.meta.subject.id, submitted.externalPayrollId, submitted.status};
}

AgentRunPendingApprovalData agent_run_pending(Event const& event, LeadBrief const&) {
    auto const& pending = events::get<events::AgentRunPendingApproval>(event.data);
    return {.runId = event.meta.subject.id,
            .agentId = pending.run.agentId,
            .triggerId = pending.run.triggerId,
            .approvalId = pending.approvalId,
            .tool = pending.tool,
            .facilityId = facility_of(event),
            .requestedBy = pending.run.requestedBy,
            .expiresAt = pending.expiresAt};
}

AgentRunCompletedData agent_run_completed(Event const& event, LeadBrief const&) {
    auto const& completed = events::get<events::AgentRunCompleted>(event.data);
    AgentRunCompletedData data{.runId = event.meta.subject.id,
                               .agentId = completed.run.agentId,
                               .triggerId = completed.run.triggerId,
                               .startedAt = completed.run.startedAt,
                               .completedAt = event.meta.time,
                               .toolCalls = completed.run.toolCalls};
    data.outputTruncated = completed.output.value.text.size() > kMostToldOutput;
    if (!data.outputTruncated) data.output = completed.output.value;
    return data;
}

AgentRunFailedData agent_run_failed(Event const& event, LeadBrief const&) {
    auto const& failed = events::get<events::AgentRunFailed>(event.data);
    return {.runId = event.meta.subject.id,
            .agentId = failed.run.agentId,
            .triggerId = failed.run.triggerId,
            .error = {failed.code, failed.message.value.value},
            .approvalId = failed.approvalId,
            .completedAt = event.meta.time};
}

AgentRunFailedData agent_run_rejected(Event const& event, LeadBrief const&) {
    auto const& rejected = events::get<events::AgentRunRejected>(event.data);
    return {.runId = event.meta.subject.id,
            .agentId = rejected.run.agentId,
            .triggerId = rejected.run.triggerId,
            .status = events::AgentRunStatus::rejected,
            .error = {"APPROVAL_REJECTED", std::string(events::rejection_text(rejected.cause))},
            .approvalId = rejected.approvalId,
            .rejectionReason = rejected.reason.value.value,
            .completedAt = event.meta.time};
}

/// The rule of a message whose data `Data` makes.
template <auto Data>
constexpr MessageRule rule(std::string_view event, bool personal = false) {
    using Made = decltype(Data(std::declval<Event const&>(), std::declval<LeadBrief const&>()));
    return {event, Made::kType, personal, [](JsonWriter& w, Event const& happened, LeadBrief const& lead) {
                core::write_json(w, Data(happened, lead));
            }};
}

constexpr std::array kMessageRules{
    rule<shift_posted>(events::ShiftPosted::kType),
    rule<shift_filled>(events::ShiftFilled::kType),
    rule<credential_expired>(events::CredentialExpired::kType),
    rule<timesheet_approved>(events::TimesheetApproved::kType),
    rule<lead_qualified>(events::LeadQualified::kType, true),
    rule<payroll_completed>(events::PayrollRunSubmitted::kType),
    rule<staff_onboarded>(events::StaffOnboarded::kType, true),
    rule<agent_run_pending>(events::AgentRunPendingApproval::kType),
    rule<agent_run_completed>(events::AgentRunCompleted::kType, true),
    rule<agent_run_failed>(events::AgentRunFailed::kType, true),
    rule<agent_run_rejected>(events::AgentRunRejected::kType, true),
};

std::string body_of(std::string_view id, std::string_view type, core::Timestamp occurred_at,
                    auto const& write_data_of) {
    JsonWriter w;
    w.begin_object();
    w.member("id", id);
    w.member("type", type);
    w.key("data");
    write_data_of(w);
    w.key("occurredAt");
    core::write_json(w, occurred_at);
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

std::vector<std::string_view> message_types() {
    std::vector<std::string_view> types;
    for (auto const& rule : kMessageRules) types.push_back(rule.type);
    return types;
}

std::string test_body(std::string_view id, Id webhook, core::Timestamp now) {
    return body_of(id, TestData::kType, now,
                   [&](JsonWriter& w) { core::write_json(w, TestData{.webhookId = webhook}); });
}

}  // namespace workforce::workers
