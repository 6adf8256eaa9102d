// How REST reaches operations, and the documents beside them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operations/operation.hpp"

namespace workforce::api {

using core::Id;

/// One route: an operation, or a document that never changes while the program runs.
struct Route {
    net::Method method = net::Method::get;
    std::string_view path;  ///< template: literal segments and {id}
    std::string_view name;  ///< operationId of OpenAPI; of a PUT that does what PATCH does, a name of its own
    operations::Operation const* operation = nullptr;  ///< for a document, what OpenAPI says of it
    std::string (*document)() = nullptr;               ///< the answer of a document
};

/// The rows of the documents.
std::vector<Route> document_routes();

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

/// The OpenAPI 3.1 document of the routes, as pretty-printed JSON.
std::string openapi_document();

}  // namespace workforce::api
