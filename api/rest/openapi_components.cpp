// Components of the OpenAPI document: headers, parameters, refusals, security schemes and schemas.
#include "api/rest/openapi_components.hpp"

#include "api/versions.hpp"
#include "core/json.hpp"
#include "core/result.hpp"
#include "core/text.hpp"

namespace workforce::api {
namespace {

void write_version_schema(core::JsonWriter& w) {
    std::vector<std::string> dates;
    for (auto const& version : kVersions) dates.emplace_back(version.date);
    w.key("schema");
    w.begin_object();
    write_enum(w, dates);
    w.end_object();
}

void write_header(core::JsonWriter& w, std::string_view name, bool required, std::string_view schema) {
    w.key(name);
    w.begin_object();
    w.member("required", required);
    w.key("schema");
    w.raw(schema);
    w.end_object();
}

void write_headers(core::JsonWriter& w) {
    w.key("headers");
    w.begin_object();
    w.key("ServiceVersion");
    w.begin_object();
    w.member("required", true);
    write_version_schema(w);
    w.end_object();
    write_header(w, "HttpDate", false, R"({"type":"string","pattern":"^[A-Z][a-z]{2}, [0-9]{2} .* GMT$"})");
    write_header(w, "DeprecationLink", false, R"({"type":"string","pattern":"; rel=\"deprecation\"$"})");
    write_header(w, "RequestId", true, R"({"type":"string","pattern":"^req_[0-9a-f-]{36}$"})");
    write_header(w, "ETag", true, R"({"type":"string","pattern":"^\"[0-9]+\"$"})");
    write_header(w, "CreatedETag", false, R"({"type":"string","pattern":"^\"[0-9]+\"$"})");
    write_header(w, "Location", false, R"({"type":"string","pattern":"^/api/"})");
    write_header(w, "IdempotencyReplayed", false, R"({"type":"string","enum":["true"]})");
    write_header(w, "ServiceStale", false, R"({"type":"string","enum":["true"]})");
    write_header(w, "ServiceWarnings", false, R"({"type":"string","pattern":"^ignored (fields|parameters): "})");
    write_header(w, "RetryAfter", true, R"({"type":"string","pattern":"^[1-9][0-9]*$"})");
    write_header(w, "RetryAfterConflict", false, R"({"type":"string","pattern":"^[1-9][0-9]*$"})");
    write_header(w, "RateLimitLimit", false, R"({"type":"string","pattern":"^[1-9][0-9]*$"})");
    write_header(w, "RateLimitRemaining", false, R"({"type":"string","pattern":"^[0-9]+$"})");
    write_header(w, "RateLimitReset", false, R"({"type":"string","pattern":"^[1-9][0-9]*$"})");
    write_header(w, "RateLimitWindow", false, R"({"type":"string","pattern":"^[1-9][0-9]*s$"})");
    write_header(w, "RateLimitPolicy", false, R"({"type":"string","pattern":"^[1-9][0-9]*;w=[1-9][0-9]*$"})");
    write_header(w, "WwwAuthenticate", true, R"({"type":"string","pattern":"^Bearer "})");
    w.end_object();
}

void write_parameter_components(core::JsonWriter& w) {
    w.key("parameters");
    w.begin_object();
    w.key("ServiceVersion");
    w.begin_object();
    w.member("name", "Service-Version");
    w.member("in", "header");
    w.member("required", false);
    write_version_schema(w);
    w.end_object();
    w.key("Id");
    w.begin_object();
    w.member("name", "id");
    w.member("in", "path");
    w.member("required", true);
    write_id_schema(w);
    w.end_object();
    w.key("IdempotencyKey");
    w.raw(
        R"({"name":"Idempotency-Key","in":"header","required":false,"schema":{"type":"string","minLength":1,"maxLength":255}})");
    w.key("IfMatch");
    w.raw(R"({"name":"If-Match","in":"header","required":false,"schema":{"type":"string"}})");
    w.end_object();
}

