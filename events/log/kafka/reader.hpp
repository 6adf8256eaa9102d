// Reading a partition from the middle: a consumer that folds as the tail does, and a pool of them for pages.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "events/log/kafka/partition.hpp"

namespace workforce::events::kafka {

/// Folds one partition from a mark on. Used by one thread at a time.
class Reader {
   public:
    Reader(ClientOptions const& options, Role role) : options_(options), client_(options, role) {}
    Reader(Reader const&) = delete;
    Reader& operator=(Reader const&) = delete;
    ~Reader() { stop(); }

    /// Begins, or begins anew elsewhere; at offset 0 when the mark turns out not to fit the topic. Errors:
    /// std::runtime_error.
    void aim(int partition, Mark const& mark);

    /// Folds the next records below offset `until` and appends what that makes certain; false when there are none.
    /// Blocks until there is something. Errors: LogUnavailable when nothing comes for the time-out, LogUnfit.
    bool advance(std::int64_t until, std::vector<Ruling>& rulings);

    [[nodiscard]] int partition() const { return partition_; }
    Arbiter& arbiter() { return arbiter_; }

   private:
    void stop();
    void take(rd_kafka_message_t const& message, std::vector<Ruling>& rulings);
    void on_error(rd_kafka_message_t const& message);
    void start_over();

    ClientOptions const& options_;
    Client client_;
    Queue queue_;
    int partition_ = -1;
    std::int64_t next_offset_ = 0;
    std::optional<Mark> unproved_;  // where it was aimed at, until that record was read
    Arbiter arbiter_;
    std::deque<Message> unread_;  // fetched, at or past the `until` of the last call
};

/// Readers for pages of records. A reader that comes back for the page after its last one finds its consumer where it
/// left it. Thread-safe.
class ReaderPool {
   public:
    /// Has at most `limit` consumers; more callers wait.
    ReaderPool(ClientOptions const& options, std::size_t limit) : options_(options), limit_(limit) {}

    /// As EventLog::read below offset `until`, where `mark` is at or before the record at `from`.
    std::vector<Record> read(int partition, std::int64_t from, Mark const& mark, std::int64_t until,
                             std::size_t max_records, std::size_t max_bytes);
    /// Lets consumers go that were not used for a while.
    void tidy();

   private:
    struct Slot {
        std::unique_ptr<Reader> reader;
        std::deque<Record> ready;  // records that count and were not handed out
        std::int64_t next = 0;     // position of the record that comes next
        bool busy = false;
        Clock::time_point used;
    };
    std::shared_ptr<Slot> take(int partition, std::int64_t from, Mark const& mark);
    void give_back(std::shared_ptr<Slot> const& slot, bool usable);

    ClientOptions const& options_;
    std::size_t const limit_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::shared_ptr<Slot>> slots_;
};

}  // namespace workforce::events::kafka
