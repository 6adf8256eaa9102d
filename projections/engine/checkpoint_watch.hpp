// Follows the projections that other processes fold, by their checkpoints, for those who wait in this one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/connection.hpp"
#include "projections/engine/progress.hpp"
#include "projections/engine/projection.hpp"
#include "projections/registry.hpp"

namespace workforce::projections {

/// A thread with a session of its own: it asks every few milliseconds while somebody waits, else twice a second, and
/// not at all where every partition is folded in this process.
class CheckpointWatch {
   public:
    /// The log's head of a partition as far as this process knows it, -1 where it does not. Called on the thread.
    using HeadOf = std::function<std::int64_t(int partition)>;

    /// `progress` outlives the watch. The session takes the role workforce_reader.
    CheckpointWatch(Progress& progress, core::ConnectionOptions connection, HeadOf head_of,
                    std::span<ProjectionType const> projections = registry());
    CheckpointWatch(CheckpointWatch const&) = delete;
    CheckpointWatch& operator=(CheckpointWatch const&) = delete;
    /// As stop().
    ~CheckpointWatch();

    /// Ends the thread; a second call does nothing.
    void stop();

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace workforce::projections
