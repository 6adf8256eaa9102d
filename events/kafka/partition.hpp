// What a process knows of one partition as its tail folds it, and the operations that wait for what the tail reads.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/completion.hpp"
#include "events/kafka/arbiter.hpp"
#include "events/kafka/producer.hpp"
#include "events/partition_tail.hpp"

namespace workforce::events::kafka {

using Clock = std::chrono::steady_clock;

/// A place between two records at which no command is incomplete: where a reader may begin to fold.
struct Mark {
    std::int64_t offset = 0;  ///< of the record that comes next
    std::int64_t epoch = 0;
    Head head;
};

/// How an operation ended.
struct Outcome {
    enum class Kind : std::uint8_t { done, fenced, unknown };
    Kind kind = Kind::unknown;
    std::int64_t epoch = 0;  ///< of the claim that took effect, or of the one that fenced
    Head head;               ///< where a claim took effect
};
using Complete = core::Completion<Outcome>;

/// Thread-safe. The tail's thread feeds it; operations are registered before their records are sent. They succeed once
/// the tail has read those as counting and the brokers have reported all of them as delivered: a record can be read,
/// yet refused to its writer, while fewer replicas than the topic asks for have it. They end otherwise when the tail
/// read what decides so, when a report is bad, or by expire().
class Partition {
   public:
    Partition(int number, std::size_t tail_bytes, std::chrono::milliseconds timeout)
        : number_(number), timeout_(timeout), recent_(tail_bytes) {}

    // ---- the tail's side

    /// A record as it was read.
    struct Raw {
        std::int64_t offset = 0;
        std::string body;
    };
    /// The next records, in order.
    void fold(std::vector<Raw> records);
    /// The tail has read all there is below `offset`.
    void reached_end(std::int64_t offset);
    /// Ends the operations whose time is up.
    void expire(Clock::time_point now);
    /// The partition can't be read any more, for a reason of one line: all that waits ends, nothing begins.
    void break_off(std::string const& why);
    /// What stands in the tail's way at the moment; forgotten once it moves.
    void set_trouble(std::string why);
    /// The brokers have `records` more of an operation's records; 0: some were not delivered, or may not have been.
    void report(std::uint64_t operation, std::int64_t records);

    // ---- writers

    /// As EventLog::append, for a command that fits. `spare` is sent to when the claim was made elsewhere.
    void append(Claim const& claim, Head const& before, Head const& after, std::vector<std::string> const& bodies,
                std::shared_ptr<Producer> const& spare, Complete complete);
    /// Completes once the tail has been at the end.
    void arrive(Complete complete);
    /// Claims the next epoch, at least `least`; `make` gives the record of an epoch and nonce. `fenced`: another claim
    /// came first, try again.
    using MakeMarker = std::function<std::string(std::int64_t epoch, std::string const& nonce)>;
    void claim(std::int64_t least, MakeMarker const& make, std::shared_ptr<Producer> producer, Complete complete);
    /// Whether the epoch is still the current one, through a record like a claim's.
    void confirm(std::int64_t epoch, MakeMarker const& make, std::shared_ptr<Producer> const& spare, Complete complete);

    // ---- readers

    struct View {
        Head head;
        std::int64_t next_offset = 0;
        bool arrived = false;  ///< whether the tail has been at the end once
    };
    [[nodiscard]] View view() const;
    /// The last mark before the record at `position`.
    [[nodiscard]] Mark mark_before(std::int64_t position) const;
    /// Blocks until the tail is past `offset`. Errors: LogUnavailable when it does not move for the time-out.
    void await_offset(std::int64_t offset);
    /// Throws LogUnfit when the partition is broken off.
    void require_whole() const;
    /// Why it does not go on, for people.
    [[nodiscard]] std::string trouble() const;
    PartitionTail& recent() { return recent_; }

    /// Ends all operations, with `unknown`.
    void abandon();

   private:
    struct Append {
        std::uint64_t id = 0;
        std::int64_t epoch = 0;
        std::int64_t first = 0;
        Head after;
        std::int64_t undelivered = 0;  // records
        bool read = false;             // all of them, as counting
        Clock::time_point deadline;
        Complete complete;
    };
    /// A claim or confirmation under way.
    struct Marker {
        std::uint64_t id = 0;
        RecordType type = RecordType::claim;
        std::int64_t epoch = 0;
        std::string nonce;
        Clock::time_point began;
        std::shared_ptr<Producer> producer;
        bool delivered = false;
        std::optional<Outcome> read;  // how it ends once it is delivered
        Complete complete;
    };
    /// The last claim that this process won.
    struct Tenure {
        std::int64_t epoch = -1;
        std::shared_ptr<Producer> producer;
        bool doubtful = false;  // nothing may be appended under it any more
    };

    void rule(Ruling& ruling, std::vector<std::string>& counted);
    void on_event(Ruling& ruling, std::vector<std::string>& counted);
    void on_claim(Ruling const& ruling);
    void on_void(Ruling const& ruling);
    void end_marker(Ruling const& ruling, RecordType type, Outcome::Kind kind);
    void finish(std::vector<Marker>::iterator marker);
    void finish_appends();
    void fail(std::uint64_t operation);
    void doubt(std::int64_t epoch);
    void send_marker(Marker marker, MakeMarker const& make);
    void remember(std::int64_t next_offset);
    void note(Ruling const& ruling);
    [[nodiscard]] Clock::time_point patience(Clock::time_point began) const;

    int const number_;
    std::chrono::milliseconds const timeout_;
    PartitionTail recent_;

    mutable std::mutex mutex_;
    std::condition_variable moved_;
    Arbiter arbiter_;
    std::int64_t next_offset_ = 0;
    bool arrived_ = false;
    Clock::time_point progress_;  // when the tail last moved
    std::string broken_;
    std::string trouble_;
    std::vector<Mark> marks_{Mark{}};
    std::array<std::int64_t, kVoidReasons> voids_{};      // void records read, by reason
    std::array<std::int64_t, kVoidReasons> next_note_{};  // the count at which the next line is due

    std::uint64_t last_id_ = 0;
    std::int64_t tried_epoch_ = 0;  // the highest that this process has tried to claim
    Tenure tenure_;
    std::deque<Append> appends_;
    std::vector<Marker> markers_;
    std::vector<std::pair<Clock::time_point, Complete>> arrivals_;
};

}  // namespace workforce::events::kafka
