// A thread a partition: step, publish, wait, and start over when database or log come back.
#include "projections/runner.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/logging.hpp"
#include "projections/partition_folder.hpp"

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
constexpr milliseconds kBreath{2};
constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{2000};

std::vector<std::string> names_of(std::span<ProjectionType const> projections) {
    std::vector<std::string> names;
    for (auto const& type : projections) names.emplace_back(type.name);
    return names;
}

}  // namespace

struct Runner::Impl {
    Impl(events::EventLog& log_, events::Keyring& keyring_, RunnerOptions options_,
         std::span<ProjectionType const> projections_)
        : log(log_),
          keyring(keyring_),
          options(std::move(options_)),
          projections(projections_),
          progress(log.partitions(), names_of(projections)),
          sessions(projector_session(options.connection), options.connections) {
        for (int i = 0; i < log.partitions(); ++i) threads.emplace_back([this, i] { serve(i); });
    }

    void stop() {
        {
            std::lock_guard const lock(mutex);
            stopping = true;
        }
        stopped.notify_all();
        for (auto& thread : threads) thread.join();
        threads.clear();
    }

    [[nodiscard]] bool is_stopping() {
        std::lock_guard const lock(mutex);
        return stopping;
    }
    void pause(milliseconds time) {
        std::unique_lock lock(mutex);
        stopped.wait_for(lock, time, [this] { return stopping; });
    }

    void serve(int partition);
    void turn(PartitionFolder& folder, int partition, Clock::time_point& loaded_at, Clock::time_point& head_at);
    void await_more(PartitionFolder& folder, int partition);

    events::EventLog& log;
    events::Keyring& keyring;
    RunnerOptions const options;
    std::span<ProjectionType const> const projections;
    Progress progress;
    RunnerCounters counters;
    core::SessionPool sessions;
    std::mutex mutex;
    std::condition_variable stopped;
    bool stopping = false;
    std::vector<std::thread> threads;
};

void Runner::Impl::serve(int partition) {
    auto const share = options.cache / static_cast<std::size_t>(std::max(1, log.partitions()));
    PartitionFolder folder(log, keyring, sessions, projections, partition,
                           {options.batch_records, options.batch_bytes, share});
    bool first = true;
    bool loaded = false;
    auto pause_time = kFirstPause;
    Clock::time_point loaded_at, head_at;
    while (!is_stopping()) {
        try {
            if (!loaded) {
                folder.load(first);
                progress.set(partition, folder.standings());
                first = false;
                loaded = true;
                loaded_at = Clock::now();
            }
            turn(folder, partition, loaded_at, head_at);
            pause_time = kFirstPause;
        } catch (std::exception const& error) {
            if (is_stopping()) return;
            loaded = false;  // the server may have lost the last transactions
            ++counters.interruptions;
            if (folder.oldest_waiting()) progress.note_waiting(partition, folder.oldest_waiting());
            if (pause_time == kFirstPause) {
                core::log(core::Level::warn, "a partition's projections can't go on for now",
                          {{"partition", partition}, {"error", error.what()}});
            }
            pause(pause_time);
            pause_time = std::min(2 * pause_time, kLongestPause);
        }
    }
}

void Runner::Impl::turn(PartitionFolder& folder, int partition, Clock::time_point& loaded_at,
                        Clock::time_point& head_at) {
    if (folder.any_stopped() && Clock::now() >= loaded_at + kLookAgain) {
        folder.load(false);
        progress.set(partition, folder.standings());
        loaded_at = Clock::now();
    }
    auto const result = folder.step();
    switch (result.kind) {
        case StepResult::Kind::folded: {
            progress.set(partition, folder.standings());
            counters.events += result.records;
            ++counters.batches;
            counters.poisoned += result.poisoned;
            bool const more = result.records >= options.batch_records / 2;  // else the next step finds the end
            progress.note_waiting(partition, more ? folder.last_time() : std::nullopt);
            if (!more) {
                await_more(folder, partition);
            } else if (Clock::now() >= head_at + kHeadEvery) {
                head_at = Clock::now();
                progress.note_head(partition, log.head(partition).position);
            }
            break;
        }
        case StepResult::Kind::lost_race:
            progress.set(partition, folder.standings());
            ++counters.lost_races;
            break;
        case StepResult::Kind::idle:
            progress.note_head(partition, folder.position());
            progress.note_waiting(partition, {});
            await_more(folder, partition);
            pause(kBreath);
            break;
        case StepResult::Kind::stopped:
            progress.note_head(partition, log.head(partition).position);
            pause(kLookAgain);
            break;
    }
}

/// Waits for the log without asking it: the next step does.
void Runner::Impl::await_more(PartitionFolder& folder, int partition) {
    auto const until = Clock::now() + (folder.any_stopped() ? kLookAgain : kWait);
    auto const next = folder.position() + 1;
    for (auto begun = Clock::now(); begun < until && !is_stopping(); begun = Clock::now()) {
        log.wait(partition, next, kSlice);
        if (Clock::now() < begun + kSlice) return;
    }
}

Runner::Runner(events::EventLog& log, events::Keyring& keyring, RunnerOptions options,
               std::span<ProjectionType const> projections)
    : impl_(std::make_unique<Impl>(log, keyring, std::move(options), projections)) {}

Runner::~Runner() { stop(); }

void Runner::stop() { impl_->stop(); }

Progress& Runner::progress() { return impl_->progress; }

RunnerCounters const& Runner::counters() const { return impl_->counters; }

}  // namespace workforce::projections
