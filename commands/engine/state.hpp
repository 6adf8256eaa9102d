// The write side's memory of one organization, with the indexes that decisions need. It may lack what was not used of
// late. Not thread-safe: the partition's processor owns it.
#pragma once

#include <tuple>
#include <unordered_map>
#include <vector>

#include "commands/engine/index_table.hpp"
#include "commands/needs.hpp"
#include "events/catalogue.hpp"

namespace workforce::commands {

/// An aggregate as held in memory.
template <class T>
struct Held {
    using State = T;
    T value;
    std::int64_t version = 0;    ///< seq of its last event
    std::int64_t position = -1;  ///< in the log, of its last event or one after it
    bool sandbox = false;
    bool erased = false;       ///< the log tells of the person's erasure
    bool lacks_event = false;  ///< it was looked up, and its row lacks an event that was skipped: nothing to decide on
    mutable bool used = true;  ///< since the last look at what may be evicted
    std::size_t bytes = 0;     ///< that it counts for in OrganizationState::row_bytes
};

template <class T>
using Table = std::unordered_map<Id, Held<T>>;
/// A table for each kind that has a state.
using Tables = boost::mp11::mp_rename<boost::mp11::mp_transform<Table, events::States>, std::tuple>;

/// One organization, live and sandbox rows side by side. What it is made and ended by is compiled once, for it is of
/// all states there are.
struct OrganizationState {
    OrganizationState();
    OrganizationState(OrganizationState&&) noexcept;
    OrganizationState& operator=(OrganizationState&&) noexcept;
    ~OrganizationState();
    OrganizationState(OrganizationState const&);
    OrganizationState& operator=(OrganizationState const&);

    bool complete = true;   ///< nothing of it is missing
    bool resident = false;  ///< the organization and all that is resident with it are here
    mutable bool used = true;
    std::int64_t position = -1;  ///< as Held::position, of all that is resident with it
    std::size_t row_bytes = 0;   ///< that its rows take
    Tables tables;
    IndexTable indexes;

    template <class State>
    [[nodiscard]] Table<State>& rows() {
        return std::get<Table<State>>(tables);
    }
    template <class State>
    [[nodiscard]] Table<State> const& rows() const {
        return std::get<Table<State>>(tables);
    }

    /// Folds one event of this organization.
    void apply(events::Event const& event);
    /// The aggregate's version; 0 when there is none here.
    [[nodiscard]] std::int64_t version(events::AggregateRef const& ref) const;
    /// Whether the person was erased; false for what is no person.
    [[nodiscard]] bool erased(events::AggregateRef const& ref) const;

    /// Whether the aggregate is here.
    [[nodiscard]] bool holds(events::AggregateRef const& ref) const { return version(ref) > 0; }
    /// What rows and indexes take.
    [[nodiscard]] std::size_t bytes() const { return row_bytes + indexes.bytes(); }

    /// Takes in what was looked up of a key of an index; what is known of rows that are here is newer.
    void add_key(IndexKey const& key, Timestamp from, std::vector<IndexEntry> found);

    /// Evict what can be looked up again. Nothing is done where it is not here.
    void evict_resident();
    void evict_key(IndexKey const& key);
    [[nodiscard]] bool empty() const;
    /// Rows that are evicted together with the organization's own.
    [[nodiscard]] std::size_t resident_rows() const;
};

}  // namespace workforce::commands
