// Finding the route of a path: templates are compared segment by segment, those with more literals first.
#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "api/rest/route.hpp"
#include "operations/schema/query_parameters.hpp"

namespace workforce::api {
namespace {

constexpr std::size_t kMostSegments = 16;

/// A path taken apart in place. Of one with more than kMostSegments the size alone tells.
struct Parts {
    std::array<std::string_view, kMostSegments> texts;
    std::size_t size = 0;
};

Parts parts_of(std::string_view path) {
    if (path.starts_with('/')) path.remove_prefix(1);
    Parts parts;
    for (; parts.size < kMostSegments; ++parts.size) {
        auto const slash = path.find('/');
        parts.texts.at(parts.size) = path.substr(0, slash);
        if (slash == std::string_view::npos) break;
        path.remove_prefix(slash + 1);
    }
    ++parts.size;
    return parts;
}

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

/// Whether the path, of as many segments, has the template's shape; parameters that are none of their type are told
/// apart.
bool matches(std::vector<Segment> const& segments, Parts const& parts, Match& match) {
    auto const fits = [](Segment const& segment, std::string_view text) {
        return is_literal(segment) ? text == segment.text : !text.empty();
    };
    auto const* const texts = parts.texts.data();
    // First where most templates differ: "/api/shifts/{id:int}" from "/api/staff/{id:int}".
    auto const telling = std::min<std::size_t>(1, segments.size() - 1);
    if (!fits(segments[telling], texts[telling])) return false;
    if (!std::equal(segments.begin(), segments.end(), texts, fits)) return false;
    match.path.clear();
    match.malformed = {};
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (!is_literal(segments[i])) read_parameter(segments[i], texts[i], match);
    }
    return true;
}

void append_method(std::string& methods, net::Method method) {
    if (!methods.empty()) methods += ", ";
    methods += to_string(method);
}

}  // namespace

std::vector<Segment> segments_of(std::string_view path) {
    auto const parts = parts_of(path);
    if (parts.size > kMostSegments) throw bad_template(path);
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < parts.size; ++i) segments.push_back(segment_of(parts.texts.at(i), path));
    auto const parameters = segments.size() - static_cast<std::size_t>(std::ranges::count_if(segments, is_literal));
    if (parameters > operations::PathParameters::kMost) throw bad_template(path);
    return segments;
}

Router::Router(std::vector<Route> routes) : routes_(std::move(routes)), entries_(kMostSegments + 2) {
    for (auto const& route : routes_) {
        auto segments = segments_of(route.path);
        auto& entries = entries_.at(segments.size());
        entries.push_back({&route, std::move(segments)});
    }
    for (auto& entries : entries_) {
        std::ranges::stable_sort(entries, std::ranges::greater{},
                                 [](Entry const& entry) { return std::ranges::count_if(entry.segments, is_literal); });
    }
}

Match Router::find(net::Method method, std::string_view path) const {
    auto const wanted = method == net::Method::head ? net::Method::get : method;
    auto const parts = parts_of(path);
    Match match;
    bool exact = false;  // a path that a literal segment fits is no malformed id
    for (auto const& entry : entries_.at(parts.size)) {
        if (!matches(entry.segments, parts, match)) continue;
        if (exact && !match.malformed.empty()) continue;
        exact = exact || match.malformed.empty();
        if (entry.route->method == wanted) {
            match.route = entry.route;
            return match;
        }
        append_method(match.allow, entry.route->method);
    }
    return match;
}

std::string Router::shared_methods(std::string_view path) const {
    auto const parts = parts_of(path);
    std::string methods;
    Match match;
    for (auto const& entry : entries_.at(parts.size)) {
        bool const shared = entry.route->http().cors && matches(entry.segments, parts, match);
        if (shared) append_method(methods, entry.route->method);
    }
    return methods;
}

std::uint64_t Router::max_body(net::Method method, std::string_view path) const {
    auto const match = find(method, path);
    return match.route == nullptr ? operations::kMaxBody : match.route->http().max_body;
}

}  // namespace workforce::api
