// Rows that lack an event are told from the log, all in one pass.
#include "commands/engine/refold.hpp"

#include <map>
#include <utility>

#include "events/codec.hpp"
#include "events/subject_records.hpp"

namespace workforce::commands {
namespace {

template <class Resource>
Resource const& resource_of(Resource const& resource) {
    return resource;
}
events::Shift const& resource_of(events::ShiftRecord const& record) { return record.shift; }

/// Calls f(rows, kind, table) with each vector of rows, where `table` is what holds their like in memory.
template <class F>
void each_kind(Found& found, F f) {
    for (auto& unit : found.units) {
        f(unit.facilities, events::Kind::facility, &OrganizationState::facilities);
        f(unit.users, events::Kind::user, &OrganizationState::users);
        f(unit.api_keys, events::Kind::api_key, &OrganizationState::api_keys);
    }
    f(found.staff, events::Kind::staff, &OrganizationState::staff);
    f(found.shifts, events::Kind::shift, &OrganizationState::shifts);
}

std::vector<std::string> lacking(Found& found) {
    std::vector<std::string> subjects;
    for (auto const& unit : found.units) {
        auto const& row = unit.organization;
        if (row.lacks_event) subjects.push_back(events::to_string({events::Kind::organization, row.value.id}));
    }
    each_kind(found, [&](auto const& rows, events::Kind kind, auto) {
        for (auto const& row : rows) {
            if (row.lacks_event) subjects.push_back(events::to_string({kind, resource_of(row.value).id}));
        }
    });
    return subjects;
}

std::map<Id, OrganizationState> fold(std::vector<events::Event> const& events) {
    std::map<Id, OrganizationState> states;
    for (auto const& event : events) {
        auto& state = states[event.meta.organization];
        if (event.meta.seq != state.version(event.meta.subject) + 1) {
            throw events::DamagedEvent("position " + std::to_string(event.meta.position) + ": " +
                                       to_string(event.meta.subject) + " lacks what came before");
        }
        state.apply(event);
    }
    return states;
}

}  // namespace

std::size_t refold_lacking(Found& found, events::EventLog& log, events::Keyring& keyring, int partition,
                           std::int64_t last, std::function<bool()> const& go_on) {
    auto const subjects = lacking(found);
    if (subjects.empty()) return 0;
    auto const records =
        events::records_of(log, partition, subjects, last, [&](std::int64_t /*records*/) { return go_on(); });
    auto states = fold(events::decode_all(records, keyring));
    std::erase_if(found.units, [&](Found::Unit& unit) {
        if (!unit.organization.lacks_event) return false;
        unit.organization = std::move(states[unit.organization.value.id].organization);
        return unit.organization.version == 0;
    });
    each_kind(found, [&](auto& rows, events::Kind, auto table) {
        std::erase_if(rows, [&](auto& row) {
            if (!row.lacks_event) return false;
            auto const& resource = resource_of(row.value);
            auto& told = states[resource.organizationId].*table;
            auto const at = told.find(resource.id);
            if (at == told.end()) return true;
            row = std::move(at->second);
            return false;
        });
    });
    return subjects.size();
}

}  // namespace workforce::commands
