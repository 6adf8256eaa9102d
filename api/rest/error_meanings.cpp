// The sentences, in the order of the codes.
#include "api/rest/error_meanings.hpp"

#include <array>
#include <cstddef>

namespace workforce::api {
namespace {

using enum core::Code;

struct Meaning {
    core::Code code;
    std::string_view text;
};

constexpr auto kMeanings = std::to_array<Meaning>({
    {validation_error, "A field, a parameter or the whole body is not valid."},
    {invalid_cursor, "The cursor is not valid, or belongs to another list or other filters."},
    {unsupported_version, "Service-Version names a date that is no version."},
    {facility_required, "The request has to name one of several facilities."},
    {org_required, "The request has to name one of several organizations."},
    {already_resolved_in_app,
     "The approval was decided, or has expired; in the application also of an id that is none."},
    {plan_invalid, "The run has no plan, or its plan can't be carried out."},
    {unauthenticated, "There is no credential, or it is invalid, expired or revoked."},
    {invalid_api_key, "The API key does not exist, was revoked or has expired."},
    {invalid_credentials, "Address, user name, password or one-time code is wrong, or the account is not active."},
    {mfa_required, "The password is right, and signing in to the account takes a one-time code as well."},
    {insufficient_scope, "The key or token lacks the scope that the operation needs."},
    {forbidden, "The role of the user, or the kind of the credential, does not allow this."},
    {facility_scope_violation, "The facility lies outside of those that the caller is bound to."},
    {org_scope_violation, "The organization is not the caller's."},
    {csrf_rejected, "Another web site had the browser send the session's cookie."},
    {mcp_host_not_allowed, "MCP was asked for on the REST host."},
    {tier_required, "The tool needs a credential of a higher model tier."},
    {run_as_forbidden, "Only an internal operator has an agent's runs act by the rights of another user."},
    {guardrail_blocked, "A guardrail of the organization keeps the tool from being called so."},
    {self_approval_forbidden, "Nobody may approve their own work."},
    {not_found, "Nothing has that id or path, or the caller may not see it."},
    {method_not_allowed, "The path exists, but not with this method."},
    {not_acceptable, "The operation has no answer of a type that Accept names."},
    {request_timeout, "The request did not arrive in time."},
    {idempotency_key_conflict, "The Idempotency-Key was used for a different request."},
    {idempotency_in_progress, "The first request with this Idempotency-Key is still being done."},
    {invalid_state_transition, "The resource is in a state that does not allow the command."},
    {already_resolved, "The approval was decided, or has expired."},
    {concurrent_modification, "Another request changed the same resource at the same time."},
    {duplicate_resource, "A resource with the same unique value exists already."},
    {shift_full, "More people would be on the shift than it takes; details count them."},
    {shift_overstaffed, "The shift would take fewer people than are on it; details count them."},
    {staff_double_booked, "The person works another shift at that time."},
    {staff_on_time_off, "The person has time off then."},
    {credential_invalid, "A credential that the facility requires is missing, expired or not verified."},
    {specialty_mismatch, "The person's specialty is not the shift's."},
    {rest_period_violation, "The person would have too little rest between shifts."},
    {overtime_exceeded, "The person would work more hours in the week than allowed."},
    {staff_unavailable, "The person is not available at that time."},
    {staff_inactive, "The person is not active."},
    {staff_has_future_shifts, "The person is on shifts that are still to come."},
    {facility_in_use, "Shifts or people still depend on the facility."},
    {last_super_admin, "Nobody would be left to administer the installation."},
    {credential_expired, "The credential has expired, so that this can't be done with it."},
    {app_not_connected, "The connection to the app was ended."},
    {limit_reached, "There are as many of these as the installation allows."},
    {already_clocked_in, "The person has a log that is still open."},
    {timesheet_overlap, "The log overlaps another one of the same person."},
    {timesheet_exists, "Timesheets depend on the record that would change."},
    {timesheet_locked, "A payroll run pays the timesheet, or it is not approved."},
    {payroll_empty, "The payroll run has neither timesheets nor adjustments."},
    {payroll_overlap, "Another regular draft of the facility has days of the period."},
    {agent_inactive, "The agent was deactivated."},
    {version_sunset, "The version that Service-Version names is answered no more."},
    {cursor_expired, "Events of the cursor's time are no longer kept for reading."},
    {precondition_failed, "The resource has another version than If-Match names."},
    {payload_too_large, "The body has more bytes than the operation takes."},
    {uri_too_long, "The path with its parameters is too long."},
    {unsupported_media_type, "The body is of a type that the operation does not take."},
    {account_locked, "Too many sign-ins with a wrong password locked the account for a while."},
    {headers_too_large, "The header has more bytes than the service takes."},
    {api_key_rate_limited, "The API key has made as many requests as it may in this window."},
    {rate_limited, "The user, the address or the MCP client has made as many requests as it may."},
    {run_limit_reached, "The agent has as many live runs as it may, or the trigger fired as often in this hour."},
    {internal_error, "The service failed. Whether the request took effect is unknown; a repeat with its key is safe."},
    {upstream_error, "An outside provider that the operation depends on failed."},
    {upstream_timeout, "An outside provider that the operation depends on did not answer in time."},
    {service_unavailable, "The service is too busy, is starting or stopping, or lacks something it needs."},
    {read_model_behind, "The resource was perhaps written a moment ago, and can't be read yet."},
    {log_unavailable, "The event log does not take the command now."},
});

consteval bool in_order_of_the_enumeration() {
    for (std::size_t i = 0; i < kMeanings.size(); ++i) {
        if (kMeanings.at(i).code != static_cast<core::Code>(i)) return false;
    }
    return static_cast<std::size_t>(log_unavailable) + 1 == kMeanings.size();
}
static_assert(in_order_of_the_enumeration(), "meaning_of() finds a row by the code's number");

}  // namespace

std::string_view meaning_of(core::Code code) { return kMeanings.at(static_cast<std::size_t>(code)).text; }

}  // namespace workforce::api
