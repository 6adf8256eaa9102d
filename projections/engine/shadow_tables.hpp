// The tables that a rebuild makes beside the live ones, and their swap.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "projections/engine/projection.hpp"

namespace workforce::projections {

/// Shadows of some projections' tables, in schema `rebuild`, with checkpoints of their own there. One rebuild of a
/// database at a time: this holds an advisory lock as long as it lives. Not thread-safe.
///
/// The swap drops the live tables and moves the shadows to their place under the same names. Statements that sessions
/// have prepared are analysed anew when a table that they use is gone, and find the new one by its name; the catalog
/// changes of the swap alone are locked against readers, for some milliseconds however large the tables are.
/// (Exchanging contents instead, by TRUNCATE and INSERT, would lock for the whole of the copy.)
class ShadowTables {
   public:
    /// `login` owns the live tables and has no role set. Drops what an earlier rebuild left behind.
    /// Errors: std::runtime_error when another rebuild runs; pqxx's exceptions, here and below.
    ShadowTables(core::ConnectionOptions const& login, std::span<ProjectionType const> projections, int partitions);
    ShadowTables(ShadowTables const&) = delete;
    ShadowTables& operator=(ShadowTables const&) = delete;
    /// Drops the shadows, where they were not swapped in.
    ~ShadowTables();

    /// Makes the tables, empty, with the owner, grants, policies and settings of the live ones. They have their primary
    /// keys only: other indexes are made faster once the rows are there.
    void create();
    /// Makes the other indexes, and the planner's statistics.
    void complete();

    /// Where the live projections stand, by partition: the furthest of them.
    [[nodiscard]] std::vector<std::int64_t> live_positions();

    /// Holds the live projections where they are while `meanwhile` runs, which gets their positions. Nothing where the
    /// hold was not to be had soon: then it was not called.
    void hold(std::function<void(std::vector<std::int64_t> const& live)> const& meanwhile);

    /// Puts the shadows in place of the live tables, in one transaction: holds the live projections where they are,
    /// calls `catch_up` with their positions (which folds the shadows there at the least, in sessions of its own), and
    /// exchanges tables and checkpoints. Returns for how long readers were locked out at most, or nothing when a lock
    /// was not to be had soon: then nothing has changed, and readers waited no longer than 0.4 s.
    std::optional<std::chrono::microseconds> swap(
        std::function<void(std::vector<std::int64_t> const& live)> const& catch_up);

   private:
    void drop_leftovers();
    void await_older_statements();
    void exchange(std::chrono::steady_clock::time_point deadline);
    [[nodiscard]] std::vector<std::int64_t> by_partition(pqxx::result const& rows) const;
    /// "read.shift, read.staff"
    [[nodiscard]] std::string live_tables() const;

    std::span<ProjectionType const> const projections_;
    int const partitions_;
    std::vector<std::string_view> names_;
    std::vector<std::string> after_fold_;
    core::Connection owner_;
};

}  // namespace workforce::projections
