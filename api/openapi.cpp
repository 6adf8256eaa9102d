// OpenAPI 3.1 from the route table.
#include <map>

#include "api/route.hpp"
#include "core/ascii.hpp"
#include "core/pretty_json.hpp"

namespace workforce::api {
namespace {

void write_parameters(core::JsonWriter& w, Route const& route) {
    w.key("parameters");
    w.begin_array();
    if (route.path.find("{id}") != std::string_view::npos) {
        w.raw(R"({"name":"id","in":"path","required":true,"schema":{"type":"integer","minimum":1}})");
    }
    for (auto const& parameter : route.query) {
        w.begin_object();
        w.member("name", parameter.name);
        w.member("in", "query");
        w.member("required", parameter.required);
        w.member("explode", false);
        w.key("schema");
        w.begin_object();
        parameter.schema(w);
        w.end_object();
        w.end_object();
    }
    w.raw(R"({"$ref":"#/components/parameters/ServiceVersion"})");
    if (route.body || route.method == Method::post) w.raw(R"({"$ref":"#/components/parameters/IdempotencyKey"})");
    if (route.method != Method::get) w.raw(R"({"$ref":"#/components/parameters/IfMatch"})");
    w.end_array();
}

void write_responses(core::JsonWriter& w, Route const& route) {
    w.key("responses");
    w.begin_object();
    w.key(std::to_string(route.success));
    w.begin_object();
    w.member("description", "Success");
    if (route.answer) {
        w.key("content");
        w.begin_object();
        w.key("application/json");
        w.begin_object();
        w.key("schema");
        w.begin_object();
        route.answer(w);
        w.end_object();
        w.end_object();
        w.end_object();
    }
    w.end_object();
    w.key("default");
    w.raw(R"({"$ref":"#/components/responses/Problem"})");
    w.end_object();
}

void write_operation(core::JsonWriter& w, Route const& route) {
    w.begin_object();
    w.member("operationId", route.name);
    w.member("summary", route.summary);
    if (route.access == Access::permission) w.member("x-permission", route.permission);
    w.member("x-since", route.since);
    if (route.access == Access::open) {
        w.key("security");
        w.begin_array();
        w.end_array();
    }
    write_parameters(w, route);
    if (route.body) {
        w.key("requestBody");
        w.begin_object();
        w.key("content");
        w.begin_object();
        w.key("application/json");
        w.begin_object();
        w.key("schema");
        w.begin_object();
        route.body(w);
        w.end_object();
        w.end_object();
        w.end_object();
        w.end_object();
    }
    write_responses(w, route);
    w.end_object();
}

constexpr std::string_view kComponents = R"components({
"securitySchemes":{"bearer":{"type":"http","scheme":"bearer","description":"API key (svc_live_…, svc_test_…, svc_pat_…)"}},
"parameters":{
"ServiceVersion":{"name":"Service-Version","in":"header","required":false,"schema":{"type":"string","format":"date"}},
"IdempotencyKey":{"name":"Idempotency-Key","in":"header","required":false,"schema":{"type":"string","minLength":1,"maxLength":255}},
"IfMatch":{"name":"If-Match","in":"header","required":false,"schema":{"type":"string"}}},
"responses":{"Problem":{"description":"Refused or failed","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}},
"schemas":{"Problem":{"type":"object","required":["error","requestId"],"properties":{"requestId":{"type":"string"},
"error":{"type":"object","required":["message"],"properties":{"message":{"type":"string"},"code":{"type":"string"},
"details":{"type":"object"},"suggestion":{"type":"string"},"retryable":{"type":"boolean"}}}}}}})components";

std::string make_document() {
    // Grouped by path, so that no key repeats.
    std::map<std::string_view, std::vector<Route const*>> by_path;
    for (auto const& route : routes()) by_path[route.path].push_back(&route);
    core::JsonWriter w;
    w.begin_object();
    w.member("openapi", "3.1.0");
    w.key("info");
    w.begin_object();
    w.member("title", "Workforce Platform API");
    w.member("version", "2026-07-24");
    w.end_object();
    w.key("security");
    w.raw(R"([{"bearer":[]}])");
    w.key("paths");
    w.begin_object();
    for (auto const& [path, group] : by_path) {
        w.key(path);
        w.begin_object();
        for (auto const* route : group) {
            w.key(core::ascii_lower(to_string(route->method)));
            write_operation(w, *route);
        }
        w.end_object();
    }
    w.end_object();
    w.key("components");
    w.raw(kComponents);
    w.end_object();
    rapidjson::Document document;
    document.Parse(w.take());
    return core::pretty_json(document);
}

}  // namespace

std::string openapi_document() {
    static std::string const document = make_document();
    return document;
}

}  // namespace workforce::api
