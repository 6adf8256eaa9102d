// Read models as the write side's store: each row is a resource whole, and its checkpoint says up to which event.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands/engine/state_store.hpp"
#include "core/session_pool.hpp"
#include "projections/engine/projection.hpp"
#include "projections/registry.hpp"

namespace workforce::workers {

/// Sees the rows of all organizations; each query names those that it is about. Thread-safe; all functions block.
/// Errors: core::DatabaseUnavailable.
class RowStore final : public commands::StateStore {
   public:
    /// `connection` says where; role and settings are set here, as read models are folded, for whose role row-level
    /// security lets see all. At most so many sessions.
    RowStore(core::ConnectionOptions connection, std::size_t sessions,
             std::span<projections::ProjectionType const> projections = projections::registry());

    commands::Positions through(int partition) override;
    commands::Found find(commands::LookUp const& wanted) override;
    std::string furthest_behind(int partition) override;
    void mark_ends(events::SecretEnds const& ends) override;

    /// As workers::require_indexes().
    void require_indexes();

    /// Persons who were erased and whose keys still stand.
    std::vector<std::string> erased_persons();

    /// Deletes the places of answers that count no more, a million of them at most.
    void prune_answers();

   private:
    /// The projections that keep what is resident together, with the revisions of their rows that this program knows.
    struct Source {
        core::Parameter names;
        core::Parameter revisions;
    };
    using Sources = std::array<Source, events::kKinds>;  // at the residences' kinds
    class Finder;

    Sources sources_;
    std::vector<std::string_view> names_;  // of all these projections
    std::vector<int> revisions_;
    core::SessionPool sessions_;
};

}  // namespace workforce::workers
