// What a route is. The table in routes.cpp is the single source for routing, authentication, validation and OpenAPI.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "api/call.hpp"
#include "api/rest/components.hpp"

namespace workforce::api {

/// Who may call a route.
enum class Access : std::uint8_t {
    open,           ///< anyone, without a credential
    authenticated,  ///< any credential
    permission,     ///< a credential that `permission` is granted to
};

using Handler = std::function<boost::asio::awaitable<net::Reply>(Call&)>;
/// Writes the members of an open JSON Schema object.
using SchemaWriter = Components::Definition;
/// Writes an example.
using ExampleWriter = void (*)(core::JsonWriter&);

/// One parameter of the query, for OpenAPI.
struct QueryParameter {
    std::string_view name;
    bool required = false;
    bool is_list = false;  ///< of values between commas
    SchemaWriter schema = nullptr;
    std::vector<std::string> values{};  ///< all that it may be, where that is more than the schema says
    std::string_view description{};
};

/// One route.
struct Route {
    net::Method method = net::Method::get;
    std::string_view path;  ///< template: literal segments and {id}
    std::string_view name;  ///< verb in the registry, "shifts.assign": also the operationId
    std::string_view summary;
    Access access = Access::permission;
    std::string_view permission;  ///< dotted; empty unless access is permission
    std::uint16_t success = 200;
    std::string_view since = "2026-05-10";
    SchemaWriter body = nullptr;    ///< JSON body, if the route takes one
    bool body_required = false;     ///< a body of no members is refused, and so is none
    SchemaWriter answer = nullptr;  ///< JSON of a success
    ExampleWriter body_example = nullptr;
    ExampleWriter answer_example = nullptr;
    bool versioned = false;  ///< answers with one resource, and so with its ETag
    std::vector<QueryParameter> query{};
    Handler handler;
};

/// All routes of the REST listener.
std::vector<Route> const& routes();

/// A route found for a path, or what the path could have been asked for.
struct Match {
    Route const* route = nullptr;
    std::vector<Id> path_ids{};
    std::string allow{};  ///< methods of the path when none matched ("GET, POST"); empty: no such path
    bool bad_id = false;  ///< the path matched but for an {id} that is no positive integer
};
/// Finds the route. HEAD is answered by GET.
Match find_route(net::Method method, std::string_view path);

/// The OpenAPI 3.1 document of the table, as pretty-printed JSON.
std::string openapi_document();

}  // namespace workforce::api
