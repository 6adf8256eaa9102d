// How REST reaches operations, and the documents beside them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.hpp"
#include "operations/operation.hpp"
#include "operations/path_parameters.hpp"

namespace workforce::api {

using core::Id;
class Versions;

/// What documents tell of, and to whom.
struct Installation {
    Versions const& versions;
    core::Config const& config;
    std::string_view host{};  ///< the request's Host field
};

/// The text of a document: one of the two.
struct DocumentText {
    std::string made{};          ///< for this answer
    std::string_view lasting{};  ///< the same for all, as long as the program runs
};

/// One route: an operation, or a document that never changes while the program runs.
struct Route {
    net::Method method = net::Method::get;
    std::string_view path;  ///< template, as HttpBinding::path
    std::string_view name;  ///< operationId of OpenAPI; of a PUT that does what PATCH does, a name of its own
    operations::Operation const* operation = nullptr;  ///< for a document, what OpenAPI says of it
    /// The answer of a document.
    DocumentText (*document)(Installation const& installation) = nullptr;

    [[nodiscard]] operations::HttpBinding const& http() const { return operation->http; }
};

/// The rows of the documents.
std::vector<Route> document_routes();

/// The routes of operations, with their PUT twins. `operations` outlive them.
std::vector<Route> routes_of(std::span<operations::Operation const> operations);

/// One segment of a template.
struct Segment {
    enum class Type : std::uint8_t { literal, integer, text };
    Type type = Type::literal;
    std::string_view text;  ///< of a parameter, its name
};

/// A template taken apart. Throws std::logic_error for one that is not written as HttpBinding::path says, or has more
/// than 16 segments.
std::vector<Segment> segments_of(std::string_view path);

/// A route found for a path, or what the path could have been asked for.
struct Match {
    Route const* route = nullptr;
    operations::PathParameters path{};
    std::string allow{};           ///< methods of the path when none matched ("GET, POST"); empty: no such path
    std::string_view malformed{};  ///< the parameter that is none of its type; empty: all are
};

/// Finds routes by method and path: those with more literal segments first. Immutable, so thread-safe.
class Router {
   public:
    /// Throws std::logic_error as segments_of.
    explicit Router(std::vector<Route> routes);
    Router(Router const&) = delete;
    Router& operator=(Router const&) = delete;

    /// The route of a path, which is percent-encoded as it came. HEAD is answered by GET. Allocates nothing for a path
    /// of literals and ids that is found.
    [[nodiscard]] Match find(net::Method method, std::string_view path) const;
    /// Methods by which scripts of other origins may ask for the path ("GET, POST"); empty: by none.
    [[nodiscard]] std::string shared_methods(std::string_view path) const;
    /// The largest body, in bytes, that the route of a path takes; kMaxBody where there is none.
    [[nodiscard]] std::uint64_t max_body(net::Method method, std::string_view path) const;
    [[nodiscard]] std::vector<Route> const& routes() const { return routes_; }

   private:
    struct Entry {
        Route const* route;
        std::vector<Segment> segments;
    };

    std::vector<Route> const routes_;
    std::vector<std::vector<Entry>> entries_;  // by their number of segments; those with more literals first
};

/// All routes of the REST listener.
Router const& rest_router();

/// The OpenAPI 3.1 document of routes, as pretty-printed JSON.
std::string openapi_of(std::vector<Route> const& routes);
/// That of the REST listener. The text lives as long as the program.
std::string_view openapi_document();

}  // namespace workforce::api
