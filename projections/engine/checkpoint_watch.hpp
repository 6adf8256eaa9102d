// Follows the projections that other processes fold, by their checkpoints, for those who wait in this one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "projections/engine/progress.hpp"
#include "projections/engine/projection.hpp"
#include "projections/registry.hpp"

namespace workforce::projections {

/// By the process's watch of the database: it asks every few milliseconds while somebody waits, else twice a second,
/// and not at all where every partition is folded in this process.
class CheckpointWatch {
   public:
    /// The log's head of a partition as far as this process knows it, -1 where it does not. Called on the watch's
    /// thread.
    using HeadOf = std::function<std::int64_t(int partition)>;

    /// `progress` outlives the watch.
    CheckpointWatch(Progress& progress, std::string const& database_url, HeadOf head_of,
                    std::span<ProjectionType const> projections = registry());
    CheckpointWatch(CheckpointWatch const&) = delete;
    CheckpointWatch& operator=(CheckpointWatch const&) = delete;
    /// As stop().
    ~CheckpointWatch();

    /// It asks no more; a second call does nothing.
    void stop();

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace workforce::projections