/// The envelope with the codes of one status.
void write_refusal(core::JsonWriter& w, std::uint16_t status, std::vector<std::string> const& codes) {
    w.begin_object();
    w.member("description", "Refused or failed");
    w.key("headers");
    w.begin_object();
    write_version_headers(w);
    w.key("X-Request-Id");
    w.raw(R"({"$ref":"#/components/headers/RequestId"})");
    if (status == 503 || status == 409 || status == 429) {
        w.key("Retry-After");
        w.raw(status == 409 ? R"({"$ref":"#/components/headers/RetryAfterConflict"})"
                            : R"({"$ref":"#/components/headers/RetryAfter"})");
    }
    if (status != 401) write_limit_headers(w, status);
    if (status == 401) {
        w.key("WWW-Authenticate");
        w.raw(R"({"$ref":"#/components/headers/WwwAuthenticate"})");
    }
    w.end_object();
    w.key("content");
    w.raw(R"({"application/json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Problem"},)"
          R"({"properties":{"error":{"properties":{"code":{"enum":)" +
          core::to_json(codes) + "}}}}}]}}}");
    w.end_object();
}

constexpr std::string_view kSecurity =
    R"_({"bearer":{"type":"http","scheme":"bearer","description":"API key (svc_live_…, svc_test_…, svc_pat_…) or a person's token. A person with the permission sandbox.manage acts on the sandbox by the header Service-Sandbox: true."},"cookie":{"type":"apiKey","in":"cookie","name":"svc_session","description":"The session that POST /api/auth/login opens. Requests that change something come from the service's own origin."}})_";
constexpr std::string_view kProblem = R"({"type":"object","required":["error","requestId"],"properties":{)"
                                      R"("requestId":{"type":"string"},"error":{"type":"object",)"
                                      R"("required":["message","code","suggestion","retryable"],"properties":{)"
                                      R"("message":{"type":"string"},"code":{"type":"string"},)"
                                      R"("details":{"type":"object"},"suggestion":{"type":"string"},)"
                                      R"("retryable":{"type":"boolean"}}}}})";

}  // namespace

void write_enum(core::JsonWriter& w, std::vector<std::string> const& values) {
    w.member("type", "string");
    w.key("enum");
    core::write_json(w, values);
}

void write_id_schema(core::JsonWriter& w) {
    w.key("schema");
    w.begin_object();
    w.member("type", "integer");
    w.member("minimum", 1);
    w.member("maximum", core::kMaxId);
    w.member("format", "int64");
    w.end_object();
}

void write_limit_headers(core::JsonWriter& w, std::uint16_t status) {
    for (std::string_view const name : {"Limit", "Remaining", "Reset", "Window", "Policy"}) {
        if (status == 429 && name == "Policy") continue;
        w.key("X-RateLimit-" + std::string(name));
        w.raw(R"({"$ref":"#/components/headers/RateLimit)" + std::string(name) + "\"}");
    }
}

void write_version_headers(core::JsonWriter& w) {
    w.key("Service-Version");
    w.raw(R"({"$ref":"#/components/headers/ServiceVersion"})");
    w.key("Deprecation");
    w.raw(R"({"$ref":"#/components/headers/HttpDate"})");
    w.key("Sunset");
    w.raw(R"({"$ref":"#/components/headers/HttpDate"})");
    w.key("Link");
    w.raw(R"({"$ref":"#/components/headers/DeprecationLink"})");
}

std::map<std::uint16_t, std::vector<std::string>> const& refusals() {
    static auto const all = [] {
        std::map<std::uint16_t, std::vector<std::string>> by_status;
        for (std::size_t code = 0; code <= static_cast<std::size_t>(core::Code::log_unavailable); ++code) {
            auto const& info = core::info(static_cast<core::Code>(code));
            by_status[info.status].emplace_back(info.name);
        }
        return by_status;
    }();
    return all;
}

void write_components(core::JsonWriter& w, operations::Components& components) {
    w.key("components");
    w.begin_object();
    w.key("securitySchemes");
    w.raw(kSecurity);
    write_parameter_components(w);
    write_headers(w);
    w.key("responses");
    w.begin_object();
    for (auto const& [status, codes] : refusals()) {
        w.key("Refused" + std::to_string(status));
        write_refusal(w, status, codes);
    }
    w.end_object();
    w.key("schemas");
    w.begin_object();
    w.key("Problem");
    w.raw(kProblem);
    components.write(w);
    w.end_object();
    w.end_object();
}

}  // namespace workforce::api
