// Folding events into the write side's memory and keeping its indexes.
#include "commands/engine/state.hpp"

namespace workforce::commands {
namespace {

using events::Envelope;

/// Folds into the table's row of the event's subject. Returns the row.
template <class T, class Group>
Held<T>& fold(Table<T>& table, Group const& group, Envelope const& meta) {
    auto& held = table[meta.subject.id];
    evolve(held.value, group, meta);
    held.version = meta.seq;
    held.position = meta.position;
    held.sandbox = meta.sandbox;
    held.erased = held.erased || std::visit([]<class E>(E const&) { return events::Erasing<E>; }, group);
    return held;
}

void index(OrganizationState& state, events::Shift const& shift, Id staff) {
    state.bookings[staff].known.insert({shift.startsAt, shift.id, shift.endsAt});
}

void unindex(OrganizationState& state, events::Shift const& shift, Id staff) {
    auto const found = state.bookings.find(staff);
    if (found == state.bookings.end()) return;
    found->second.known.erase({shift.startsAt, shift.id, shift.endsAt});
    if (found->second.known.empty() && !found->second.complete_from) state.bookings.erase(found);
}

void index_shift(OrganizationState& state, events::ShiftRecord const& record) {
    for (Id const staff : record.shift.assignedStaffIds) index(state, record.shift, staff);
}

void unindex_shift(OrganizationState& state, events::ShiftRecord const& record) {
    for (Id const staff : record.shift.assignedStaffIds) unindex(state, record.shift, staff);
}

void apply_shift(OrganizationState& state, events::ShiftEvent const& group, Envelope const& meta) {
    auto& held = state.shifts[meta.subject.id];
    // Of one person alone: a shift of a hundred is not indexed a hundred times while it is staffed.
    if (auto const* assigned = std::get_if<events::ShiftStaffAssigned>(&group)) {
        fold(state.shifts, group, meta);
        index(state, held.value.shift, assigned->staffId);
        return;
    }
    if (auto const* taken_off = std::get_if<events::ShiftUnassigned>(&group)) {
        unindex(state, held.value.shift, taken_off->staffId);
        fold(state.shifts, group, meta);
        return;
    }
    if (meta.seq > 1) unindex_shift(state, held.value);
    fold(state.shifts, group, meta);
    index_shift(state, held.value);
}

template <class Group>
constexpr bool is_of_unit =
    std::same_as<Group, events::OrganizationEvent> || std::same_as<Group, events::FacilityEvent> ||
    std::same_as<Group, events::UserEvent> || std::same_as<Group, events::ApiKeyEvent>;

}  // namespace

void OrganizationState::free_email(bool sandbox, std::string const& address, Id person) {
    auto const found = staff_emails.find({sandbox, address});
    if (found != staff_emails.end() && found->second == person) staff_emails.erase(found);
}

void OrganizationState::apply_staff(events::StaffEvent const& group, Envelope const& meta) {
    auto const id = meta.subject.id;
    auto const before = staff[id].value.email.value.value;
    auto const& after = fold(staff, group, meta).value.email.value.value;
    if (before == after && meta.seq > 1) return;
    free_email(meta.sandbox, before, id);
    if (!after.empty()) staff_emails[{meta.sandbox, after}] = id;
}

void OrganizationState::apply(events::Event const& event) {
    auto const& meta = event.meta;
    std::visit(
        [&](auto const& group) {
            using Group = std::remove_cvref_t<decltype(group)>;
            if constexpr (is_of_unit<Group>) unit_position = meta.position;
            if constexpr (std::same_as<Group, events::OrganizationEvent>) {
                if (meta.seq == 1) unit = true;
                evolve(organization.value, group, meta);
                organization.version = meta.seq;
            } else if constexpr (std::same_as<Group, events::FacilityEvent>) {
                fold(facilities, group, meta);
            } else if constexpr (std::same_as<Group, events::UserEvent>) {
                fold(users, group, meta);
            } else if constexpr (std::same_as<Group, events::ApiKeyEvent>) {
                fold(api_keys, group, meta);
            } else if constexpr (std::same_as<Group, events::StaffEvent>) {
                apply_staff(group, meta);
            } else if constexpr (std::same_as<Group, events::ShiftEvent>) {
                apply_shift(*this, group, meta);
            } else {
                static_assert(std::same_as<Group, events::CommandEvent>, "an aggregate without a branch");
            }
        },
        event.data.groups());
}

std::int64_t OrganizationState::version(events::AggregateRef const& ref) const {
    auto const of = [&](auto const& table) {
        auto const found = table.find(ref.id);
        return found == table.end() ? std::int64_t{0} : found->second.version;
    };
    switch (ref.kind) {
        case events::Kind::organization:
            return organization.version;
        case events::Kind::facility:
            return of(facilities);
        case events::Kind::user:
            return of(users);
        case events::Kind::api_key:
            return of(api_keys);
        case events::Kind::staff:
            return of(staff);
        case events::Kind::shift:
            return of(shifts);
        case events::Kind::command:
            return 0;
    }
    return 0;
}

bool OrganizationState::erased(events::AggregateRef const& ref) const {
    auto const in = [&](auto const& table) {
        auto const found = table.find(ref.id);
        return found != table.end() && found->second.erased;
    };
    return (ref.kind == events::Kind::staff && in(staff)) || (ref.kind == events::Kind::user && in(users));
}

bool OrganizationState::add(Held<events::Staff>&& member) {
    auto const id = member.value.id;
    bool const sandbox = member.sandbox;
    auto const [entry, added] = staff.try_emplace(id, std::move(member));
    auto const& address = entry->second.value.email.value.value;
    if (address.empty()) return added;
    // Of who is here already the address may have been another's for a while, who gave it up.
    auto const [owner, free] = staff_emails.try_emplace({sandbox, address}, id);
    if (added) owner->second = id;
    return added;
}

bool OrganizationState::add(Held<events::ShiftRecord>&& record) {
    auto const id = record.value.shift.id;
    auto const [entry, added] = shifts.try_emplace(id, std::move(record));
    if (added) index_shift(*this, entry->second.value);
    return added;
}

void OrganizationState::add_bookings(Id person, Timestamp from, std::vector<Booking> const& found) {
    auto& index = bookings[person];
    for (auto const& booking : found) {
        if (!shifts.contains(booking.shift)) index.known.insert(booking);
    }
    index.complete_from = std::min(from, index.complete_from.value_or(from));
    index.used = true;
}

void OrganizationState::drop_unit() {
    organization = {};
    facilities.clear();
    users.clear();
    api_keys.clear();
    unit = false;
    whole = false;
}

void OrganizationState::drop_staff(Id id) {
    auto const found = staff.find(id);
    if (found == staff.end()) return;
    free_email(found->second.sandbox, found->second.value.email.value.value, id);
    staff.erase(found);
    whole = false;
}

void OrganizationState::drop_shift(Id id) {
    auto const found = shifts.find(id);
    if (found == shifts.end()) return;
    whole = false;
    auto const& shift = found->second.value.shift;
    for (Id const person : shift.assignedStaffIds) {
        auto const of_person = bookings.find(person);
        if (of_person == bookings.end()) continue;
        auto& index = of_person->second;
        if (index.complete_from && shift.startsAt >= *index.complete_from) continue;  // from here on as one of its rows
        index.known.erase({shift.startsAt, id, shift.endsAt});
        if (index.known.empty() && !index.complete_from) bookings.erase(of_person);
    }
    shifts.erase(found);
}

void OrganizationState::drop_bookings(Id person) {
    auto const found = bookings.find(person);
    if (found == bookings.end()) return;
    found->second.complete_from.reset();
    found->second.charge = 0;
    std::erase_if(found->second.known, [&](Booking const& booking) { return !shifts.contains(booking.shift); });
    if (found->second.known.empty()) bookings.erase(found);
}

bool OrganizationState::empty() const { return !unit && staff.empty() && shifts.empty() && bookings.empty(); }

}  // namespace workforce::commands
