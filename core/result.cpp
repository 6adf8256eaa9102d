// The error table: status, wire name, retryability and default hint of each code.
#include "core/result.hpp"

#include <algorithm>

#include <cstddef>
#include <iterator>

namespace workforce::core {
namespace {

constexpr std::string_view kMoreRoom = "Raise requiredWorkers or unassign first.";
constexpr std::string_view kOtherPerson = "Pick another person (GET /api/staff/available) or override with permission.";
constexpr std::string_view kDependency = "Resolve the named dependency first.";
constexpr std::string_view kLess = "Send less.";
constexpr std::string_view kLater = "Retry after Retry-After.";
constexpr std::string_view kBackOff = "Wait Retry-After seconds, then back off with jitter.";

constexpr std::string_view kProviderFailed = "The provider failed; retry later.";
constexpr std::string_view kDecided = "Read the approval; it has been decided.";

constexpr CodeInfo kTable[] = {
    {Code::validation_error, 400, "VALIDATION_ERROR", false, "Fix the fields listed in details.fields and send again."},
    {Code::invalid_cursor, 400, "INVALID_CURSOR", false, "Start again without cursor and keep the same filters."},
    {Code::unsupported_version, 400, "UNSUPPORTED_VERSION", false, "Use one of details.supported."},
    {Code::facility_required, 400, "FACILITY_REQUIRED", false, "Pass facilityId."},
    {Code::org_required, 400, "ORG_REQUIRED", false, "Pass orgUnitId."},
    {Code::already_resolved_in_app, 400, "ALREADY_RESOLVED", false, kDecided},
    {Code::plan_invalid, 400, "PLAN_INVALID", false, "Send a plan, or give the agent one."},
    {Code::unauthenticated, 401, "UNAUTHENTICATED", false,
     "Send a valid credential in Authorization: Bearer, or sign in."},
    {Code::invalid_api_key, 401, "INVALID_API_KEY", false, "Check the key value; create a new key if it was lost."},
    {Code::invalid_credentials, 401, "INVALID_CREDENTIALS", false, "Check user name and password."},
    {Code::mfa_required, 401, "MFA_REQUIRED", false,
     "Send otp, the code that your program shows, or one for recovery."},
    {Code::insufficient_scope, 403, "INSUFFICIENT_SCOPE", false,
     "Use a credential with a scope that covers details.permission."},
    {Code::forbidden, 403, "FORBIDDEN", false, "Ask an administrator for this permission."},
    {Code::facility_scope_violation, 403, "FACILITY_SCOPE_VIOLATION", false,
     "Use a facility within the credential's scope."},
    {Code::org_scope_violation, 403, "ORG_SCOPE_VIOLATION", false,
     "Use an organization within the credential's scope."},
    {Code::csrf_rejected, 403, "CSRF_REJECTED", false, "Call from the dashboard origin."},
    {Code::mcp_host_not_allowed, 403, "MCP_HOST_NOT_ALLOWED", false, "Call the MCP host."},
    {Code::tier_required, 403, "TIER_REQUIRED", false, "Use a credential of a model whose tier is high enough."},
    {Code::run_as_forbidden, 403, "RUN_AS_FORBIDDEN", false, "Omit runAsUserId or ask an internal operator."},
    {Code::guardrail_blocked, 403, "GUARDRAIL_BLOCKED", false,
     "Do without this call, or ask an administrator of the organization to change the guardrail."},
    {Code::self_approval_forbidden, 403, "SELF_APPROVAL_FORBIDDEN", false, "Ask another authorised approver."},
    {Code::not_found, 404, "NOT_FOUND", false, "Check the id and the facility scope."},
    {Code::method_not_allowed, 405, "METHOD_NOT_ALLOWED", false, "See Allow."},
    {Code::not_acceptable, 406, "NOT_ACCEPTABLE", false, "Accept application/json."},
    {Code::request_timeout, 408, "REQUEST_TIMEOUT", true, "Send the body faster."},
    {Code::idempotency_key_conflict, 409, "IDEMPOTENCY_KEY_CONFLICT", false,
     "Use a new Idempotency-Key for a different body."},
    {Code::idempotency_in_progress, 409, "IDEMPOTENCY_IN_PROGRESS", true, "Retry after Retry-After with the same key."},
    {Code::invalid_state_transition, 409, "INVALID_STATE_TRANSITION", false,
     "Read the resource; details.allowed lists possible commands."},
    {Code::already_resolved, 409, "ALREADY_RESOLVED", false, kDecided},
    {Code::concurrent_modification, 409, "CONCURRENT_MODIFICATION", true, "Read again and retry."},
    {Code::duplicate_resource, 409, "DUPLICATE_RESOURCE", false, "Update the existing record (details.existingId)."},
    {Code::shift_full, 409, "SHIFT_FULL", false, kMoreRoom},
    {Code::shift_overstaffed, 409, "SHIFT_OVERSTAFFED", false, kMoreRoom},
    {Code::staff_double_booked, 409, "STAFF_DOUBLE_BOOKED", false, kOtherPerson},
    {Code::staff_on_time_off, 409, "STAFF_ON_TIME_OFF", false, kOtherPerson},
    {Code::credential_invalid, 409, "CREDENTIAL_INVALID", false, kOtherPerson},
    {Code::specialty_mismatch, 409, "SPECIALTY_MISMATCH", false, kOtherPerson},
    {Code::rest_period_violation, 409, "REST_PERIOD_VIOLATION", false, kOtherPerson},
    {Code::overtime_exceeded, 409, "OVERTIME_EXCEEDED", false, kOtherPerson},
    {Code::staff_unavailable, 409, "STAFF_UNAVAILABLE", false, kOtherPerson},
    {Code::staff_inactive, 409, "STAFF_INACTIVE", false, kDependency},
    {Code::staff_has_future_shifts, 409, "STAFF_HAS_FUTURE_SHIFTS", false, kDependency},
    {Code::facility_in_use, 409, "FACILITY_IN_USE", false, kDependency},
    {Code::last_super_admin, 409, "LAST_SUPER_ADMIN", false, kDependency},
    {Code::credential_expired, 409, "CREDENTIAL_EXPIRED", false, kDependency},
    {Code::app_not_connected, 409, "APP_NOT_CONNECTED", false, "Connect the app (POST /api/apps/{app}/connect)."},
    {Code::limit_reached, 409, "LIMIT_REACHED", false, "Remove what is not needed, or ask the operator for more."},
    {Code::already_clocked_in, 409, "ALREADY_CLOCKED_IN", false, "Clock out of the log in details.timesheetId first."},
    {Code::timesheet_overlap, 409, "TIMESHEET_OVERLAP", false, "Change or void the log in details.timesheetId."},
    {Code::timesheet_exists, 409, "TIMESHEET_EXISTS", false, "Void the log in details.timesheetId first."},
    {Code::timesheet_locked, 409, "TIMESHEET_LOCKED", false,
     "Leave the logs in details.timesheetIds as they are, or free them of their payroll run first."},
    {Code::payroll_empty, 409, "PAYROLL_EMPTY", false, "Give the run timesheets or adjustments first."},
    {Code::payroll_overlap, 409, "PAYROLL_OVERLAP", false, "Change or delete the draft in details.payrollRunId."},
    {Code::agent_inactive, 409, "AGENT_INACTIVE", false, "Activate the agent."},
    {Code::version_sunset, 410, "VERSION_SUNSET", false, "Move to details.latest."},
    {Code::cursor_expired, 410, "CURSOR_EXPIRED", false,
     "Go on with after=earliest; older events are in the log (`workforce replay --export`)."},
    {Code::precondition_failed, 412, "PRECONDITION_FAILED", false, "Read the new ETag and retry."},
    {Code::payload_too_large, 413, "PAYLOAD_TOO_LARGE", false, kLess},
    {Code::uri_too_long, 414, "URI_TOO_LONG", false, kLess},
    {Code::unsupported_media_type, 415, "UNSUPPORTED_MEDIA_TYPE", false, "Use application/json."},
    {Code::account_locked, 423, "ACCOUNT_LOCKED", true, "Wait 15 minutes or reset the password."},
    {Code::headers_too_large, 431, "HEADERS_TOO_LARGE", false, kLess},
    {Code::api_key_rate_limited, 429, "API_KEY_RATE_LIMITED", true, kBackOff},
    {Code::rate_limited, 429, "RATE_LIMITED", true, kBackOff},
    {Code::run_limit_reached, 429, "RUN_LIMIT_REACHED", true, "Wait until a run of the agent has ended."},
    {Code::internal_error, 500, "INTERNAL_ERROR", true, "Retry with the same Idempotency-Key; quote requestId."},
    {Code::upstream_error, 502, "UPSTREAM_ERROR", true, kProviderFailed},
    {Code::upstream_timeout, 504, "UPSTREAM_TIMEOUT", true, kProviderFailed},
    {Code::service_unavailable, 503, "SERVICE_UNAVAILABLE", true, kLater},
    {Code::read_model_behind, 503, "READ_MODEL_BEHIND", true, kLater},
    {Code::log_unavailable, 503, "LOG_UNAVAILABLE", true, kLater},
};

consteval bool in_order_of_the_enumeration() {
    for (std::size_t i = 0; i < std::size(kTable); ++i) {
        if (kTable[i].code != static_cast<Code>(i)) return false;
    }
    return static_cast<std::size_t>(Code::log_unavailable) + 1 == std::size(kTable);
}
static_assert(in_order_of_the_enumeration(), "info() finds a row by the code's number");

}  // namespace

CodeInfo const& info(Code code) { return kTable[static_cast<std::size_t>(code)]; }

std::optional<Code> parse_code(std::string_view name) {
    auto const found = std::ranges::find(kTable, name, &CodeInfo::name);
    return found == std::end(kTable) ? std::nullopt : std::optional(found->code);
}

}  // namespace workforce::core
