// Makes read models anew from the log, beside live traffic.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.hpp"
#include "events/keyring.hpp"
#include "events/log/log.hpp"
#include "projections/registry.hpp"

namespace workforce::projections {

/// What a rebuild does first, and for most of its time.
inline constexpr std::string_view kFolding = "folding";

/// How far a rebuild has come, over all partitions.
struct RebuildProgress {
    std::string_view doing;   ///< kFolding, then "making indexes", "catching up", "waiting for a lock", for people
    std::int64_t events = 0;  ///< folded
    std::int64_t total = 0;   ///< in the log when it began; more may come while it runs
};

struct RebuildOptions {
    core::ConnectionOptions connection{};  ///< a login that owns the tables; the role is set for the folding
    std::size_t threads = 2;               ///< partitions at a time
    std::size_t batch_records = 5000;
    std::size_t batch_bytes = std::size_t{16} << 20;
    std::size_t row_bytes = 64 << 20;    ///< of rows that the projections remember together
    std::chrono::seconds patience{600};  ///< for a moment in which the tables can be swapped
};

struct RebuildResult {
    std::int64_t events = 0;             ///< folded
    std::chrono::microseconds locked{};  ///< how long the swap kept readers waiting at most
};

/// Folds the log into shadows of the named projections' tables (none named: all) and swaps them in once they stand
/// where the live ones do. The live projections go on meanwhile, in any process, and take up the new rows by
/// themselves; where none runs, or where they stand past the end of the log (an older one was restored), the shadows go
/// to the log's end. Until the swap nothing that is read changes, also when this ends early. Events that were skipped,
/// or stop a live projection, are tried again. Blocks; `progress` is called on its threads, one at a time. Errors:
/// std::invalid_argument for an unknown name; std::runtime_error naming the event that could not be folded, or when
/// another rebuild runs; core::DatabaseUnavailable, events::LogUnavailable.
RebuildResult rebuild(events::EventLog& log, events::Keyring& keyring, RebuildOptions const& options,
                      std::vector<std::string> const& names,
                      std::function<void(RebuildProgress const&)> const& progress,
                      std::span<ProjectionType const> projections = registry());

}  // namespace workforce::projections
