// `data` of each type of event that subscribers are told of (domain 7.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "events/agent_run.hpp"
#include "events/credential.hpp"
#include "events/event.hpp"
#include "events/lead.hpp"
#include "events/payroll_run.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"

namespace workforce::workers {

using core::Id;

struct ShiftPostedData {
    static constexpr std::string_view kType = "shift_posted";
    Id shiftId = 0;
    Id facilityId = 0;
    std::string title;
    core::Date date;
    core::TimeOfDay startTime;
    core::TimeOfDay endTime;
    std::string department;
    std::string specialty;
    std::int64_t requiredWorkers = 1;
    events::Urgency urgency = events::Urgency::medium;
    core::Rate rate;
    events::ShiftStatus status = events::ShiftStatus::open;  ///< what it begins as (domain 14)
};
BOOST_DESCRIBE_STRUCT(ShiftPostedData, (),
                      (shiftId, facilityId, title, date, startTime, endTime, department, specialty, requiredWorkers,
                       urgency, rate, status))

struct ShiftFilledData {
    static constexpr std::string_view kType = "shift_filled";
    Id shiftId = 0;
    core::Nullable<Id> facilityId;
    std::vector<Id> assignedStaffIds;
};
BOOST_DESCRIBE_STRUCT(ShiftFilledData, (), (shiftId, facilityId, assignedStaffIds))

struct CredentialExpiredData {
    static constexpr std::string_view kType = "credential_expired";
    Id credentialId = 0;
    Id staffId = 0;
    std::vector<Id> facilityIds;
    events::StaffCredentialType type = events::StaffCredentialType::license;
    std::string name;
    core::Nullable<core::Date> expiresOn;
    core::Timestamp expiredAt;
    events::ExpiredReason reason = events::ExpiredReason::api;
};
BOOST_DESCRIBE_STRUCT(CredentialExpiredData, (),
                      (credentialId, staffId, facilityIds, type, name, expiresOn, expiredAt, reason))

struct TimesheetApprovedData {
    static constexpr std::string_view kType = "timesheet_approved";
    Id timesheetId = 0;
    core::Nullable<Id> shiftId;
    Id staffId = 0;
    Id facilityId = 0;
    core::Date date;
    std::int64_t workedMinutes = 0;
    std::int64_t overtimeMinutes = 0;
    core::Nullable<Id> approvedBy;
    core::Timestamp approvedAt;
};
BOOST_DESCRIBE_STRUCT(TimesheetApprovedData, (),
                      (timesheetId, shiftId, staffId, facilityId, date, workedMinutes, overtimeMinutes, approvedBy,
                       approvedAt))

struct PayrollCompletedData {
    static constexpr std::string_view kType = "payroll_completed";
    Id payrollRunId = 0;
    std::string externalPayrollId;
    events::PayrollRunStatus status = events::PayrollRunStatus::processing;
};
BOOST_DESCRIBE_STRUCT(PayrollCompletedData, (), (payrollRunId, externalPayrollId, status))

struct LeadQualifiedData {
    static constexpr std::string_view kType = "lead_qualified";
    Id leadId = 0;
    core::Nullable<Id> facilityId;
    std::string name;
    std::string company;
    core::Nullable<events::LeadStatus> previousStatus;
    events::LeadStatus status = events::LeadStatus::qualified;
    core::Nullable<Id> ownerUserId;
    core::Timestamp qualifiedAt;
};
BOOST_DESCRIBE_STRUCT(LeadQualifiedData, (),
                      (leadId, facilityId, name, company, previousStatus, status, ownerUserId, qualifiedAt))

struct StaffOnboardedData {
    static constexpr std::string_view kType = "staff_onboarded";
    Id staffId = 0;
    std::vector<Id> facilityIds;
    std::string firstName;
    std::string lastName;
    std::string specialty;
    events::EmploymentType employmentType = events::EmploymentType::full_time;
    core::Timestamp onboardedAt;
};
BOOST_DESCRIBE_STRUCT(StaffOnboardedData, (),
                      (staffId, facilityIds, firstName, lastName, specialty, employmentType, onboardedAt))

struct AgentRunPendingApprovalData {
    static constexpr std::string_view kType = "agent_run.pending_approval";
    Id runId = 0;
    Id agentId = 0;
    core::Nullable<Id> triggerId;
    Id approvalId = 0;
    std::string tool;
    core::Nullable<Id> facilityId;
    events::RunRequester requestedBy;
    core::Timestamp expiresAt;
    events::AgentRunStatus status = events::AgentRunStatus::pending_approval;
};
BOOST_DESCRIBE_STRUCT(AgentRunPendingApprovalData, (),
                      (runId, agentId, triggerId, approvalId, tool, facilityId, requestedBy, expiresAt, status))

/// An output of more than that is left out.
inline constexpr std::size_t kMostToldOutput = 8 * 1024;

struct AgentRunCompletedData {
    static constexpr std::string_view kType = "agent_run.completed";
    Id runId = 0;
    Id agentId = 0;
    core::Nullable<Id> triggerId;
    events::AgentRunStatus status = events::AgentRunStatus::completed;
    core::Nullable<core::Timestamp> startedAt;
    core::Timestamp completedAt;
    std::int64_t toolCalls = 0;
    core::Nullable<events::RunValue> output{};
    bool outputTruncated = false;
};
BOOST_DESCRIBE_STRUCT(AgentRunCompletedData, (),
                      (runId, agentId, triggerId, status, startedAt, completedAt, toolCalls, output, outputTruncated))

struct AgentRunFailedData {
    static constexpr std::string_view kType = "agent_run.failed";
    Id runId = 0;
    Id agentId = 0;
    core::Nullable<Id> triggerId;
    events::AgentRunStatus status = events::AgentRunStatus::failed;
    events::RunError error;
    core::Nullable<Id> approvalId{};
    core::Nullable<std::string> rejectionReason{};
    core::Timestamp completedAt;
};
BOOST_DESCRIBE_STRUCT(AgentRunFailedData, (),
                      (runId, agentId, triggerId, status, error, approvalId, rejectionReason, completedAt))

struct TestData {
    static constexpr std::string_view kType = "test";
    Id webhookId = 0;
    std::string message = "This is a test of your webhook subscription.";
};
BOOST_DESCRIBE_STRUCT(TestData, (), (webhookId, message))

}  // namespace workforce::workers
