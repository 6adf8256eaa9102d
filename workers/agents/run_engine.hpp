// Has runs of agents go on: claims their work, and asks for a turn of each, whichever process serves it.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string_view>

#include "core/database.hpp"
#include "core/metrics.hpp"
#include "workers/agents/run_work.hpp"
#include "workers/engine/reactor.hpp"
#include "workers/engine/work_loop.hpp"

namespace workforce::workers {

/// What the engine works with; all of it outlives it.
struct RunEngineParts {
    core::Database& writes;  ///< sessions of role workforce_writer
    AskOperation ask;
};

/// Counts of the engine's work since its start.
struct RunEngineStats {
    std::atomic<std::uint64_t> turns{0};
    std::atomic<std::uint64_t> steps{0};     ///< calls that were made in them
    std::atomic<std::uint64_t> failures{0};  ///< turns of which nothing is known
};

/// The engine of a process. Its coroutines run on one executor of one thread, which run() is started on. A turn that is
/// asked for twice is worked on once.
class RunEngine {
   public:
    explicit RunEngine(RunEngineParts parts) : parts_(std::move(parts)) {}
    RunEngine(RunEngine const&) = delete;
    RunEngine& operator=(RunEngine const&) = delete;
    ~RunEngine() = default;

    /// Works until stop(); returns once nothing is under way, within some seconds.
    boost::asio::awaitable<void> run();
    /// Something may be due. To be called on run()'s executor, as the next.
    void look_soon() { loop_.look_soon(); }
    void stop() { loop_.stop(); }

    [[nodiscard]] RunEngineStats const& stats() const { return stats_; }
    /// Turns that are asked for.
    [[nodiscard]] std::int64_t under_way() const { return loop_.under_way(); }

   private:
    boost::asio::awaitable<bool> look();
    boost::asio::awaitable<void> advance(RunTask task);
    boost::asio::awaitable<void> settle(RunTask const& task, std::string_view end);

    RunEngineParts const parts_;
    WorkLoop loop_{"runs of agents could not be looked for"};
    RunEngineStats stats_;
};

/// Shows what the engine, which outlives the metrics' last rendering, did and does.
void export_runs(core::Metrics& metrics, RunEngine const& engine);
/// Shows what waits for workers.
void export_backlog(core::Metrics& metrics, RunBacklog const& backlog);

}  // namespace workforce::workers
