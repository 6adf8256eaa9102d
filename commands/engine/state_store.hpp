// Where the write side finds again what it let go of: read models hold each resource whole, as its last event left it.
// And where it marks what must hold before read models tell of it.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/engine/state.hpp"

namespace workforce::commands {

/// What was looked up. Organizations, persons and shifts that are not here do not exist.
struct Found {
    struct Unit {
        Held<events::Organization> organization;
        std::vector<Held<events::Facility>> facilities;
        std::vector<Held<events::User>> users;
        std::vector<Held<events::ApiKey>> api_keys;
    };
    struct PersonBookings {
        Id organization = 0;
        Id staff = 0;
        Timestamp from;
        std::vector<Booking> bookings;
    };
    std::vector<Unit> units;
    std::vector<Held<events::Staff>> staff;
    std::vector<Held<events::ShiftRecord>> shifts;
    std::vector<PersonBookings> bookings;
    std::unordered_map<std::string, std::int64_t> answers;  ///< position of the answer, by idempotency key
    Positions through = kNowhere;  ///< how far what was looked up reached, of the stocks that were
};

/// A look-up.
struct LookUp {
    int partition = 0;
    Needs needs{};                  ///< of any kind but keys
    Positions least{kNowhere};      ///< how far they must reach
    std::vector<Id> shifts_here{};  ///< those in memory, which hinder nothing that memory does not tell of
};

/// What is stored is behind what was let go of, and did not catch up in time: a crash of the database lost its last
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

    /// How far what is stored of the partition reaches, of each stock; -1: it can't be used.
    virtual Positions through(int partition) = 0;
    /// Looks up, and waits some seconds for what is stored to reach as far as is asked for.
    virtual Found find(LookUp const& wanted) = 0;
    /// What of it is furthest behind, and why, for the operator.
    virtual std::string laggard(int partition) = 0;

    /// Marks the secrets of API keys as revoked; durable when it returns. Idempotent.
    virtual void mark_revoked(std::vector<Id> const& keys) = 0;
};

/// How much a process keeps in memory.
struct MemoryLimits {
    std::size_t aggregates = 40'000;                   ///< over all partitions that it writes
    std::size_t answer_bytes = std::size_t{16} << 20;  ///< of stored answers, over all partitions
    /// How much may gather while what is to leave is not stored yet, so that read models may stand still for a while;
    /// then commands are refused.
    std::size_t most_aggregates = 200'000;
    std::size_t most_answer_bytes = std::size_t{64} << 20;
};

/// What the partitions of a process share of memory. Thread-safe.
struct MemoryUse {
    std::atomic<int> partitions{0};  ///< claimed
    std::atomic<std::size_t> aggregates{0};
    std::atomic<std::size_t> answer_bytes{0};
};

}  // namespace workforce::commands
