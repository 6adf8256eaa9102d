// The rows that projections remember, so that an aggregate's next event needs no look-up, and how many bytes they take.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "core/heap_bytes.hpp"
#include "core/text.hpp"

namespace workforce::projections {

/// What the projections of a process remember together. Thread-safe.
class RowMemory {
   public:
    /// They hold about `limit` bytes at most, besides the batches in hand.
    explicit RowMemory(std::size_t limit) : limit_(limit) {}
    RowMemory(RowMemory const&) = delete;
    RowMemory& operator=(RowMemory const&) = delete;

    void join() { ++members_; }
    void leave() { --members_; }
    /// Adds to what is held; what is taken away is added as its negative.
    void add(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
    /// Whether one is to drop its older rows who has so many bytes of younger ones: half of the limit is for whoever
    /// needs it, the other half is shared evenly, so that those who rest leave the others something.
    [[nodiscard]] bool overflows(std::size_t young) const {
        return used() > limit_ / 2 && young > limit_ / 4 / std::max<std::size_t>(1, members_);
    }

    /// Bytes held now.
    [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }
    /// Rows dropped since the start.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    void note_dropped(std::size_t rows) { dropped_.fetch_add(rows, std::memory_order_relaxed); }

   private:
    std::size_t const limit_;
    std::atomic<std::size_t> members_ = 0;
    std::atomic<std::size_t> used_ = 0;
    std::atomic<std::uint64_t> dropped_ = 0;
};

/// A resource with what its row says of it besides.
template <class State>
struct Row {
    core::Id id = 0;
    core::Id organization = 0;
    bool sandbox = false;
    std::int64_t version = 0;  ///< seq of the last event folded; 0: none is
    State state{};
    bool erased = false;       ///< an event that was folded on this row erased the person
    bool lacks_event = false;  ///< an event before the last one was skipped, as far as this process folded them
    std::size_t bytes = 0;     ///< that it counts for in RowMemory
};

/// Remembers aggregates in two generations: the older one is dropped whole when there is too much, and what is used
/// moves to the younger. References stay valid until the next begin_batch(). The memory outlives it.
template <class State>
class RecentRows {
   public:
    explicit RecentRows(RowMemory& memory) : memory_(memory) { memory_.join(); }
    RecentRows(RecentRows const&) = delete;
    RecentRows& operator=(RecentRows const&) = delete;
    ~RecentRows() {
        clear();
        memory_.leave();
    }

    void begin_batch() {
        if (!memory_.overflows(young_bytes_)) return;
        memory_.note_dropped(old_.size());
        drop(old_);
        std::swap(old_, young_);
        young_bytes_ = 0;
    }
    /// The aggregate's row, new with version 0 when it is not remembered.
    Row<State>& get(core::Id id) {
        auto const found = young_.find(id);
        if (found != young_.end()) return found->second;
        if (auto node = old_.extract(id)) {
            young_bytes_ += node.mapped().bytes;
            return young_.insert(std::move(node)).position->second;
        }
        return young_[id];
    }
    /// Counts a row that get() gave in this batch as it is now.
    void weigh(Row<State>& row) {
        auto const before = std::exchange(row.bytes, kNodeBytes + sizeof row + core::heap_bytes(row.state));
        young_bytes_ += row.bytes - before;
        memory_.add(row.bytes - before);
    }
    void clear() {
        drop(young_);
        drop(old_);
        young_bytes_ = 0;
    }

   private:
    using Rows = std::unordered_map<core::Id, Row<State>>;
    static constexpr std::size_t kNodeBytes = 48;

    void drop(Rows& rows) {
        std::size_t bytes = 0;
        for (auto const& [id, row] : rows) bytes += row.bytes;
        memory_.add(0 - bytes);
        Rows().swap(rows);
    }

    RowMemory& memory_;
    std::size_t young_bytes_ = 0;
    Rows young_;
    Rows old_;
};

}  // namespace workforce::projections
