// Rows in memory with what indexes keep of them: folding, taking in, evicting.
#pragma once

#include "commands/engine/state.hpp"
#include "core/heap_bytes.hpp"

namespace workforce::commands {

/// Folds the event into the row.
template <class State, class Group>
void fold(Held<State>& row, Group const& group, events::Envelope const& meta) {
    evolve(row.value, group, meta);
    row.version = meta.seq;
    row.position = meta.position;
    row.sandbox = meta.sandbox;
    row.erased = row.erased || std::visit([]<class E>(E const&) { return events::Erasing<E>; }, group);
}

/// The element of lists whose entries alone an event changes, where the event says so (events/shift.hpp).
template <class Group>
std::optional<Id> only_element_of(Group const& group) {
    return std::visit(
        []<class E>(E const& event) -> std::optional<Id> {
            if constexpr (requires { only_element(event); }) return only_element(event);
            return std::nullopt;
        },
        group);
}

/// What the row has in the indexes of its kind.
template <class State>
KeyedEntries entries_of(Held<State> const& row, std::optional<Id> only = {}) {
    KeyedEntries entries;
    boost::mp11::mp_for_each<typename events::Aggregate<events::kKindOfState<State>>::Indexes>([&]<class I>(I) {
        for_each_entry<I>(row.value, row.sandbox, only,
                          [&](IndexKey key, IndexEntry const& entry) { entries.emplace_back(std::move(key), entry); });
    });
    return entries;
}

/// Folds the event into the row, which is one of the organization's, and its indexes.
template <class State, class Group>
void fold_indexed(OrganizationState& organization, Held<State>& row, Group const& group, events::Envelope const& meta) {
    if constexpr (boost::mp11::mp_empty<typename events::Aggregate<events::kKindOfState<State>>::Indexes>::value) {
        fold(row, group, meta);
    } else {
        auto const only = only_element_of(group);
        auto const before = meta.seq > 1 ? entries_of(row, only) : KeyedEntries{};
        fold(row, group, meta);
        organization.indexes.replace(before, entries_of(row, only));
    }
}

constexpr std::size_t kNodeBytes = 48;  // of an entry of a table, besides what is in it

/// Bytes that a row takes, without what indexes keep of it.
template <class State>
std::size_t bytes_of(Held<State> const& row) {
    return kNodeBytes + sizeof(row) + core::heap_bytes(row.value);
}

/// Counts a row of the organization as it is now.
template <class State>
void weigh(OrganizationState& organization, Held<State>& row) {
    organization.row_bytes -= row.bytes;
    row.bytes = bytes_of(row);
    organization.row_bytes += row.bytes;
}

/// Takes in a row that was looked up; what is here already stands. Returns whether it came in.
template <class State>
bool add(OrganizationState& organization, Held<State>&& row) {
    auto const id = resource_of(row.value).id;
    auto const [entry, added] = organization.rows<State>().try_emplace(id, std::move(row));
    if (added) {
        organization.indexes.replace({}, entries_of(entry->second));
        entry->second.bytes = 0;  // whatever it counted for elsewhere
        weigh(organization, entry->second);
    }
    return added;
}

/// Evicts a row that can be looked up again. Nothing is done where it is not here.
template <class State>
void evict(OrganizationState& organization, Id id) {
    auto& table = organization.rows<State>();
    auto const found = table.find(id);
    if (found == table.end()) return;
    organization.complete = false;
    organization.indexes.leave(entries_of(found->second));
    organization.row_bytes -= found->second.bytes;
    table.erase(found);
}

}  // namespace workforce::commands
