// The write side's memory of one organization, with the indexes that decisions need. It may lack what was not used of
// late. Not thread-safe: the partition's processor owns it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "commands/engine/index_table.hpp"
#include "commands/needs.hpp"
#include "events/event.hpp"

namespace workforce::commands {

/// What memory knows of an aggregate besides its state.
struct RowFacts {
    std::int64_t version = 0;    ///< seq of its last event
    std::int64_t position = -1;  ///< in the log, of its last event or one after it
    bool sandbox = false;
    bool erased = false;       ///< the log tells of the person's erasure
    bool lacks_event = false;  ///< it was looked up, and its row lacks an event that was skipped: nothing to decide on
    mutable bool used = true;  ///< since the last look at what may be evicted
    std::size_t bytes = 0;     ///< that it counts for in OrganizationState::row_bytes
};

/// An aggregate as held in memory.
template <class T>
struct Held : RowFacts {
    using State = T;
    T value;
};

template <class T>
using Table = std::unordered_map<Id, Held<T>>;

/// A table without the type of its states.
class AnyTable {
   public:
    virtual ~AnyTable() = default;
    AnyTable& operator=(AnyTable const&) = delete;

    /// The row, a Held of that type, or null.
    [[nodiscard]] virtual RowFacts const* find(Id id) const = 0;
    [[nodiscard]] virtual std::size_t size() const = 0;
    virtual void for_each(std::function<void(Id, RowFacts const&)> const& take) const = 0;
    virtual void clear() = 0;
    [[nodiscard]] virtual std::unique_ptr<AnyTable> copy() const = 0;

   protected:
    AnyTable() = default;
    AnyTable(AnyTable const&) = default;
};

template <class State>
class TableOf final : public AnyTable {
   public:
    Table<State> rows;

    [[nodiscard]] RowFacts const* find(Id id) const override {
        auto const found = rows.find(id);
        return found == rows.end() ? nullptr : &found->second;
    }
    [[nodiscard]] std::size_t size() const override { return rows.size(); }
    void for_each(std::function<void(Id, RowFacts const&)> const& take) const override {
        for (auto const& [id, row] : rows) take(id, row);
    }
    void clear() override { rows.clear(); }
    [[nodiscard]] std::unique_ptr<AnyTable> copy() const override { return std::make_unique<TableOf>(*this); }
};

/// One organization, live and sandbox rows side by side.
struct OrganizationState {
    OrganizationState() = default;
    OrganizationState(OrganizationState&&) noexcept = default;
    OrganizationState& operator=(OrganizationState&&) noexcept = default;
    ~OrganizationState() = default;
    OrganizationState(OrganizationState const&);
    OrganizationState& operator=(OrganizationState const&);

    bool complete = true;   ///< nothing of it is missing
    bool resident = false;  ///< the organization and all that is resident with it are here
    mutable bool used = true;
    std::int64_t position = -1;  ///< as Held::position, of all that is resident with it
    std::size_t row_bytes = 0;   ///< that its rows take
    std::array<std::unique_ptr<AnyTable>, events::kKinds> tables;  ///< TableOf, by Kind; null: it has no rows
    IndexTable indexes;

    template <class State>
    [[nodiscard]] Table<State>& rows() {
        auto& table = tables[static_cast<std::size_t>(events::kKindOfState<State>)];
        if (!table) table = std::make_unique<TableOf<State>>();
        return static_cast<TableOf<State>&>(*table).rows;
    }
    template <class State>
    [[nodiscard]] Table<State> const& rows() const {
        static Table<State> const none;
        auto const* table = this->table(events::kKindOfState<State>);
        return table ? static_cast<TableOf<State> const&>(*table).rows : none;
    }
    /// The table of the kind, or null where it has no rows.
    [[nodiscard]] AnyTable const* table(events::Kind kind) const {
        return tables[static_cast<std::size_t>(kind)].get();
    }
    /// The row, a Held of the kind's state, or null.
    [[nodiscard]] RowFacts const* find(events::AggregateRef const& ref) const {
        auto const* found = table(ref.kind);
        return found ? found->find(ref.id) : nullptr;
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
    void evict(events::AggregateRef const& ref);
    void evict_resident();
    void evict_key(IndexKey const& key);
    [[nodiscard]] bool empty() const;
    /// Rows that are evicted together with the organization's own.
    [[nodiscard]] std::size_t resident_rows() const;
};

}  // namespace workforce::commands
