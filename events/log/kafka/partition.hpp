// What a process knows of one partition as its tail folds it, and the operations that wait for what the tail reads.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/completion.hpp"
#include "events/log/kafka/arbiter.hpp"
#include "events/log/kafka/marks.hpp"
#include "events/log/kafka/ownership.hpp"
#include "events/log/kafka/producer.hpp"
#include "events/log/partition_tail.hpp"

namespace workforce::events::kafka {

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
    /// With `tells_voids` it logs void records as it meets them, a flood of them in few lines. Breaks off once another
    /// database has taken the partition from `owner`.
    Partition(int number, std::size_t tail_bytes, std::chrono::milliseconds timeout, bool tells_voids = true,
              std::string topic = {}, Owner owner = {})
        : number_(number),
          timeout_(timeout),
          tells_voids_(tells_voids),
          topic_(std::move(topic)),
          owner_(std::move(owner)),
          recent_(tail_bytes) {}

    // ---- the tail's side

    /// Before anything is read: what is known of the partition from earlier. Readers are given its marks from here on,
    /// and the tail begins at the last one.
    void begin(std::vector<Mark> marks);
    /// The offset that the tail reads on from.
    [[nodiscard]] std::int64_t resume_offset() const;
    /// Whether the tail is at a mark and has not seen yet that it fits the topic.
    [[nodiscard]] bool unproved() const;
    /// The mark that the tail began at does not fit: forgets all marks, and begins at offset 0. Says so in a line.
    void start_over();

    /// A record as it was read.
    struct Raw {
        std::int64_t offset = 0;
        std::string body;
    };
    /// The next records, in order; those that were folded already are skipped. False when the mark that the tail began
    /// at does not fit.
    [[nodiscard]] bool fold(std::vector<Raw> records);
    /// The tail has read all there is below `offset`. False as for fold.
    [[nodiscard]] bool reached_end(std::int64_t offset);
    /// The end stood at `offset` when the tail began: it has been there once it is past it, before it is told so.
    void expect_end(std::int64_t offset);
    /// Marks that came since the last saved(), where this process writes the partition; they are to be kept.
    [[nodiscard]] std::vector<Mark> unsaved_marks() const;
    /// So many of them are kept.
    void saved(std::size_t marks);
    /// Ends the operations whose time is up.
    void expire(Clock::time_point now);
    /// The partition can't be read any more, for a reason of one line: all that waits ends, nothing begins.
    void break_off(std::string const& why);
    /// What stands in the tail's way at the moment; forgotten once it moves.
    void set_trouble(std::string why);
    /// The brokers have one more of an operation's records; or it was not delivered, or may not have been.
    void report(std::uint64_t operation, bool delivered);

    // ---- writers

    /// As EventLog::append, for a command that fits. `spare` is sent to when the claim was made elsewhere.
    void append(Claim const& claim, Head const& before, Head const& after, std::vector<Outgoing> records,
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
        bool arrived = false;                   ///< whether the tail has been at the end once
        std::optional<OwnerRecord> owner_seen;  ///< the last one that the tail has read
    };
    [[nodiscard]] View view() const;
    /// Blocks until begin() was called. Errors: LogUnavailable when that takes longer than the time-out.
    void await_begun();
    /// The last mark before the record at `position`.
    [[nodiscard]] Mark mark_before(std::int64_t position) const;
    /// Blocks until the tail is past `offset`. Errors: LogUnavailable when it does not move for the time-out.
    void await_offset(std::int64_t offset);
    /// Throws LogUnfit when the partition is broken off.
    void require_whole() const;
    /// Why it does not go on, for people.
    [[nodiscard]] std::string trouble() const;
    PartitionTail& recent() { return recent_; }
    /// Records that the tail has read and that do not count, by reason.
    [[nodiscard]] std::array<std::int64_t, kVoidReasons> voids() const;

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

    /// Whether the record is the one of the mark that the tail began at; goes on behind it.
    bool prove(Raw const& record);
    /// Ends all that waits, once `broken_` says why. Without the lock.
    void end_broken();
    void arrive_at_end();
    void rule(Ruling& ruling, std::vector<std::string>& counted);
    void on_event(Ruling& ruling, std::vector<std::string>& counted);
    void on_claim(Ruling const& ruling);
    void on_void(Ruling const& ruling);
    void on_owner(Ruling const& ruling);
    void end_marker(Ruling const& ruling, RecordType type, Outcome::Kind kind);
    void finish(std::vector<Marker>::iterator marker);
    void finish_appends();
    void fail(std::uint64_t operation);
    void doubt(std::int64_t epoch);
    void send_marker(Marker marker, MakeMarker const& make);
    void remember(Ruling const& ruling);
    void note(Ruling const& ruling);
    [[nodiscard]] Clock::time_point patience(Clock::time_point began) const;

    int const number_;
    std::chrono::milliseconds const timeout_;
    bool const tells_voids_;
    std::string const topic_;
    Owner const owner_;
    PartitionTail recent_;

    mutable std::mutex mutex_;
    std::condition_variable moved_;
    Arbiter arbiter_;
    std::int64_t next_offset_ = 0;
    bool begun_ = false;
    bool unproved_ = false;  // marks_.back() is where the tail begins, nothing was read yet
    std::int64_t goal_ = std::numeric_limits<std::int64_t>::max();
    bool arrived_ = false;
    Clock::time_point progress_;  // when the tail last moved
    std::string broken_;
    std::string trouble_;
    std::optional<OwnerRecord> owner_seen_;
    std::string taken_;  // why the partition is to be broken off: it is another database's now
    std::vector<Mark> marks_{Mark{}};
    std::size_t saved_ = 1;                               // so many of them need not be kept any more
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
