// What a projection is: handlers that fold batches of one partition's events into its tables.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/connection.hpp"
#include "events/event.hpp"
#include "projections/engine/recent_rows.hpp"

namespace workforce::projections {

/// Partitions that fit below a position in the id of a row that is one event's: position × kPartitionsInId + partition.
inline constexpr std::int64_t kPartitionsInId = 1024;

/// The handlers of one projection for one partition. Used by one thread at a time.
class Projection {
   public:
    Projection() = default;
    Projection(Projection const&) = delete;
    Projection& operator=(Projection const&) = delete;
    virtual ~Projection() = default;

    /// Folds events, in order and each exactly once, into the tables, in the session's open transaction. Events of
    /// kinds that are not its own are passed over. The same events give the same rows however they are cut into
    /// batches. Statements name tables without a schema, for the session's decides whether they are the live ones or a
    /// rebuild's. May throw; the transaction is then rolled back and forget() called.
    virtual void apply(core::Connection& connection, int partition, std::span<events::Event const> events) = 0;

    /// Drops what it keeps in memory: the last batch may not have taken effect.
    virtual void forget() = 0;
};

class AnyReadModel;

/// A projection as the registry lists it.
struct ProjectionType {
    std::string_view name;
    int revision = 1;        ///< counted up when rows of the same events come to look different: a rebuild is due then
    std::string_view table;  ///< what only it writes, in schema `read`
    std::chrono::hours reach{0};  ///< how old events may be and still leave a row, where it begins anew; 0: any age
    /// Makes the handlers for a partition; what they remember is the memory's, which outlives them.
    std::function<std::unique_ptr<Projection>(RowMemory& memory)> make{};
    AnyReadModel const* model = nullptr;  ///< that it keeps; none where its statements are written by hand
    /// Whether it is a reactor's fold: where it stands is recorded before it begins, and it can be paused.
    bool reacts = false;
    /// Whose events it wants; empty: all. Others are not even decoded where everything that folds together passes them
    /// over.
    std::vector<events::Kind> kinds{};
};

}  // namespace workforce::projections
