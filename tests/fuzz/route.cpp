// Paths: a route is found exactly where its template fits, and its ids are ids.
#include <fmt/format.h>

#include <algorithm>

#include "api/rest/route.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

std::string encoded(std::string_view text) {
    std::string all;
    for (char const c : text) all += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return all;
}

/// The template with the parameters in their places; a path may write an id with zeros before it.
std::string filled(std::string_view path, operations::PathParameters const& parameters) {
    std::string text;
    for (auto const& segment : api::segments_of(path)) {
        text += '/';
        if (segment.type == api::Segment::Type::literal) text += segment.text;
        if (segment.type == api::Segment::Type::integer) text += std::to_string(parameters.id(segment.text));
        if (segment.type == api::Segment::Type::text) text += encoded(parameters.text(segment.text));
    }
    return text;
}

/// Routes with parameters of each type, besides those that there are.
api::Router const& mixed_router() {
    static std::vector<operations::Operation> const rows = [] {
        using enum net::Method;
        std::vector<operations::Operation> all;
        for (auto const* path :
             {"/a/{id:int}", "/a/{id:int}/b/{name:text}", "/a/{token:text}", "/{one:text}/{two:int}"})
            all.push_back(operations::Operation{.name = path}.at(get, path));
        return all;
    }();
    static api::Router const router(api::routes_of(rows));
    return router;
}

void require_parameters(api::Match const& match) {
    for (auto const& segment : api::segments_of(match.route->path)) {
        if (segment.type == api::Segment::Type::integer) {
            auto const id = match.path.id(segment.text);
            require(id >= 1 && id <= core::kMaxId, "ids are ids");
        } else if (segment.type == api::Segment::Type::text) {
            require(!match.path.text(segment.text).empty(), "a text is not empty");
        }
    }
}

bool has_text(api::Route const& route) {
    return std::ranges::any_of(api::segments_of(route.path),
                               [](auto const& segment) { return segment.type == api::Segment::Type::text; });
}

std::string without_leading_zeros(std::string_view path) {
    std::string text;
    for (char const c : path) {
        if (!text.empty() && c != '/' && text.ends_with("/0")) text.pop_back();
        text += c;
    }
    return text;
}

}  // namespace

void fuzz(std::string_view input) {
    auto const first = take_byte(input);
    auto const method = static_cast<net::Method>(first % 8);
    bool const mixed = first >= 128;
    auto const& router = mixed ? mixed_router() : api::rest_router();
    net::Request request;
    request.target = input;
    auto const path = request.path();
    auto const match = router.find(method, path);
    if (match.route == nullptr) {
        auto const known = std::ranges::any_of(router.routes(), [&](auto const& route) {
            return route.path == path && path.find('{') == std::string_view::npos;
        });
        require(!known || !match.allow.empty(), "a path without ids is known");
        return;
    }
    auto const wanted = method == net::Method::head ? net::Method::get : method;
    require(match.route->method == wanted, "the route takes the method");
    if (!match.malformed.empty() || !path.starts_with('/')) return;
    require_parameters(match);
    auto const whole = filled(match.route->path, match.path);
    auto const again = router.find(method, whole);
    require(filled(again.route->path, again.path) == whole, "a filled template is found again");
    if (mixed) return;  // texts fit more than one template
    require(again.route == match.route, "a filled template is its own route");
    // A text has many encodings.
    require(has_text(*match.route) || whole == without_leading_zeros(path), "the path is the template's");
}

}  // namespace workforce::tests
