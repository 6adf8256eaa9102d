// Where the write side finds again what it evicted: read models hold each resource whole, as its last event left it.
// And where it marks what must hold before read models tell of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/engine/state.hpp"
#include "events/revocations.hpp"

namespace workforce::commands {

/// Rows that were looked up, without the type of their states.
struct AnyRows {
    AnyRows() = default;
    AnyRows(AnyRows const&) = delete;
    AnyRows& operator=(AnyRows const&) = delete;
    virtual ~AnyRows() = default;
};
template <class State>
struct RowsOf final : AnyRows {
    std::vector<Held<State>> rows;
};

/// What was looked up. Aggregates that are not here do not exist.
struct Found {
    /// A key of an index that was looked up.
    struct Key {
        Id organization = 0;
        IndexKey key;
        Timestamp from;
        bool whole = true;                  ///< nothing was left out
        std::vector<IndexEntry> entries{};  ///< of an index that finds entries; else rows have them
    };
    /// RowsOf, by Kind; null: none. An organization comes with all that is resident with it.
    std::array<std::unique_ptr<AnyRows>, events::kKinds> rows;
    std::vector<Key> keys;
    std::unordered_map<std::string, std::int64_t> answers;  ///< position of the answer, by idempotency key
    Positions through;  ///< how far what was looked up reached, of the residences that were

    template <class State>
    [[nodiscard]] std::vector<Held<State>>& of() {
        auto& of_kind = rows[static_cast<std::size_t>(events::kKindOfState<State>)];
        if (!of_kind) of_kind = std::make_unique<RowsOf<State>>();
        return static_cast<RowsOf<State>&>(*of_kind).rows;
    }
};

/// A look-up.
struct LookUp {
    int partition = 0;
    Needs needs{};      ///< of any sort but keys
    Positions least{};  ///< how far they must reach
    /// Those in memory, of kinds of which some rows are left out: memory tells whether they are meant. Each once.
    std::map<events::Kind, std::vector<Id>> here{};
};

/// What is stored is behind what was evicted, and did not catch up in time: a crash of the database lost its last
/// rows.
struct StoreBehind : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Thread-safe; all functions block. Errors: std::exception, StoreBehind among them.
class StateStore {
   public:
    StateStore() = default;
    StateStore(StateStore const&) = delete;
    StateStore& operator=(StateStore const&) = delete;
    virtual ~StateStore() = default;

    /// How far what is stored of the partition reaches, of each residence; -1: it can't be used.
    virtual Positions through(int partition) = 0;
    /// Looks up, and waits some seconds for what is stored to reach as far as is asked for.
    virtual Found find(LookUp const& wanted) = 0;
    /// What of it is furthest behind, and why, for the operator.
    virtual std::string furthest_behind(int partition) = 0;

    /// Marks secrets of API keys that end, and accounts; durable when it returns. Idempotent.
    virtual void mark_ends(events::SecretEnds const& ends) = 0;
};

/// How much a process keeps in memory.
struct MemoryLimits {
    std::size_t bytes = std::size_t{64} << 20;         ///< of aggregates, over all partitions that it writes
    std::size_t answer_bytes = std::size_t{16} << 20;  ///< of stored answers, over all partitions
    /// How much may gather while what is to be evicted is not stored yet, so that read models may stand still for a
    /// while; then commands are refused.
    std::size_t most_bytes = std::size_t{256} << 20;
    std::size_t most_answer_bytes = std::size_t{64} << 20;
};

/// What the partitions of a process share of memory. Thread-safe.
struct MemoryUse {
    std::atomic<int> partitions{0};     ///< claimed
    std::atomic<std::size_t> bytes{0};  ///< of aggregates
    std::atomic<std::size_t> answer_bytes{0};
    /// When one of them last evicted for its own sake (steady clock, ns): for a while the others keep to their shares.
    std::atomic<std::int64_t> evicted_at{0};
};

}  // namespace workforce::commands
