// Folding events into the write side's memory, and what comes to it and leaves it.
#include "commands/engine/state.hpp"

#include <algorithm>
#include <utility>

#include "commands/engine/rows.hpp"
#include "events/catalogue.hpp"

namespace workforce::commands {
namespace {

/// Calls f(kind, table) for each table of kinds with that residence.
template <class Tables, class F>
void for_each_table(Tables& tables, events::Residence residence, F f) {
    for (auto const kind : events::kAllKinds) {
        auto& table = tables[static_cast<std::size_t>(kind)];
        if (table && events::residence_of(kind) == residence) f(*table);
    }
}

}  // namespace

OrganizationState::OrganizationState(OrganizationState const& other)
    : complete(other.complete),
      resident(other.resident),
      used(other.used),
      position(other.position),
      row_bytes(other.row_bytes),
      indexes(other.indexes) {
    std::ranges::transform(other.tables, tables.begin(),
                           [](auto const& table) { return table ? table->copy() : nullptr; });
}

OrganizationState& OrganizationState::operator=(OrganizationState const& other) {
    if (this != &other) *this = OrganizationState(other);
    return *this;
}

void OrganizationState::apply(events::Event const& event) {
    auto const& meta = event.meta;
    events::visit_group(event.data, [&]<class Group>(Group const& group) {
        using Declared = events::Aggregate<events::kKindOfEvents<Group>>;
        if constexpr (Declared::kResidence == events::Residence::with_organization) position = meta.position;
        if constexpr (Declared::kResidence != events::Residence::none) {
            auto& row = rows<typename Declared::State>()[meta.subject.id];
            fold_indexed(*this, row, group, meta);
            weigh(*this, row);
        }
    });
    if (event.data.kind() == events::Kind::organization && meta.seq == 1) resident = true;
}

std::int64_t OrganizationState::version(events::AggregateRef const& ref) const {
    auto const* found = find(ref);
    return found ? found->version : 0;
}

bool OrganizationState::erased(events::AggregateRef const& ref) const {
    auto const* found = find(ref);
    return found && found->erased;
}

void OrganizationState::add_key(IndexKey const& key, Timestamp from, std::vector<IndexEntry> found) {
    auto const kind = traits_of(key).kind;
    std::erase_if(found, [&](IndexEntry const& entry) { return holds({kind, entry.id}); });
    indexes.complete(key, from, found);
}

void OrganizationState::evict_resident() {
    for_each_table(tables, events::Residence::with_organization, [&](AnyTable& table) {
        table.for_each([&](Id, RowFacts const& row) { row_bytes -= row.bytes; });
        table.clear();
    });
    resident = false;
    complete = false;
}

void OrganizationState::evict(events::AggregateRef const& ref) {
    events::for_each_kind<events::KindsAlone>([&](events::Kind kind, auto constant) {
        if (kind == ref.kind) commands::evict<events::StateOf<decltype(constant)>>(*this, ref.id);
    });
}

void OrganizationState::evict_key(IndexKey const& key) {
    auto const kind = traits_of(key).kind;
    indexes.evict(key, [&](Id id) { return holds({kind, id}); });
}

bool OrganizationState::empty() const {
    bool empty = !resident && indexes.empty();
    for_each_table(tables, events::Residence::alone,
                   [&](AnyTable const& table) { empty = empty && table.size() == 0; });
    return empty;
}

std::size_t OrganizationState::resident_rows() const {
    std::size_t count = 0;
    for_each_table(tables, events::Residence::with_organization, [&](AnyTable const& table) { count += table.size(); });
    return count;
}

}  // namespace workforce::commands
