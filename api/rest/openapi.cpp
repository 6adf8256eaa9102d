// OpenAPI 3.1 from the route table.

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

#include "api/rest/openapi_components.hpp"
#include "api/rest/openapi_errors.hpp"
#include "api/rest/openapi_webhooks.hpp"
#include "api/rest/route.hpp"
#include "api/versions.hpp"
#include "core/ascii.hpp"
#include "core/pretty_json.hpp"
#include "operations/words/words.hpp"

namespace workforce::api {
namespace {

using operations::Components;

/// The tag of what is no operation.
constexpr std::string_view kServiceTag = "service";

std::string_view tag_of(Route const& route) {
    auto const resources = operations::resources();
    auto const name = route.name.substr(0, route.name.find('.'));
    auto const found = std::ranges::find(resources, name, &operations::Resource::name);
    return found == resources.end() ? kServiceTag : found->name;
}

void write_tag(core::JsonWriter& w, std::string_view name, std::string_view description) {
    w.begin_object();
    w.member("name", name);
    w.member("description", description);
    w.end_object();
}

void write_tags(core::JsonWriter& w) {
    w.key("tags");
    w.begin_array();
    for (auto const& resource : operations::resources()) write_tag(w, resource.name, resource.description);
    write_tag(w, kServiceTag, "The service itself: health, versions, scopes, this description");
    w.end_array();
}

/// Writes the entry of a media type: its schema and example. The schema of an answer describes JSON, which it may have
/// too: anything else is text.
void write_media_type(core::JsonWriter& w, operations::MediaType type, operations::SchemaWriter schema,
                      operations::ExampleWriter example, Components& components, bool answers) {
    w.key(operations::info(type).name);
    if (answers && type != operations::MediaType::json) return w.raw(R"({"schema":{"type":"string"}})");
    w.begin_object();
    w.key("schema");
    w.begin_object();
    schema(w, components);
    w.end_object();
    if (example) {
        w.key("example");
        example(w);
    }
    w.end_object();
}

void write_content(core::JsonWriter& w, std::span<operations::MediaType const> types, operations::SchemaWriter schema,
                   operations::ExampleWriter example, Components& components, bool answers) {
    w.key("content");
    w.begin_object();
    for (auto const type : types) write_media_type(w, type, schema, example, components, answers);
    w.end_object();
}

void write_query_parameter(core::JsonWriter& w, operations::Parameter const& parameter, Components& components) {
    w.begin_object();
    w.member("name", parameter.name);
    w.member("in", "query");
    if (!parameter.description.empty()) w.member("description", parameter.description);
    w.member("required", parameter.required);
    w.member("explode", false);
    w.key("schema");
    w.begin_object();
    if (parameter.values.empty()) {
        parameter.schema(w, components);
    } else {
        write_enum(w, parameter.values);
    }
    if (parameter.is_list) w.member("minItems", 1);  // nothing between commas is an empty text
    w.end_object();
    w.end_object();
}

/// What OpenAPI calls a path: parameters have no type there.
std::string open_api_path(std::string_view path) {
    std::string text;
    for (auto const& segment : segments_of(path)) {
        auto const name = std::string(segment.text);
        text += segment.type == Segment::Type::literal ? '/' + name : "/{" + name + '}';
    }
    return text;
}

/// `segment` is the one before the parameter, which says of what it is.
void write_path_parameter(core::JsonWriter& w, std::string_view segment, Segment const& parameter) {
    bool const integer = parameter.type == Segment::Type::integer;
    w.begin_object();
    w.member("name", parameter.text);
    w.member("in", "path");
    w.member("description", operations::words_of_path(segment, parameter.text));
    w.member("required", true);
    if (integer) {
        write_id_schema(w);
    } else {
        w.key("schema");
        w.raw(R"({"type":"string","minLength":1})");
    }
    w.end_object();
}

/// Whether a person may ask for the sandbox's side of it.
bool takes_sandbox(operations::Operation const& operation) {
    return operation.access != operations::Access::open && !operation.live_only && !operation.in_sandbox &&
           (operation.permission || operation.any_organization);
}

void write_parameters(core::JsonWriter& w, Route const& route, Components& components) {
    w.key("parameters");
    w.begin_array();
    std::string_view before;
    for (auto const& segment : segments_of(route.path)) {
        if (segment.type != Segment::Type::literal) write_path_parameter(w, before, segment);
        before = segment.text;
    }
    for (auto const& parameter : route.operation->parameters) write_query_parameter(w, parameter, components);
    w.raw(R"({"$ref":"#/components/parameters/ServiceVersion"})");
    if (takes_sandbox(*route.operation)) w.raw(R"({"$ref":"#/components/parameters/ServiceSandbox"})");
    if (is_keyed(route)) w.raw(R"({"$ref":"#/components/parameters/IdempotencyKey"})");
    if (changes(route) && route.operation->appends && of_its_id(route))
        w.raw(R"({"$ref":"#/components/parameters/IfMatch"})");
    w.end_array();
}

/// Headers of a success. A bulk create has neither ETag nor Location, and so these are not required of a create.
void write_success_headers(core::JsonWriter& w, Route const& route) {
    auto const add = [&](std::string_view name, std::string_view component) {
        w.key(name);
        w.raw(R"({"$ref":"#/components/headers/)" + std::string(component) + "\"}");
    };
    w.key("headers");
    w.begin_object();
    write_version_headers(w);
    add("X-Request-Id", "RequestId");
    if (route.operation->versioned) add("ETag", of_its_id(route) ? "ETag" : "CreatedETag");
    if (route.operation->success == 201) add("Location", "Location");
    if (is_keyed(route)) add("Idempotency-Replayed", "IdempotencyReplayed");
    if (route.operation->body || !route.operation->parameters.empty()) add("Service-Warnings", "ServiceWarnings");
    if (!changes(route) && route.operation->access != operations::Access::open) add("Service-Stale", "ServiceStale");
    if (route.operation->access != operations::Access::open) write_limit_headers(w, route.operation->success);
    w.end_object();
}

/// What a caller of the resource that was made may go on with.
void write_links(core::JsonWriter& w, Route const& route, std::vector<Route> const& routes) {
    if (route.operation->success != 201) return;
    w.key("links");
    w.begin_object();
    for (auto const& other : routes) {
        if (!other.path.starts_with(std::string(route.path) + "/{id:int}")) continue;
        w.key(other.name);
        w.begin_object();
        w.member("operationId", other.name);
        w.key("parameters");
        w.raw(R"({"id":"$response.body#/id"})");
        w.end_object();
    }
    w.end_object();
}

/// A refusal in another form than the envelope.
void write_other_refusal(core::JsonWriter& w, operations::ErrorForm form) {
    w.begin_object();
    w.member("description", "Refused or failed");
    w.key("content");
    w.raw(form == operations::ErrorForm::page
              ? R"({"text/html":{"schema":{"type":"string"}}})"
              : R"({"application/json":{"schema":{"type":"object","required":["error"],"properties":{)"
                R"("error":{"type":"string"},"error_description":{"type":"string"}}}}})");
    w.end_object();
}

void write_responses(core::JsonWriter& w, Route const& route, std::vector<Route> const& routes,
                     Components& components) {
    w.key("responses");
    w.begin_object();
    auto const write_success = [&](std::uint16_t status, std::string_view meaning) {
        w.key(std::to_string(status));
        w.begin_object();
        w.member("description", meaning);
        write_success_headers(w, route);
        if (route.operation->answer)
            write_content(w, route.http().gives, route.operation->answer, route.operation->answer_example, components,
                          true);
        write_links(w, route, routes);
        w.end_object();
    };
    write_success(route.operation->success, "Success");
    if (route.operation->other_success != 0) write_success(route.operation->other_success, "Begun, and not ended yet");
    for (auto const& [status, codes] : codes_of(route)) {
        w.key(std::to_string(status));
        if (route.http().errors != operations::ErrorForm::envelope) {
            write_other_refusal(w, route.http().errors);
            continue;
        }
        w.begin_object();
        w.member("$ref", "#/components/responses/Refused" + std::to_string(status));
        w.member("description", names_of(codes));
        w.end_object();
    }
    w.end_object();
}

void write_operation(core::JsonWriter& w, Route const& route, std::vector<Route> const& routes,
                     Components& components) {
    w.begin_object();
    w.member("operationId", route.name);
    w.key("tags");
    core::write_json(w, std::vector{std::string(tag_of(route))});
    w.member("summary", route.operation->summary);
    std::string description(route.operation->description);
    if (changes(route) && !route.operation->appends) {
        description +=
            " Leaves no answer to be told again: an `Idempotency-Key` means nothing here, and a request that is "
            "repeated acts again.";
    }
    if (!route.http().put_name.empty()) {
        description += " PUT does the same.";
        w.member("x-put", route.http().put_name);
    }
    w.member("description", description);
    if (route.operation->permission) w.member("x-permission", route.operation->permission->name());
    if (route.operation->other_permission) {
        w.member("x-other-permission", route.operation->other_permission->name());
    }
    if (route.operation->further_permission) {
        w.member("x-further-permission", route.operation->further_permission->name());
    }
    if (route.operation->own_permission) w.member("x-own-permission", route.operation->own_permission->name());
    if (route.operation->also_permission) w.member("x-also-permission", route.operation->also_permission->name());
    if (route.operation->people_only) w.member("x-people-only", true);
    w.member("x-since", route.operation->since);
    if (route.operation->access == operations::Access::open) {
        w.key("security");
        w.raw("[]");
    } else if (route.operation->people_only) {
        w.key("security");
        w.raw(R"([{"person":[]},{"cookie":[]}])");
    }
    write_parameters(w, route, components);
    if (route.operation->body) {
        w.key("requestBody");
        w.begin_object();
        w.member("required", route.operation->body_required);
        write_content(w, {&route.http().takes, 1}, route.operation->body, route.operation->body_example, components,
                      false);
        w.end_object();
    }
    write_responses(w, route, routes, components);
    w.end_object();
}

/// Whether another method of its path does the same: a client needs one of the two.
bool is_twin(Route const& route) { return !route.http().put_name.empty() && route.name == route.http().put_name; }

/// How descriptions name an operation: its method and path. Throws std::logic_error for one that there is not.
std::string path_of(std::string_view verb) {
    auto const& all = operations::operations();
    auto const found = std::ranges::find(all, verb, &operations::Operation::name);
    if (found == all.end()) throw std::logic_error("words name an operation that is not there: " + std::string(verb));
    return std::string(to_string(found->http.method)) + ' ' + open_api_path(found->http.path);
}

}  // namespace

std::string openapi_of(std::vector<Route> const& routes) {
    auto described = routes;
    std::erase_if(described, [](Route const& route) { return is_twin(route) || !route.http().described; });
    // Grouped by path, so that no key repeats.
    std::map<std::string, std::vector<Route const*>> by_path;
    for (auto const& route : described) by_path[open_api_path(route.path)].push_back(&route);
    Components components;
    core::JsonWriter w;
    w.begin_object();
    w.member("openapi", "3.1.0");
    w.key("info");
    w.begin_object();
    w.member("title", "Workforce Platform API");
    w.member(
        "description",
        "Scheduling, people, credentials and leads of organizations. Bodies are JSON; ids are integers below 2^53; "
        "timestamps are RFC 3339 in UTC, dates and times of shifts wall clock at the facility. Every refusal has "
        "the form of ErrorResponse.");
    w.member("version", kLatestVersion);
    w.end_object();
    w.key("servers");
    w.raw(R"([{"url":"/","description":"The host that serves this description"}])");
    write_tags(w);
    w.key("security");
    w.raw(R"([{"bearer":[]},{"person":[]},{"cookie":[]}])");
    w.key("paths");
    w.begin_object();
    for (auto const& [path, group] : by_path) {
        w.key(path);
        w.begin_object();
        for (auto const* route : group) {
            w.key(core::ascii_lower(to_string(route->method)));
            write_operation(w, *route, described, components);
        }
        w.end_object();
    }
    w.end_object();
    write_webhooks(w, components);
    write_components(w, components);
    w.end_object();
    rapidjson::Document document;
    auto const text = operations::with_names(w.text(), path_of);
    document.Parse(text.data(), text.size());  // by length: the other form reads in blocks, past the end
    return core::pretty_json(document);
}

std::string_view openapi_document() {
    static std::string const document = openapi_of(rest_router().routes());
    return document;
}

}  // namespace workforce::api
