// Components of the OpenAPI document: headers, parameters, refusals, security schemes and schemas.
#include "api/rest/openapi_components.hpp"
#include <array>

#include "api/rest/openapi_errors.hpp"
#include "api/versions.hpp"
#include "core/json.hpp"
#include "core/result.hpp"
#include "core/text.hpp"

namespace workforce::api {
namespace {

/// Versions come and go, and so they are no enum.
void write_version_schema(core::JsonWriter& w) {
    w.key("schema");
    w.raw(R"({"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"})");
    w.member("example", kLatestVersion);
}

struct HeaderComponent {
    std::string_view name;  ///< of the component
    bool required;
    std::string_view description;
    std::string_view schema;
};

constexpr std::array kHeaders{
    HeaderComponent{"HttpDate", false, "Of a deprecated version: since when, or until when it is served (RFC 8594)",
                    R"({"type":"string","pattern":"^[A-Z][a-z]{2}, [0-9]{2} .* GMT$"})"},
    HeaderComponent{"DeprecationLink", false, "Of a deprecated version: where its changes are told",
                    R"({"type":"string","pattern":"; rel=\"deprecation\"$"})"},
    HeaderComponent{"RequestId", true, "Names the request, for whoever looks into it",
                    R"({"type":"string","pattern":"^req_[0-9a-f-]{36}$"})"},
    HeaderComponent{"ETag", true, "The resource's version, for If-Match",
                    R"({"type":"string","pattern":"^\"[0-9]+\"$"})"},
    HeaderComponent{"CreatedETag", false, "The version of what was created; absent where it was several",
                    R"({"type":"string","pattern":"^\"[0-9]+\"$"})"},
    HeaderComponent{"Location", false, "Path of what was created; absent where it was several",
                    R"({"type":"string","pattern":"^/api/"})"},
    HeaderComponent{"IdempotencyReplayed", false, "The answer is that of the first request with the key",
                    R"({"type":"string","enum":["true"]})"},
    HeaderComponent{"ServiceStale", false, "The answer may lack what this credential wrote last",
                    R"({"type":"string","enum":["true"]})"},
    HeaderComponent{"ServiceWarnings", false, "Names what the request has and nobody reads",
                    R"({"type":"string","pattern":"^ignored (fields|parameters): "})"},
    HeaderComponent{"RetryAfter", true, "Seconds to wait before the next try",
                    R"({"type":"string","pattern":"^[1-9][0-9]*$"})"},
    HeaderComponent{"RetryAfterConflict", false, "Seconds to wait, where the same request may succeed then",
                    R"({"type":"string","pattern":"^[1-9][0-9]*$"})"},
    HeaderComponent{"RateLimitLimit", false, "Requests that the key may make in a window",
                    R"({"type":"string","pattern":"^[1-9][0-9]*$"})"},
    HeaderComponent{"RateLimitRemaining", false, "Requests that are left of them",
                    R"({"type":"string","pattern":"^[0-9]+$"})"},
    HeaderComponent{"RateLimitReset", false, "When the next window opens, in Unix seconds",
                    R"({"type":"string","pattern":"^[1-9][0-9]*$"})"},
    HeaderComponent{"RateLimitWindow", false, "Length of a window: 60s",
                    R"({"type":"string","pattern":"^[1-9][0-9]*s$"})"},
    HeaderComponent{"RateLimitPolicy", false, "Limit and window in one: 60;w=60",
                    R"({"type":"string","pattern":"^[1-9][0-9]*;w=[1-9][0-9]*$"})"},
    HeaderComponent{"WwwAuthenticate", true, "How to authenticate (RFC 9110 11.6.1)",
                    R"({"type":"string","pattern":"^Bearer "})"},
};

void write_header(core::JsonWriter& w, HeaderComponent const& header) {
    auto const& [name, required, description, schema] = header;
    w.key(name);
    w.begin_object();
    w.member("description", description);
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
    w.member("description", "Version that the answer has");
    w.member("required", true);
    write_version_schema(w);
    w.end_object();
    for (auto const& header : kHeaders) write_header(w, header);
    w.end_object();
}

void write_parameter_components(core::JsonWriter& w) {
    w.key("parameters");
    w.begin_object();
    w.key("ServiceVersion");
    w.begin_object();
    w.member("name", "Service-Version");
    w.member("in", "header");
    w.member("description",
             "Version of the API to answer with, from GET /.well-known/api-versions; absent: the latest");
    w.member("required", false);
    write_version_schema(w);
    w.end_object();
    w.key("ServiceSandbox");
    w.raw(
        R"({"name":"Service-Sandbox","in":"header","required":false,"description":"true: act on sandbox rows, for people with sandbox.manage; keys have their own side","schema":{"type":"string","enum":["true","false"]}})");
    w.key("IdempotencyKey");
    w.raw(
        R"({"name":"Idempotency-Key","in":"header","required":false,"description":"Text of your own that names the request: within 24 hours the same one gets the first answer, and is done once","schema":{"type":"string","minLength":1,"maxLength":255}})");
    w.key("IfMatch");
    w.raw(
        R"({"name":"If-Match","in":"header","required":false,"description":"ETag that the resource must still have; else 412","schema":{"type":"string"}})");
    w.end_object();
}

/// The envelope with what answers of the status have besides. Operations say which codes are theirs.
void write_refusal(core::JsonWriter& w, std::uint16_t status, std::vector<core::Code> const& codes) {
    w.begin_object();
    w.member("description", names_of(codes));
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
    w.begin_object();
    w.key("application/json");
    w.begin_object();
    w.key("schema");
    w.raw(R"({"$ref":"#/components/schemas/ErrorResponse"})");
    write_error_examples(w, codes);
    w.end_object();
    w.end_object();
    w.end_object();
}

constexpr std::string_view kSecurity =
    R"_({"bearer":{"type":"http","scheme":"bearer","description":"API key: svc_live_…, svc_test_… of the sandbox, or svc_pat_… of a person."},)_"
    R"_("person":{"type":"http","scheme":"bearer","bearerFormat":"JWT","description":"Token of POST /api/auth/token, for a person who signed in."},)_"
    R"_("cookie":{"type":"apiKey","in":"cookie","name":"svc_session","description":"The session that POST /api/auth/login opens. Requests that change something come from the service's own origin."}})_";

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

void write_components(core::JsonWriter& w, operations::Components& components) {
    w.key("components");
    w.begin_object();
    w.key("securitySchemes");
    w.raw(kSecurity);
    write_parameter_components(w);
    write_headers(w);
    w.key("responses");
    w.begin_object();
    for (auto const& [status, codes] : all_codes()) {
        w.key("Refused" + std::to_string(status));
        write_refusal(w, status, codes);
    }
    w.end_object();
    w.key("schemas");
    w.begin_object();
    core::JsonWriter named;
    named.begin_object();
    write_error_schema(named, components);
    components.write(w);
    w.end_object();
    w.end_object();
}

}  // namespace workforce::api
