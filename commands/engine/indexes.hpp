// What memory keeps of an aggregate besides its row. An aggregate without indexes takes the templates, which keep none.
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

/// Folds the event into the row, which is one of the organization's, and its indexes.
template <class State, class Group>
void fold_indexed(OrganizationState& /*organization*/, Held<State>& row, Group const& group,
                  events::Envelope const& meta) {
    fold(row, group, meta);
}
/// Indexes a row that was looked up; `added`: it was not here before.
template <class State>
void index(OrganizationState& /*organization*/, Held<State> const& /*row*/, bool /*added*/) {}
/// Takes a row out of the indexes that is about to be evicted.
template <class State>
void unindex(OrganizationState& /*organization*/, Held<State> const& /*row*/) {}

// Staff by their e-mail address.
void fold_indexed(OrganizationState& organization, Held<events::StaffRecord>& row, events::StaffEvent const& group,
                  events::Envelope const& meta);
void index(OrganizationState& organization, Held<events::StaffRecord> const& row, bool added);
void unindex(OrganizationState& organization, Held<events::StaffRecord> const& row);

// The time that shifts take of those who are assigned to them.
void fold_indexed(OrganizationState& organization, Held<events::ShiftRecord>& row, events::ShiftEvent const& group,
                  events::Envelope const& meta);
void index(OrganizationState& organization, Held<events::ShiftRecord> const& row, bool added);
void unindex(OrganizationState& organization, Held<events::ShiftRecord> const& row);

// Credentials by their holder.
void fold_indexed(OrganizationState& organization, Held<events::CredentialRecord>& row,
                  events::CredentialEvent const& group, events::Envelope const& meta);
void index(OrganizationState& organization, Held<events::CredentialRecord> const& row, bool added);
void unindex(OrganizationState& organization, Held<events::CredentialRecord> const& row);

// Webhook subscriptions that were not deleted.
void fold_indexed(OrganizationState& organization, Held<events::WebhookRecord>& row, events::WebhookEvent const& group,
                  events::Envelope const& meta);
void index(OrganizationState& organization, Held<events::WebhookRecord> const& row, bool added);
void unindex(OrganizationState& organization, Held<events::WebhookRecord> const& row);

constexpr std::size_t kNodeBytes = 48;       // of an entry of a table or an index, besides what is in it
constexpr std::size_t kBookingBytes = 80;    // of one assigned time
constexpr std::size_t kBookingsBytes = 200;  // of a person's, besides each

/// Bytes that a row takes with what the indexes keep of it.
template <class State>
std::size_t bytes_of(Held<State> const& row) {
    auto bytes = kNodeBytes + sizeof(row) + core::heap_bytes(row.value);
    if constexpr (std::is_same_v<State, events::StaffRecord>) bytes += kNodeBytes + row.value.email.value.value.size();
    if constexpr (std::is_same_v<State, events::ShiftRecord>) {
        bytes += row.value.shift.assignedStaffIds.size() * kBookingBytes;
    }
    if constexpr (std::is_same_v<State, events::CredentialRecord>) bytes += 3 * kNodeBytes;
    if constexpr (std::is_same_v<State, events::WebhookRecord>) bytes += kNodeBytes;
    return bytes;
}

/// Counts a row of the organization as it is now.
template <class State>
void weigh(OrganizationState& organization, Held<State>& row) {
    organization.bytes -= row.bytes;
    row.bytes = bytes_of(row);
    organization.bytes += row.bytes;
}

/// Takes in a row that was looked up; what is here already stands. Returns whether it came in.
template <class State>
bool add(OrganizationState& organization, Held<State>&& row) {
    auto const id = resource_of(row.value).id;
    auto const [entry, added] = organization.rows<State>().try_emplace(id, std::move(row));
    index(organization, entry->second, added);
    if (added) {
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
    unindex(organization, found->second);
    organization.bytes -= found->second.bytes;
    table.erase(found);
}

}  // namespace workforce::commands
