// Folding events into the write side's memory and keeping its indexes.
#include "commands/state.hpp"

namespace workforce::commands {
namespace {

using events::Envelope;

constexpr std::int64_t kMaxShiftMs = 24 * 3'600'000LL;   // how far back a booking can start and still overlap
constexpr std::int64_t kAutoCompleteMs = 15 * 60'000LL;  // a running shift ends by itself this long past its end

/// Folds into the table's row of the event's subject. Returns the row.
template <class T, class Group>
Held<T>& fold(Table<T>& table, Group const& group, Envelope const& meta) {
    auto& held = table[meta.subject.id];
    evolve(held.value, group, meta);
    held.version = meta.seq;
    held.sandbox = meta.sandbox;
    held.erased = held.erased || std::visit([]<class E>(E const&) { return events::Erasing<E>; }, group);
    return held;
}

bool holds_time(events::ShiftRecord const& record) { return record.shift.status != events::ShiftStatus::cancelled; }

/// When the clock may move a shift, or nothing while it can't.
std::optional<Timestamp> due(events::ShiftRecord const& record) {
    auto const& shift = record.shift;
    switch (shift.status) {
        case events::ShiftStatus::open:
        case events::ShiftStatus::assigned:
            if (shift.assignedStaffIds.empty()) return std::nullopt;
            return shift.startsAt;
        case events::ShiftStatus::in_progress:
            return Timestamp{shift.endsAt.ms + kAutoCompleteMs};
        default:
            return std::nullopt;
    }
}

void index_shift(OrganizationState& state, events::ShiftRecord const& record) {
    auto const& shift = record.shift;
    if (auto const at = due(record)) state.clock.emplace(*at, shift.id);
    if (!holds_time(record)) return;
    for (Id const staff : shift.assignedStaffIds)
        state.bookings[staff].insert({shift.startsAt, shift.id, shift.endsAt});
}

void unindex_shift(OrganizationState& state, events::ShiftRecord const& record) {
    auto const& shift = record.shift;
    if (auto const at = due(record)) state.clock.erase({*at, shift.id});
    for (Id const staff : shift.assignedStaffIds) {
        auto const found = state.bookings.find(staff);
        if (found != state.bookings.end()) found->second.erase({shift.startsAt, shift.id, shift.endsAt});
    }
}

void apply_staff(OrganizationState& state, events::StaffEvent const& group, Envelope const& meta) {
    auto& held = state.staff[meta.subject.id];
    auto const before = held.value.email.value.value;
    fold(state.staff, group, meta);
    auto const& after = held.value.email.value.value;
    if (before == after && meta.seq > 1) return;
    if (!before.empty()) state.staff_emails.erase({meta.sandbox, before});
    if (!after.empty()) state.staff_emails[{meta.sandbox, after}] = meta.subject.id;
}

void apply_shift(OrganizationState& state, events::ShiftEvent const& group, Envelope const& meta) {
    auto& held = state.shifts[meta.subject.id];
    if (meta.seq > 1) unindex_shift(state, held.value);
    fold(state.shifts, group, meta);
    index_shift(state, held.value);
}

}  // namespace

void OrganizationState::apply(events::Event const& event) {
    auto const& meta = event.meta;
    std::visit(
        [&](auto const& group) {
            using Group = std::remove_cvref_t<decltype(group)>;
            if constexpr (std::same_as<Group, events::OrganizationEvent>) {
                evolve(organization.value, group, meta);
                organization.version = meta.seq;
            } else if constexpr (std::same_as<Group, events::FacilityEvent>) {
                fold(facilities, group, meta);
            } else if constexpr (std::same_as<Group, events::UserEvent>) {
                fold(users, group, meta);
            } else if constexpr (std::same_as<Group, events::ApiKeyEvent>) {
                fold(api_keys, group, meta);
            } else if constexpr (std::same_as<Group, events::StaffEvent>) {
                apply_staff(*this, group, meta);
            } else if constexpr (std::same_as<Group, events::ShiftEvent>) {
                apply_shift(*this, group, meta);
            } else {
                static_assert(std::same_as<Group, events::CommandEvent>, "an aggregate without a branch");
            }
        },
        event.data);
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

template <class T>
T const* View::find(Table<T> const& table, Id id) const {
    auto const found = table.find(id);
    return found == table.end() || found->second.sandbox != sandbox_ ? nullptr : &found->second.value;
}

events::Facility const* View::facility(Id id) const {
    auto const found = state_.facilities.find(id);
    return found == state_.facilities.end() ? nullptr : &found->second.value;
}
events::User const* View::user(Id id) const {
    auto const found = state_.users.find(id);
    return found == state_.users.end() ? nullptr : &found->second.value;
}
events::ApiKey const* View::api_key(Id id) const {
    auto const found = state_.api_keys.find(id);
    return found == state_.api_keys.end() ? nullptr : &found->second.value;
}
events::Staff const* View::staff(Id id) const { return find(state_.staff, id); }
events::ShiftRecord const* View::shift(Id id) const { return find(state_.shifts, id); }

std::optional<Id> View::staff_by_email(std::string const& email) const {
    auto const found = state_.staff_emails.find({sandbox_, email});
    return found == state_.staff_emails.end() ? std::nullopt : std::optional(found->second);
}

Booking const* View::overlap(Id staff, Timestamp starts, Timestamp ends, Id except) const {
    auto const found = state_.bookings.find(staff);
    if (found == state_.bookings.end()) return nullptr;
    auto const& all = found->second;
    for (auto it = all.lower_bound({Timestamp{starts.ms - kMaxShiftMs}, 0, {}}); it != all.end() && it->starts < ends;
         ++it) {
        if (it->ends > starts && it->shift != except) return &*it;
    }
    return nullptr;
}

std::vector<Booking> View::bookings_after(Id staff, Timestamp now) const {
    std::vector<Booking> after;
    auto const found = state_.bookings.find(staff);
    if (found == state_.bookings.end()) return after;
    auto const& all = found->second;
    for (auto it = all.lower_bound({Timestamp{now.ms - kMaxShiftMs}, 0, {}}); it != all.end(); ++it) {
        if (it->ends > now) after.push_back(*it);
    }
    return after;
}

std::vector<Id> View::due_shifts(Timestamp now, std::size_t limit) const {
    std::vector<Id> ids;
    for (auto const& [at, id] : state_.clock) {
        if (at > now || ids.size() == limit) break;
        auto const* record = shift(id);
        auto const* at_facility = record ? facility(record->shift.facilityId) : nullptr;
        if (!at_facility) continue;
        // Asked here, so that shifts that are left to people can't fill the limit and hide those behind them.
        bool const running = record->shift.status == events::ShiftStatus::in_progress;
        if (running ? at_facility->autoComplete : at_facility->autoStart) ids.push_back(id);
    }
    return ids;
}

}  // namespace workforce::commands
