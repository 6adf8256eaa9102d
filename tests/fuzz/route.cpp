// Paths: a route is found exactly where its template fits, and its ids are ids.
#include <algorithm>

#include "api/rest/route.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

/// The template with the ids in their places; a path may write an id with zeros before it.
std::string filled(std::string_view path, std::vector<core::Id> const& ids) {
    std::string text(path);
    for (auto const id : ids) text.replace(text.find("{id}"), 4, std::to_string(id));
    return text;
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
    auto const method = static_cast<net::Method>(take_byte(input) % 8);
    net::Request request;
    request.target = input;
    auto const path = request.path();
    auto const match = api::find_route(method, path);
    if (match.route == nullptr) {
        auto const known = std::ranges::any_of(api::routes(), [&](auto const& route) { return route.path == path; });
        require(!known || !match.allow.empty(), "a path without ids is known");
        return;
    }
    auto const wanted = method == net::Method::head ? net::Method::get : method;
    require(match.route->method == wanted, "the route takes the method");
    require(std::ranges::all_of(match.path_ids, [](auto id) { return id >= 1 && id <= core::kMaxId; }), "ids are ids");
    if (match.bad_id || !path.starts_with('/')) return;
    auto const again = api::find_route(method, filled(match.route->path, match.path_ids));
    require(again.route == match.route && again.path_ids == match.path_ids, "a filled template is its own route");
    require(filled(match.route->path, match.path_ids) == without_leading_zeros(path), "the path is the template's");
}

}  // namespace workforce::tests
