// Finding the route of a path: templates are compared segment by segment, literals before {id}.
#include <algorithm>
#include <charconv>

#include "api/rest/route.hpp"

namespace workforce::api {
namespace {

std::vector<std::string_view> segments(std::string_view path) {
    std::vector<std::string_view> parts;
    if (path.starts_with('/')) path.remove_prefix(1);
    while (true) {
        auto const slash = path.find('/');
        parts.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) return parts;
        path.remove_prefix(slash + 1);
    }
}

struct Compiled {
    Route const* route;
    std::vector<std::string_view> parts;
    std::size_t literals = 0;
};

/// The table with templates taken apart, those with more literal segments first.
std::vector<Compiled> const& compiled() {
    static auto const all = [] {
        std::vector<Compiled> table;
        for (auto const& route : routes()) {
            Compiled entry{&route, segments(route.path)};
            entry.literals = static_cast<std::size_t>(
                std::count_if(entry.parts.begin(), entry.parts.end(), [](auto part) { return part != "{id}"; }));
            table.push_back(std::move(entry));
        }
        std::stable_sort(table.begin(), table.end(),
                         [](auto const& a, auto const& b) { return a.literals > b.literals; });
        return table;
    }();
    return all;
}

std::optional<Id> parse_id(std::string_view text) {
    Id id = 0;
    auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), id);
    bool const whole = fault == std::errc{} && end == text.data() + text.size();
    return whole && id >= 1 && id <= core::kMaxId ? std::optional(id) : std::nullopt;
}

/// Whether the path has the template's shape; ids that are no ids are told apart.
bool matches(Compiled const& entry, std::vector<std::string_view> const& parts, Match& match) {
    if (entry.parts.size() != parts.size()) return false;
    match.path_ids.clear();
    match.bad_id = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (entry.parts[i] != "{id}") {
            if (entry.parts[i] != parts[i]) return false;
            continue;
        }
        if (auto const id = parse_id(parts[i])) {
            match.path_ids.push_back(*id);
        } else {
            match.bad_id = true;
        }
    }
    return true;
}

}  // namespace

Match find_route(net::Method method, std::string_view path) {
    auto const wanted = method == net::Method::head ? net::Method::get : method;
    auto const parts = segments(path);
    Match match;
    for (auto const& entry : compiled()) {
        if (!matches(entry, parts, match)) continue;
        if (entry.route->method == wanted) {
            match.route = entry.route;
            return match;
        }
        if (!match.allow.empty()) match.allow += ", ";
        match.allow += to_string(entry.route->method);
    }
    return match;
}

}  // namespace workforce::api
