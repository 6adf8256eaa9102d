// A thread a partition: step, publish, wait, and start over when database or log come back.
#include "projections/engine/runner.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/allocator.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/session_watch.hpp"
#include "projections/engine/partition_folder.hpp"

namespace workforce::projections {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How long a thread waits for the log at a time: bounds the time that stop() takes.
constexpr milliseconds kSlice{100};
/// After so long without a sign the log is asked anyway.
constexpr milliseconds kWait{1000};
/// How often what an operator decided of a stopped projection is looked for.
constexpr milliseconds kLookAgain{500};
/// How often the head is asked for while there is much to catch up with.
constexpr milliseconds kHeadEvery{1000};
/// Keeps a log that was stopped, and so never makes anyone wait, from being asked in a tight loop.
constexpr milliseconds kIdlePause{2};
constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{2000};

}  // namespace

struct Runner::Impl final : core::SessionWatch::Guest {
    Impl(events::EventLog& source, events::Keyring& keys, RunnerOptions given, std::span<ProjectionType const> types)
        : log(source),
          keyring(keys),
          options(std::move(given)),
          projections(types),
          progress(log.partitions(), names_of(projections)),
          sessions(projector_session(options.connection, options.tables), options.connections,
                   core::SessionPurpose::folding),
          server(core::SessionWatch::of(options.connection.url)) {
        server->join(*this);
        for (int i = 0; i < log.partitions(); ++i) {
            workers.emplace_back();
            if (options.all) start(i);
        }
    }

    /// A partition's thread, if it has one. All but the thread itself is guarded by the mutex.
    struct Worker {
        bool wanted = false;
        bool running = false;  // the thread still uses what it folds with
        std::thread thread;
    };

    void start(int partition) {
        auto& worker = workers.at(static_cast<std::size_t>(partition));
        std::lock_guard const lock(mutex);
        if (stopping || worker.wanted) return;
        worker.wanted = true;
        if (worker.running) return;  // it has not noticed yet that it was to end
        if (worker.thread.joinable()) worker.thread.join();
        worker.running = true;
        progress.take(partition);
        worker.thread = std::thread([this, partition] { serve(partition); });
    }

    void end(int partition) {
        {
            std::lock_guard const lock(mutex);
            workers.at(static_cast<std::size_t>(partition)).wanted = false;
        }
        stopped.notify_all();
    }

    [[nodiscard]] bool runs(int partition) {
        std::lock_guard const lock(mutex);
        return workers.at(static_cast<std::size_t>(partition)).wanted;
    }

    void stop() {
        {
            std::lock_guard const lock(mutex);
            stopping = true;
            for (auto& worker : workers) worker.wanted = false;
        }
        stopped.notify_all();
        for (auto& worker : workers) {
            if (worker.thread.joinable()) worker.thread.join();
        }
        server->leave(*this);
    }

    [[nodiscard]] bool is_stopping() {
        std::lock_guard const lock(mutex);
        return stopping;
    }
    /// For the partition's thread: whether it is to end, which it then has to do at once.
    [[nodiscard]] bool ended(int partition) {
        std::lock_guard const lock(mutex);
        auto& worker = workers[static_cast<std::size_t>(partition)];
        if (worker.wanted) return false;
        worker.running = false;
        progress.leave(partition);
        return true;
    }
    void pause(int partition, milliseconds time) {
        std::unique_lock lock(mutex);
        stopped.wait_for(lock, time, [&] { return !workers[static_cast<std::size_t>(partition)].wanted; });
    }

    /// A thread's memory from one run_once() to the next.
    struct Pace {
        Clock::time_point loaded_at, head_at;
        std::uint64_t losses = 0;  ///< as they were before it loaded
    };

    /// A crash takes back what was committed last, rows and checkpoint; between the server's return and the partition's
    /// next load nobody may believe the positions of before. What happened while no session watched is not known.
    void opened(core::Connection& /*session*/, bool missed) override {
        if (missed) lose();
    }
    void ended() override {
        if (!is_stopping()) lose();
    }

    using core::SessionWatch::Guest::serve;
    void serve(int partition);
    void lose();
    [[nodiscard]] bool lost_since(Pace const& pace);
    void load(PartitionFolder& folder, int partition, bool first, Pace& pace);
    void publish(PartitionFolder const& folder, int partition, Pace const& pace);
    void run_once(PartitionFolder& folder, int partition, Pace& pace);
    void await_more(PartitionFolder& folder, int partition, bool after_batch);

    events::EventLog& log;
    events::Keyring& keyring;
    RunnerOptions const options;
    std::span<ProjectionType const> const projections;
    Progress progress;
    RunnerCounters counters;
    RowMemory rows{options.row_bytes};
    core::SessionPool sessions;
    std::shared_ptr<core::SessionWatch> const server;
    std::mutex losing;
    std::uint64_t losses = 0;  // times that the database went away, guarded by losing
    std::mutex mutex;
    std::condition_variable stopped;
    bool stopping = false;
    std::deque<Worker> workers;
};

