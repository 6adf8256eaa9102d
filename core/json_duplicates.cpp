// Names are compared pair by pair in small objects, and sorted in large ones.
#include "core/json_duplicates.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/json_values.hpp"

namespace workforce::core {
namespace {

constexpr std::size_t kFewMembers = 16;
constexpr std::size_t kMostNamed = 10;
constexpr std::size_t kDuplicateNameBytes = 64;  // of a name in a refusal; a longer one is cut

/// A name as a refusal tells it.
std::string shown_name(std::string_view name) {
    if (name.size() <= kDuplicateNameBytes) return std::string(name);
    auto end = kDuplicateNameBytes;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;  // not within a character
    return std::string(name.substr(0, end)) + "…";
}

/// The names that come more than once in an object, each once.
std::vector<std::string_view> repeated_names(JsonValue const& object) {
    std::vector<std::string_view> repeated;
    if (object.MemberCount() <= kFewMembers) {
        for (auto later = object.MemberBegin(); later != object.MemberEnd(); ++later) {
            auto const name = text_of(later->name);
            bool const again = std::any_of(object.MemberBegin(), later,
                                           [&](auto const& earlier) { return text_of(earlier.name) == name; });
            if (again && std::ranges::find(repeated, name) == repeated.end()) repeated.push_back(name);
        }
        return repeated;
    }
    std::vector<std::string_view> names;
    names.reserve(object.MemberCount());
    for (auto const& member : object.GetObject()) names.push_back(text_of(member.name));
    std::ranges::sort(names);
    for (auto at = names.begin(); (at = std::adjacent_find(at, names.end())) != names.end();) {
        repeated.push_back(*at);
        at = std::upper_bound(at, names.end(), *at);
    }
    return repeated;
}

/// Adds the faults of the value, whose path is given and is the same afterwards.
void collect(JsonValue const& value, std::string& path, std::vector<FieldError>& faults) {
    if (faults.size() == kMostNamed) return;
    if (value.IsArray()) {
        for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
            if (!value[i].IsObject() && !value[i].IsArray()) continue;
            PathGuard const at(path, i);
            collect(value[i], path, faults);
        }
    }
    if (!value.IsObject()) return;
    for (auto const name : repeated_names(value)) {
        if (faults.size() == kMostNamed) return;
        PathGuard const at(path, shown_name(name));
        faults.push_back({path, std::string(kDuplicateRule), std::string(kDuplicateMessage)});
    }
    for (auto const& member : value.GetObject()) {
        if (!member.value.IsObject() && !member.value.IsArray()) continue;
        PathGuard const at(path, shown_name(text_of(member.name)));
        collect(member.value, path, faults);
    }
}

}  // namespace

bool has_duplicate_members(JsonValue const& value) { return value.IsObject() && !repeated_names(value).empty(); }

std::vector<FieldError> duplicate_members(JsonValue const& value) {
    std::vector<FieldError> faults;
    std::string path;
    collect(value, path, faults);
    return faults;
}

}  // namespace workforce::core
