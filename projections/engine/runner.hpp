// Keeps the read models up with the log: a thread a partition folds what comes, all projections in one transaction.
// Processes can share the partitions; where two overlap for a moment, the checkpoints decide.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "events/keyring.hpp"
#include "events/log/log.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/engine/progress.hpp"
#include "projections/engine/projection.hpp"
#include "projections/registry.hpp"

namespace workforce::projections {

/// How the runner works.
struct RunnerOptions {
    /// Sessions for the folding; it sets role workforce_projector and synchronous_commit off itself (rows and
    /// checkpoint are one transaction, so a crash of the server loses both alike).
    core::ConnectionOptions connection{};
    std::size_t connections = 4;                     ///< sessions that the partitions share
    std::size_t batch_records = 2000;                ///< events a transaction at most
    std::size_t batch_bytes = std::size_t{4} << 20;  ///< and bytes of them
    std::size_t row_bytes = std::size_t{32} << 20;   ///< of rows that the projections remember together
    bool all = true;                                 ///< every partition from the start; else those given to start()
    std::chrono::milliseconds pace{0};               ///< of a partition's transactions, unless it is far behind
    Tables tables = Tables::live;
    std::function<void()> on_folded{};  ///< called by partitions' threads after what they committed; it must not throw
};

/// What the runner has done, for metrics; read at any time.
struct RunnerCounters {
    std::atomic<std::uint64_t> events{0};         ///< applied, counted once however many projections took them
    std::atomic<std::uint64_t> batches{0};        ///< transactions committed
    std::atomic<std::uint64_t> poisoned{0};       ///< stops
    std::atomic<std::uint64_t> lost_races{0};     ///< checkpoints that another process moved first
    std::atomic<std::uint64_t> interruptions{0};  ///< database or log away
};

/// The threads. Thread-safe.
class Runner {
   public:
    /// Log and keyring outlive the runner.
    Runner(events::EventLog& log, events::Keyring& keyring, RunnerOptions options,
           std::span<ProjectionType const> projections = registry());
    Runner(Runner const&) = delete;
    Runner& operator=(Runner const&) = delete;
    /// As stop().
    ~Runner();

    /// Folds the partition from now on. Nothing is done where that is so already.
    void start(int partition);
    /// Folds the partition no longer, after the batch in hand; does not wait for that.
    void end(int partition);
    /// Whether the partition is to be folded here: after start() and before end().
    [[nodiscard]] bool runs(int partition) const;

    /// Ends the threads after the batch in hand; a second call does nothing.
    void stop();

    [[nodiscard]] Progress& progress();
    [[nodiscard]] RunnerCounters const& counters() const;
    /// What the projections remember.
    [[nodiscard]] RowMemory const& rows() const;

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace workforce::projections
