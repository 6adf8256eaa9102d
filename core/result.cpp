// The error table: status, wire name, retryability and default hint of each code.
#include "core/result.hpp"

#include <algorithm>

#include <cstddef>
#include <iterator>

namespace workforce::core {
namespace {

constexpr std::string_view kOtherPerson =
    "Choose another person (GET /api/staff/available), or override with the permission for it.";
constexpr std::string_view kDependency = "Settle the dependency that details names, then send again.";
constexpr std::string_view kLater = "Try again after Retry-After.";
constexpr std::string_view kBackOff = "Wait Retry-After seconds, then back off with jitter.";

constexpr CodeInfo kTable[] = {
    {Code::validation_error, 400, "VALIDATION_ERROR", false, "Correct the fields in details.fields and send again."},
    {Code::invalid_cursor, 400, "INVALID_CURSOR", false, "Start over without cursor, with the same filters."},
    {Code::unsupported_version, 400, "UNSUPPORTED_VERSION", false, "Use a version of details.supported."},
    {Code::facility_required, 400, "FACILITY_REQUIRED", false, "Pass facilityId."},
    {Code::org_required, 400, "ORG_REQUIRED", false, "Pass orgUnitId."},
    {Code::unauthenticated, 401, "UNAUTHENTICATED", false,
     "Sign in, or send a valid credential as Authorization: Bearer."},
    {Code::invalid_api_key, 401, "INVALID_API_KEY", false, "Check the key's value; if it is lost, create a new key."},
    {Code::insufficient_scope, 403, "INSUFFICIENT_SCOPE", false,
     "Use a credential whose scopes cover details.permission."},
    {Code::forbidden, 403, "FORBIDDEN", false, "Ask an administrator for the permission."},
    {Code::facility_scope_violation, 403, "FACILITY_SCOPE_VIOLATION", false,
     "Use a facility that the credential covers."},
    {Code::org_scope_violation, 403, "ORG_SCOPE_VIOLATION", false, "Use an organization that the credential covers."},
    {Code::mcp_host_not_allowed, 403, "MCP_HOST_NOT_ALLOWED", false, "Call the MCP host, details.mcpUrl."},
    {Code::not_found, 404, "NOT_FOUND", false, "Check the id, and that it lies within the facility scope."},
    {Code::method_not_allowed, 405, "METHOD_NOT_ALLOWED", false, "Use a method that the Allow header lists."},
    {Code::not_acceptable, 406, "NOT_ACCEPTABLE", false, "Accept application/json."},
    {Code::request_timeout, 408, "REQUEST_TIMEOUT", true, "Send the whole request faster."},
    {Code::idempotency_key_conflict, 409, "IDEMPOTENCY_KEY_CONFLICT", false,
     "Take a new Idempotency-Key for a different request."},
    {Code::idempotency_in_progress, 409, "IDEMPOTENCY_IN_PROGRESS", true,
     "Try again after Retry-After, with the same key."},
    {Code::invalid_state_transition, 409, "INVALID_STATE_TRANSITION", false,
     "Read the resource; details.allowed lists the commands that it takes now."},
    {Code::concurrent_modification, 409, "CONCURRENT_MODIFICATION", true, "Read the resource again, then retry."},
    {Code::duplicate_resource, 409, "DUPLICATE_RESOURCE", false, "Update the existing one, details.existingId."},
    {Code::shift_full, 409, "SHIFT_FULL", false, "Raise requiredWorkers, or unassign somebody first."},
    {Code::shift_overstaffed, 409, "SHIFT_OVERSTAFFED", false, "Raise requiredWorkers, or unassign somebody first."},
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
    {Code::version_sunset, 410, "VERSION_SUNSET", false, "Move to the version details.latest."},
    {Code::precondition_failed, 412, "PRECONDITION_FAILED", false, "Read the resource's new ETag, then retry."},
    {Code::payload_too_large, 413, "PAYLOAD_TOO_LARGE", false, "Send less in one request."},
    {Code::uri_too_long, 414, "URI_TOO_LONG", false, "Shorten the query."},
    {Code::unsupported_media_type, 415, "UNSUPPORTED_MEDIA_TYPE", false, "Send the body as application/json in UTF-8."},
    {Code::headers_too_large, 431, "HEADERS_TOO_LARGE", false, "Send fewer or shorter headers."},
    {Code::api_key_rate_limited, 429, "API_KEY_RATE_LIMITED", true, kBackOff},
    {Code::rate_limited, 429, "RATE_LIMITED", true, kBackOff},
    {Code::internal_error, 500, "INTERNAL_ERROR", true,
     "Retry with the same Idempotency-Key; quote requestId when you report it."},
    {Code::service_unavailable, 503, "SERVICE_UNAVAILABLE", true, kLater},
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
