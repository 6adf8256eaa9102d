// Folding events into the write side's memory, and what comes to it and leaves it.
#include "commands/engine/state.hpp"

#include <algorithm>
#include <utility>

#include "commands/engine/indexes.hpp"
#include "commands/engine/state_store.hpp"

namespace workforce::commands {
namespace {

/// Calls f(table) with the kind's table, where the kind has one.
template <class State, class F>
void with_table(State& state, events::Kind kind, F f) {
    events::for_each_kind<events::StatefulKinds>([&](events::Kind each, auto constant) {
        if (each == kind) f(state.template rows<events::StateOf<decltype(constant)>>());
    });
}

}  // namespace

Found::Found() = default;
Found::Found(Found&&) noexcept = default;
Found& Found::operator=(Found&&) noexcept = default;
Found::~Found() = default;

OrganizationState::OrganizationState() = default;
OrganizationState::OrganizationState(OrganizationState&&) noexcept = default;
OrganizationState& OrganizationState::operator=(OrganizationState&&) noexcept = default;
OrganizationState::~OrganizationState() = default;
OrganizationState::OrganizationState(OrganizationState const&) = default;
OrganizationState& OrganizationState::operator=(OrganizationState const&) = default;

void OrganizationState::apply(events::Event const& event) {
    auto const& meta = event.meta;
    std::visit(
        [&]<class Group>(Group const& group) {
            constexpr auto kKind = events::kKindOfEvents<Group>;
            constexpr auto kResidence = events::residence_of(kKind);
            if constexpr (kResidence == events::Residence::with_organization) position = meta.position;
            if constexpr (kKind == events::Kind::organization) resident = resident || meta.seq == 1;
            if constexpr (kResidence != events::Residence::none) {
                using State = typename events::Aggregate<kKind>::State;
                auto& row = rows<State>()[meta.subject.id];
                fold_indexed(*this, row, group, meta);
                weigh(*this, row);
            }
        },
        event.data.groups());
}

std::int64_t OrganizationState::version(events::AggregateRef const& ref) const {
    std::int64_t version = 0;
    with_table(*this, ref.kind, [&](auto const& table) {
        auto const found = table.find(ref.id);
        if (found != table.end()) version = found->second.version;
    });
    return version;
}

bool OrganizationState::erased(events::AggregateRef const& ref) const {
    bool erased = false;
    with_table(*this, ref.kind, [&](auto const& table) {
        auto const found = table.find(ref.id);
        erased = found != table.end() && found->second.erased;
    });
    return erased;
}

void OrganizationState::add_bookings(Id person, Timestamp from, std::vector<Booking> const& found) {
    auto& of_person = bookings[person];
    for (auto const& booking : found) {
        if (!rows<events::ShiftRecord>().contains(booking.shift)) of_person.known.insert(booking);
    }
    of_person.complete_from = std::min(from, of_person.complete_from.value_or(from));
    of_person.used = true;
    bytes -= of_person.bytes;
    of_person.bytes = kBookingsBytes + of_person.known.size() * kBookingBytes;
    bytes += of_person.bytes;
}

void OrganizationState::evict_resident() {
    events::for_each_kind<events::KindsWithOrganization>([&](events::Kind, auto constant) {
        auto& table = rows<events::StateOf<decltype(constant)>>();
        for (auto const& [id, row] : table) bytes -= row.bytes;
        table.clear();
    });
    resident = false;
    complete = false;
}

void OrganizationState::evict_bookings(Id person) {
    auto const found = bookings.find(person);
    if (found == bookings.end()) return;
    found->second.complete_from.reset();
    bytes -= std::exchange(found->second.bytes, 0);
    auto const& shifts = rows<events::ShiftRecord>();
    std::erase_if(found->second.known, [&](Booking const& booking) { return !shifts.contains(booking.shift); });
    if (found->second.known.empty()) bookings.erase(found);
}

bool OrganizationState::empty() const {
    bool empty = !resident && bookings.empty();
    events::for_each_kind<events::KindsAlone>(
        [&](events::Kind, auto constant) { empty = empty && rows<events::StateOf<decltype(constant)>>().empty(); });
    return empty;
}

std::size_t OrganizationState::resident_rows() const {
    std::size_t count = 0;
    events::for_each_kind<events::KindsWithOrganization>(
        [&](events::Kind, auto constant) { count += rows<events::StateOf<decltype(constant)>>().size(); });
    return count;
}

}  // namespace workforce::commands