void Runner::Impl::serve(int partition) {
    PartitionFolder folder(log, keyring, sessions, projections, partition, {options.batch_records, options.batch_bytes},
                           rows);
    bool first = true;
    bool loaded = false;
    bool told = false;  // of its trouble
    auto pause_time = kFirstPause;
    Pace pace;
    while (!ended(partition)) {
        try {
            if (!loaded || lost_since(pace)) {
                load(folder, partition, first, pace);
                first = false;
                loaded = true;
            }
            run_once(folder, partition, pace);
            pause_time = kFirstPause;
            told = false;
        } catch (std::exception const& error) {
            if (!runs(partition)) continue;
            loaded = false;  // the server may have lost the last transactions
            ++counters.interruptions;
            if (folder.oldest_waiting()) {
                progress.note_waiting(partition, folder.oldest_waiting());
                progress.note_event(partition, folder.position() + 1);
            }
            auto const level = core::quiet_while_away(core::Level::warn);
            if (!told) {
                core::log(level, "a partition's projections can't go on for now",
                          {{"partition", partition}, {"error", error.what()}});
            }
            told = level != core::Level::debug;
            pause(partition, pause_time);
            pause_time = std::min(2 * pause_time, kLongestPause);
        }
    }
}

bool Runner::Impl::lost_since(Pace const& pace) {
    std::lock_guard const lock(losing);
    return pace.losses != losses;
}

void Runner::Impl::load(PartitionFolder& folder, int partition, bool first, Pace& pace) {
    {
        std::lock_guard const lock(losing);
        pace.losses = losses;
    }
    folder.load(first);
    pace.loaded_at = Clock::now();
    publish(folder, partition, pace);
}

void Runner::Impl::publish(PartitionFolder const& folder, int partition, Pace const& pace) {
    std::lock_guard const lock(losing);
    if (pace.losses == losses) progress.set(partition, folder.standings());
}

void Runner::Impl::lose() {
    std::lock_guard const lock(losing);
    ++losses;
    for (int i = 0; i < log.partitions(); ++i) progress.lose(i);
}

void Runner::Impl::run_once(PartitionFolder& folder, int partition, Pace& pace) {
    if (folder.any_stopped() && Clock::now() >= pace.loaded_at + kLookAgain) load(folder, partition, false, pace);
    auto const result = folder.step();
    switch (result.kind) {
        case StepResult::Kind::folded: {
            publish(folder, partition, pace);
            if (options.on_folded) options.on_folded();
            counters.events += result.records;
            ++counters.batches;
            counters.poisoned += result.poisoned;
            bool const more = result.records >= options.batch_records / 2;  // else the next step finds the end
            progress.note_waiting(partition, more ? folder.last_time() : std::nullopt);
            if (!more) {
                if (options.pace.count() > 0) pause(partition, options.pace);
                await_more(folder, partition, true);
            } else if (Clock::now() >= pace.head_at + kHeadEvery) {
                pace.head_at = Clock::now();
                progress.note_head(partition, log.head(partition).position);
            }
            break;
        }
        case StepResult::Kind::lost_race:
            publish(folder, partition, pace);
            ++counters.lost_races;
            break;
        case StepResult::Kind::idle:
            progress.note_head(partition, folder.position());
            progress.note_waiting(partition, {});
            await_more(folder, partition, false);
            pause(partition, kIdlePause);
            break;
        case StepResult::Kind::stopped:
            progress.note_head(partition, log.head(partition).position);
            pause(partition, kLookAgain);
            break;
    }
}

/// Waits for the log without asking it: the next step does. Where a batch was folded before, and nothing comes for a
/// while, it gives back the memory that the batch took.
void Runner::Impl::await_more(PartitionFolder& folder, int partition, bool after_batch) {
    auto const until = Clock::now() + (folder.any_stopped() ? kLookAgain : kWait);
    auto const next = folder.position() + 1;
    for (auto begun = Clock::now(); begun < until && runs(partition); begun = Clock::now()) {
        log.wait(partition, next, kSlice);
        if (Clock::now() < begun + kSlice) return;
    }
    if (after_batch) core::release_unused_memory();
}

Runner::Runner(events::EventLog& log, events::Keyring& keyring, RunnerOptions options,
               std::span<ProjectionType const> projections)
    : impl_(std::make_unique<Impl>(log, keyring, std::move(options), projections)) {}

Runner::~Runner() { stop(); }

void Runner::stop() { impl_->stop(); }

void Runner::start(int partition) { impl_->start(partition); }
void Runner::end(int partition) { impl_->end(partition); }
bool Runner::runs(int partition) const { return impl_->runs(partition); }

Progress& Runner::progress() { return impl_->progress; }

RunnerCounters const& Runner::counters() const { return impl_->counters; }

RowMemory const& Runner::rows() const { return impl_->rows; }

}  // namespace workforce::projections
