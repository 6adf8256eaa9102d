// What a process knows of a partition's end: how far it reaches, and the last records that were appended here.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "events/log/log.hpp"

namespace workforce::events {

/// Bytes that the tail of each of so many partitions may keep: `most`, and 64 MiB all of them together.
std::size_t tail_limit(std::size_t partitions, std::size_t most);

/// Thread-safe. Holds one contiguous run of acknowledged records, so that readers in the writer's process need not ask
/// the log.
class PartitionTail {
   public:
    /// Keeps up to `limit` bytes of bodies.
    explicit PartitionTail(std::size_t limit) : limit_(limit) {}

    /// The log acknowledged bodies[i] at position first + i. Wakes those that wait.
    void appended(std::int64_t first, std::vector<std::string> bodies);
    /// Another end than the run's may count from now on: a claim, or an append of unknown outcome. Drops the run.
    void drop();
    /// The log reaches at least to `position`. Wakes those that wait.
    void seen(std::int64_t position);

    /// Records from `from` on within the limits of EventLog::read, or nothing when the run does not have `from`.
    [[nodiscard]] std::optional<std::vector<Record>> read(std::int64_t from, std::size_t max_records,
                                                          std::size_t max_bytes) const;
    /// As EventLog::wait.
    void wait(std::int64_t position, std::chrono::milliseconds timeout);
    /// Lets no one wait any more.
    void stop();

   private:
    [[nodiscard]] std::int64_t end() const { return first_ + static_cast<std::int64_t>(run_.size()); }

    std::size_t const limit_;
    mutable std::mutex mutex_;
    std::condition_variable moved_;
    std::deque<std::string> run_;
    std::int64_t first_ = 0;  // position of run_.front()
    std::size_t bytes_ = 0;
    std::int64_t seen_ = -1;
    bool stopped_ = false;
};

}  // namespace workforce::events
