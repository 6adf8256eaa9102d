// Folding events into the write side's memory, and what comes to it and leaves it.
#include "commands/engine/state.hpp"

#include <algorithm>
#include <utility>

#include "commands/engine/rows.hpp"
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

void OrganizationState::add_key(IndexKey const& key, Timestamp from, std::vector<IndexEntry> found) {
    auto const kind = traits_of(key).kind;
    std::erase_if(found, [&](IndexEntry const& entry) { return holds({kind, entry.id}); });
    indexes.complete(key, from, found);
}

void OrganizationState::evict_resident() {
    events::for_each_kind<events::KindsWithOrganization>([&](events::Kind, auto constant) {
        auto& table = rows<events::StateOf<decltype(constant)>>();
        for (auto const& [id, row] : table) row_bytes -= row.bytes;
        table.clear();
    });
    resident = false;
    complete = false;
}

void OrganizationState::evict_key(IndexKey const& key) {
    auto const kind = traits_of(key).kind;
    indexes.evict(key, [&](Id id) { return holds({kind, id}); });
}

bool OrganizationState::empty() const {
    bool empty = !resident && indexes.empty();
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
