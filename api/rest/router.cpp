// Finding the route of a path: templates are compared segment by segment, those with more literals first.
#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "api/rest/route.hpp"
#include "operations/schema/query_parameters.hpp"

namespace workforce::api {
namespace {

/// Takes the first segment off a path; nothing when there is no more.
std::optional<std::string_view> next_segment(std::optional<std::string_view>& rest) {
    if (!rest) return std::nullopt;
    auto const slash = rest->find('/');
    auto const segment = rest->substr(0, slash);
    if (slash == std::string_view::npos) {
        rest.reset();
    } else {
        rest->remove_prefix(slash + 1);
    }
    return segment;
}

std::string_view without_root(std::string_view path) { return path.starts_with('/') ? path.substr(1) : path; }

std::logic_error bad_template(std::string_view path) {
    return std::logic_error(std::string(path) + " is no template: a parameter is written {name:int} or {name:text}");
}

Segment segment_of(std::string_view text, std::string_view path) {
    if (text.find_first_of("{}") == std::string_view::npos) return {Segment::Type::literal, text};
    auto const colon = text.find(':');
    if (!text.starts_with('{') || !text.ends_with('}') || colon == std::string_view::npos) throw bad_template(path);
    auto const name = text.substr(1, colon - 1);
    auto const type = text.substr(colon + 1, text.size() - colon - 2);
    if (name.empty() || (type != "int" && type != "text")) throw bad_template(path);
    return {type == "int" ? Segment::Type::integer : Segment::Type::text, name};
}

bool is_literal(Segment const& segment) { return segment.type == Segment::Type::literal; }

std::optional<Id> parse_id(std::string_view text) {
    Id id = 0;
    auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), id);
    bool const whole = fault == std::errc{} && end == text.data() + text.size();
    return whole && id >= 1 && id <= core::kMaxId ? std::optional(id) : std::nullopt;
}

/// Adds the parameter, or notes that the text is none of its type.
void read_parameter(Segment const& segment, std::string_view text, Match& match) {
    if (segment.type == Segment::Type::integer) {
        if (auto const id = parse_id(text)) return match.path.add({.name = segment.text, .id = *id});
    } else if (auto decoded = operations::percent_decode(text, false)) {
        return match.path.add({.name = segment.text, .text = *std::move(decoded)});
    }
    match.malformed = segment.text;
}

/// Whether the path has the template's shape; parameters that are none of their type are told apart.
bool matches(std::vector<Segment> const& segments, std::string_view path, Match& match) {
    match.path.clear();
    match.malformed = {};
    std::optional rest(without_root(path));
    for (auto const& segment : segments) {
        auto const part = next_segment(rest);
        if (!part) return false;
        bool const fits =
            is_literal(segment) ? *part == segment.text : segment.type == Segment::Type::integer || !part->empty();
        if (!fits) return false;
        if (!is_literal(segment)) read_parameter(segment, *part, match);
    }
    return !rest;
}

void append_method(std::string& methods, net::Method method) {
    if (!methods.empty()) methods += ", ";
    methods += to_string(method);
}

}  // namespace

std::vector<Segment> segments_of(std::string_view path) {
    std::vector<Segment> segments;
    std::optional rest(without_root(path));
    while (auto const text = next_segment(rest)) segments.push_back(segment_of(*text, path));
    auto const parameters = segments.size() - static_cast<std::size_t>(std::ranges::count_if(segments, is_literal));
    if (parameters > operations::PathParameters::kMost) throw bad_template(path);
    return segments;
}

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)) {
    for (auto const& route : routes_) entries_.push_back({&route, segments_of(route.path)});
    std::ranges::stable_sort(entries_, std::ranges::greater{},
                             [](Entry const& entry) { return std::ranges::count_if(entry.segments, is_literal); });
}

Match Router::find(net::Method method, std::string_view path) const {
    auto const wanted = method == net::Method::head ? net::Method::get : method;
    Match match;
    for (auto const& entry : entries_) {
        if (!matches(entry.segments, path, match)) continue;
        if (entry.route->method == wanted) {
            match.route = entry.route;
            return match;
        }
        append_method(match.allow, entry.route->method);
    }
    return match;
}

std::string Router::shared_methods(std::string_view path) const {
    std::string methods;
    Match match;
    for (auto const& entry : entries_) {
        bool const shared = entry.route->http().cors && matches(entry.segments, path, match);
        if (shared) append_method(methods, entry.route->method);
    }
    return methods;
}

std::uint64_t Router::max_body(net::Method method, std::string_view path) const {
    auto const match = find(method, path);
    return match.route == nullptr ? operations::kMaxBody : match.route->http().max_body;
}

}  // namespace workforce::api
