// Where usage rows wait until a thread of their own has written them.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/metrics.hpp"
#include "core/session_pool.hpp"
#include "operations/usage_meter.hpp"

namespace workforce::operations {

/// Writes usage rows in batches, some times a second: a process that is killed loses what came since. While the
/// database is away rows wait, up to a bound; what is more is dropped and counted, and so is a row that the database
/// refuses for what it says. Thread-safe.
class UsageLog {
   public:
    /// Rows that wait at most, those in hand not counted.
    static constexpr std::size_t kMostRows = 65'536;
    /// Rows that a batch has at most.
    static constexpr std::size_t kMostOfBatch = 5'000;
    /// How often they are written.
    static constexpr std::chrono::milliseconds kPause{200};
    /// Hears of each batch that was written, on the writing thread.
    using Written = std::function<void(std::vector<UsageRow> const& rows)>;

    /// The sessions are of role workforce_writer and outlive this; so do the metrics.
    UsageLog(core::SessionPool& sessions, core::Metrics& metrics, Written written = {});
    /// As stop().
    ~UsageLog();
    UsageLog(UsageLog const&) = delete;
    UsageLog& operator=(UsageLog const&) = delete;

    /// Keeps the row, or counts it as dropped. Takes no memory but where more rows wait than ever before.
    void add(UsageRow const& row) noexcept;
    /// Writes what waits and ends the thread; later rows are dropped. A second call does nothing.
    void stop();

    [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

   private:
    /// Threads rarely meet at a lock.
    struct alignas(64) Shard {
        std::mutex mutex;
        std::vector<UsageRow> rows;
    };
    static constexpr std::size_t kShards = 8;

    void run();
    /// Moves what waits to the batch in hand, as far as that has room.
    void take();
    /// Writes the batch in hand, once however often it is tried. False: it could not be.
    bool write() noexcept;
    /// Goes on with the first half of a batch that the database refused for its data; of one row, without it.
    void divide(std::string_view why);

    core::SessionPool& sessions_;
    Written const written_;
    std::array<Shard, kShards> shards_;
    std::atomic<std::size_t> waiting_{0};
    std::atomic<std::uint64_t> dropped_{0};
    std::atomic<std::uint64_t> rows_{0};
    std::atomic<std::uint64_t> failures_{0};
    std::atomic<bool> stopped_{false};
    std::vector<UsageRow> batch_;  // of the thread, as the next
    std::vector<UsageRow> later_;  // what divide() took from batches, and what comes before new rows
    std::int64_t batch_id_ = 0;    // 0: it has none yet
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;
};

}  // namespace workforce::operations
