// Errors as values: Result<T> holds a T or the Problem that the client is to be told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace workforce::core {

/// Every error code that an answer can carry; the table in result.cpp gives each its status, suggestion and
/// retryability.
enum class Code : std::uint8_t {
    validation_error,
    invalid_cursor,
    unsupported_version,
    facility_required,
    org_required,
    already_resolved_in_app,  ///< ALREADY_RESOLVED where a person decides in the application (domain 11.4)
    plan_invalid,
    unauthenticated,
    invalid_api_key,
    invalid_credentials,
    mfa_required,
    insufficient_scope,
    forbidden,
    facility_scope_violation,
    org_scope_violation,
    csrf_rejected,
    mcp_host_not_allowed,
    tier_required,
    run_as_forbidden,
    guardrail_blocked,
    self_approval_forbidden,
    not_found,
    method_not_allowed,
    not_acceptable,
    request_timeout,
    idempotency_key_conflict,
    idempotency_in_progress,
    invalid_state_transition,
    already_resolved,
    concurrent_modification,
    duplicate_resource,
    shift_full,
    shift_overstaffed,
    staff_double_booked,
    staff_on_time_off,
    credential_invalid,
    specialty_mismatch,
    rest_period_violation,
    overtime_exceeded,
    staff_unavailable,
    staff_inactive,
    staff_has_future_shifts,
    facility_in_use,
    last_super_admin,
    credential_expired,
    app_not_connected,
    limit_reached,
    already_clocked_in,
    timesheet_overlap,
    timesheet_exists,
    timesheet_locked,
    payroll_empty,
    payroll_overlap,
    agent_inactive,
    version_sunset,
    cursor_expired,
    precondition_failed,
    payload_too_large,
    uri_too_long,
    unsupported_media_type,
    account_locked,
    headers_too_large,
    api_key_rate_limited,
    rate_limited,
    run_limit_reached,
    internal_error,
    upstream_error,
    upstream_timeout,
    service_unavailable,
    read_model_behind,
    log_unavailable,
};

/// What the code means on the wire (domain: error codes).
struct CodeInfo {
    Code code;
    std::uint16_t status;         ///< HTTP status
    std::string_view name;        ///< upper snake, as in the envelope
    bool retryable;               ///< the same request may succeed later
    std::string_view suggestion;  ///< default hint for the client's developer
};

/// The table's row of a code. Never fails.
CodeInfo const& info(Code code);

/// The code of that name, as the envelope has it, or nothing.
std::optional<Code> parse_code(std::string_view name);

/// A refusal: what went wrong, for the client. `details` is a JSON object as text, or empty for none.
struct Problem {
    Code code = Code::internal_error;
    std::string message;
    std::string details{};
    std::string suggestion{};      ///< empty: the code's default
    std::int64_t retry_after = 0;  ///< in how many seconds the same may succeed; 0: nobody knows
};

template <class T>
using Result = tl::expected<T, Problem>;

/// Shorthand for returning a refusal from a function that gives Result<T>. Where the code's own suggestion names a
/// member of details, either details has it or `suggestion` says what to do instead.
inline tl::unexpected<Problem> refuse(Code code, std::string message, std::string details = {},
                                      std::string suggestion = {}) {
    return tl::unexpected<Problem>(Problem{code, std::move(message), std::move(details), std::move(suggestion)});
}

}  // namespace workforce::core
