// Makes read models anew from the log.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "events/keyring.hpp"
#include "events/log.hpp"
#include "projections/registry.hpp"

namespace workforce::projections {

/// How far a rebuild has come, over all partitions.
struct RebuildProgress {
    std::int64_t events = 0;  ///< folded
    std::int64_t total = 0;   ///< in the log when it began
    int partition = 0;        ///< the one that just moved
};

struct RebuildOptions {
    core::ConnectionOptions connection{};  ///< as RunnerOptions::connection; best with a login that owns the tables
    std::size_t threads = 2;               ///< partitions at a time
    std::size_t batch_records = 5000;
    std::size_t batch_bytes = std::size_t{16} << 20;
    std::size_t cache = 20'000;  ///< aggregates of a projection kept in memory, for each thread
};

/// Empties the tables of the named projections (none: all) and folds the log from its beginning to the heads that it
/// had at the start. Blocks; `progress` is called on its threads, one at a time. No runner may be at work: the caller
/// checks that no lease lives. Forgets recorded skips: what was poison is tried again. Errors: std::invalid_argument
/// for an unknown name; std::runtime_error naming the event that could not be folded (the rebuild is then incomplete,
/// and a runner goes on from there); core::DatabaseUnavailable, events::LogUnavailable.
void rebuild(events::EventLog& log, events::Keyring& keyring, RebuildOptions const& options,
             std::vector<std::string> const& names, std::function<void(RebuildProgress const&)> const& progress,
             std::span<ProjectionType const> projections = registry());

}  // namespace workforce::projections
