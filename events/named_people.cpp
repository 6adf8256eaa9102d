// From names of members to kinds.
#include "events/named_people.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/ascii.hpp"
#include "core/json_values.hpp"

namespace workforce::events {
namespace {

using core::JsonValue;

/// A kind by how members that name one of it end, in lower case.
struct NamedKind {
    std::string_view name;
    Kind kind;
};
constexpr std::array kNamedKinds{
    NamedKind{"staff", Kind::staff},
    NamedKind{"user", Kind::user},
    NamedKind{"lead", Kind::lead},
    NamedKind{"shift", Kind::shift},
    NamedKind{"credential", Kind::credential},
    NamedKind{"timesheet", Kind::timesheet},
    NamedKind{"facility", Kind::facility},
    NamedKind{"payrollrun", Kind::payroll_run},
};

std::optional<Kind> kind_called(std::string_view name) {
    auto const lower = core::ascii_lower(name);
    auto const found = std::ranges::find_if(kNamedKinds, [&](auto const& each) { return lower.ends_with(each.name); });
    return found == kNamedKinds.end() ? std::nullopt : std::optional(found->kind);
}

/// The kind whose ids a member of that name has, or nothing.
std::optional<Kind> kind_of_ids(std::string_view member) {
    for (std::string_view const end : {"Id", "Ids", "IdA", "IdB", "_id"}) {
        if (member.ends_with(end) && member.size() > end.size()) {
            return kind_called(member.substr(0, member.size() - end.size()));
        }
    }
    return member == "assigned" ? std::optional(Kind::staff) : std::nullopt;
}

void add_named(JsonValue const& value, std::optional<Kind> own, std::vector<AggregateRef>& named);

void add_ids(JsonValue const& value, Kind kind, std::vector<AggregateRef>& named) {
    if (value.IsInt64() && value.GetInt64() > 0) named.push_back({kind, value.GetInt64()});
    if (!value.IsArray()) return;
    for (auto const& each : value.GetArray()) {
        if (each.IsInt64() && each.GetInt64() > 0) named.push_back({kind, each.GetInt64()});
    }
}

void add_named(JsonValue const& value, std::optional<Kind> own, std::vector<AggregateRef>& named) {
    if (value.IsArray()) {
        for (auto const& each : value.GetArray()) add_named(each, own, named);
    }
    if (!value.IsObject()) return;
    for (auto const& member : value.GetObject()) {
        auto const name = core::text_of(member.name);
        if (name == "id") {
            if (own) add_ids(member.value, *own, named);
        } else if (auto const kind = kind_of_ids(name)) {
            add_ids(member.value, *kind, named);
        } else {
            add_named(member.value, name == "data" ? own : kind_called(name), named);
        }
    }
}

}  // namespace

std::vector<AggregateRef> named_in(JsonValue const& value, std::optional<Kind> own) {
    std::vector<AggregateRef> named;
    add_named(value, own, named);
    return named;
}

NamedPeople people_among(std::vector<AggregateRef> const& named) {
    NamedPeople people;
    for (auto const& [kind, id] : named) {
        auto* const ids = kind == Kind::staff  ? &people.namedStaffIds
                          : kind == Kind::user ? &people.namedUserIds
                          : kind == Kind::lead ? &people.namedLeadIds
                                               : nullptr;
        if (ids != nullptr && std::ranges::find(*ids, id) == ids->end()) ids->push_back(id);
    }
    return people;
}

NamedPeople people_named_by(std::string_view json) {
    auto const document = core::parse_json(json);
    return document ? people_among(named_in(*document, std::nullopt)) : NamedPeople{};
}

}  // namespace workforce::events
