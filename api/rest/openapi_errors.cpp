// Which codes follow from what a row declares; others it names itself.
#include "api/rest/openapi_errors.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <set>

#include "api/rest/error_meanings.hpp"
#include "operations/declare.hpp"
#include "operations/outcome.hpp"

namespace workforce::api {

/// What more there is to say of a refusal; a code may have members of its own.
struct ErrorDetails {
    std::optional<std::vector<core::FieldError>> fields;
};
BOOST_DESCRIBE_STRUCT(ErrorDetails, (), (fields))

struct Error {
    std::string message;
    std::string code;
    std::optional<ErrorDetails> details;
    std::string suggestion;
    bool retryable = false;
};
BOOST_DESCRIBE_STRUCT(Error, (), (message, code, details, suggestion, retryable))

/// The envelope, as refusal() of operations/outcome.hpp writes it.
struct ErrorResponse {
    Error error;
    std::string requestId;
};
BOOST_DESCRIBE_STRUCT(ErrorResponse, (), (error, requestId))

}  // namespace workforce::api

namespace workforce::operations {

template <>
inline constexpr bool kIsOpen<api::ErrorDetails> = true;

}  // namespace workforce::operations

namespace workforce::api {
namespace {

using core::Code;

bool has_parameter(Route const& route, std::string_view name) {
    auto const& parameters = route.operation->parameters;
    return std::ranges::find(parameters, name, &operations::Parameter::name) != parameters.end();
}

bool by_id(Route const& route) { return route.path.find('{') != std::string_view::npos; }
bool has_caller(Route const& route) { return route.operation->access != operations::Access::open; }
bool takes_keys(Route const& route) { return has_caller(route) && !route.operation->people_only; }
bool is_operation(Route const& route) { return route.document == nullptr; }
bool appends(Route const& route) { return changes(route) && route.operation->appends; }
bool signs_in(Route const& route) { return route.operation->signs_in; }

/// Codes that a route refuses with where that holds of it.
struct CodeRule {
    bool (*holds)(Route const& route);
    std::vector<Code> codes;
};

std::vector<CodeRule> const& code_rules() {
    using enum core::Code;
    static std::vector<CodeRule> const rules{
        {[](Route const&) { return true; },
         {validation_error, unsupported_version, request_timeout, payload_too_large, uri_too_long, headers_too_large,
          internal_error, service_unavailable}},
        {is_operation, {version_sunset, rate_limited}},
        {has_caller, {unauthenticated, forbidden, org_scope_violation}},
        {takes_keys, {invalid_api_key}},
        {signs_in, {invalid_credentials, mfa_required, account_locked}},
        {appends, {invalid_state_transition, concurrent_modification, log_unavailable}},
        {is_keyed, {idempotency_key_conflict, idempotency_in_progress}},
        {[](Route const& route) { return is_operation(route) && takes_keys(route); }, {api_key_rate_limited}},
        {[](Route const& route) { return is_operation(route) && has_caller(route); }, {read_model_behind}},
        {[](Route const& route) { return takes_keys(route) && route.operation->permission; }, {insufficient_scope}},
        {[](Route const& route) { return route.operation->permission || route.operation->any_organization; },
         {facility_scope_violation}},
        {[](Route const& route) { return changes(route) && (has_caller(route) || signs_in(route)); }, {csrf_rejected}},
        {[](Route const& route) { return has_parameter(route, "cursor"); }, {invalid_cursor}},
        {[](Route const& route) { return appends(route) && has_parameter(route, "orgUnitId"); }, {org_required}},
        {[](Route const& route) { return by_id(route) || route.operation->body || route.operation->about; },
         {not_found}},
        {[](Route const& route) { return appends(route) && of_its_id(route); }, {precondition_failed}},
        {[](Route const& route) { return route.operation->body != nullptr; }, {unsupported_media_type}},
        {[](Route const& route) { return route.http().gives.size() > 1; }, {not_acceptable}},
        {[](Route const& route) { return route.operation->asks_provider; }, {upstream_error, upstream_timeout}},
    };
    return rules;
}

/// Details as a refusal with the code may have them, or "".
std::string_view example_details(Code code) {
    using enum core::Code;
    static constexpr std::array kDetails{
        std::pair{validation_error, R"({"fields":[{"field":"startTime","rule":"format","message":"must be HH:MM"}]})"},
        std::pair{unsupported_version, R"({"supported":["2026-07-24"]})"},
        std::pair{insufficient_scope, R"({"permission":"shifts.assign"})"},
        std::pair{forbidden, R"({"permission":"shifts.assign"})"},
        std::pair{invalid_state_transition, R"({"from":"cancelled","command":"start","allowed":["reopen"]})"},
        std::pair{duplicate_resource, R"({"existingId":1})"},
        std::pair{shift_full, R"({"requiredWorkers":2,"assignedCount":1,"addedCount":2})"},
        std::pair{shift_overstaffed, R"({"requiredWorkers":1,"assignedCount":2})"},
        std::pair{already_clocked_in, R"({"timesheetId":1})"},
        std::pair{timesheet_overlap, R"({"timesheetId":1})"},
        std::pair{timesheet_exists, R"({"timesheetId":1})"},
        std::pair{timesheet_locked, R"({"timesheetIds":[1]})"},
        std::pair{payroll_overlap, R"({"payrollRunId":1})"},
        std::pair{version_sunset, R"({"latest":"2026-07-24"})"},
    };
    for (auto const& [known, details] : kDetails) {
        if (known == code) return details;
    }
    return {};
}

}  // namespace

bool changes(Route const& route) { return route.operation->effect != operations::Effect::read; }

bool of_its_id(Route const& route) { return by_id(route) && !route.operation->makes; }

bool is_keyed(Route const& route) {
    return changes(route) && route.operation->appends && route.method != net::Method::del;
}

CodesByStatus const& all_codes() {
    static auto const all = [] {
        CodesByStatus by_status;
        for (std::size_t number = 0; number <= static_cast<std::size_t>(Code::log_unavailable); ++number) {
            auto const code = static_cast<Code>(number);
            by_status[core::info(code).status].push_back(code);
        }
        return by_status;
    }();
    return all;
}

CodesByStatus codes_of(Route const& route) {
    std::set<Code> codes(route.operation->refusals.begin(), route.operation->refusals.end());
    for (auto const& rule : code_rules()) {
        if (rule.holds(route)) codes.insert(rule.codes.begin(), rule.codes.end());
    }
    CodesByStatus by_status;
    for (auto const code : codes) by_status[core::info(code).status].push_back(code);
    return by_status;
}

std::string names_of(std::vector<Code> const& codes) {
    auto const names = codes | std::views::transform([](Code code) { return core::info(code).name; });
    return fmt::format("{}", fmt::join(names, ", "));
}

void write_error_examples(core::JsonWriter& w, std::vector<Code> const& codes) {
    w.key("examples");
    w.begin_object();
    for (auto const code : codes) {
        core::Problem const problem{code, std::string(meaning_of(code)), std::string(example_details(code))};
        w.key(core::info(code).name);
        w.begin_object();
        w.key("value");
        w.raw(operations::render_problem(problem, "req_019f9398-7d00-7000-8000-000000000001"));
        w.end_object();
    }
    w.end_object();
}

void write_error_schema(core::JsonWriter& w, operations::Components& components) {
    operations::answer_of<ErrorResponse>(w, components);
}

}  // namespace workforce::api
