// Reading lists of entity tags.
#include "api/rest/entity_tags.hpp"

#include <algorithm>
#include <charconv>

namespace workforce::api {
namespace {

constexpr std::string_view kBlanks = " \t";

void skip(std::string_view& text, std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

/// The version whose tag has that text between its quotes: a positive number without leading zeros.
std::optional<std::int64_t> version_of(std::string_view text) {
    std::int64_t version = 0;
    auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), version);
    bool const whole = fault == std::errc{} && end == text.data() + text.size();
    return whole && version > 0 && !text.starts_with('0') ? std::optional(version) : std::nullopt;
}

}  // namespace

std::string entity_tag(std::int64_t version) { return '"' + std::to_string(version) + '"'; }

std::optional<std::vector<std::int64_t>> expected_versions(std::string_view field) {
    skip(field, kBlanks);
    if (field.starts_with('*') && field.find_first_not_of(kBlanks, 1) == std::string_view::npos) return std::nullopt;
    std::vector<std::int64_t> versions;
    for (skip(field, " \t,"); !field.empty(); skip(field, " \t,")) {
        bool const weak = field.starts_with("W/");
        if (weak) field.remove_prefix(2);
        auto const end = field.starts_with('"') ? field.find('"', 1) : std::string_view::npos;
        if (end == std::string_view::npos) return std::vector<std::int64_t>{};
        auto const version = version_of(field.substr(1, end - 1));
        if (version && !weak) versions.push_back(*version);
        field.remove_prefix(end + 1);
        skip(field, kBlanks);
        if (!field.empty() && !field.starts_with(',')) return std::vector<std::int64_t>{};
    }
    return versions;
}

}  // namespace workforce::api
