// The event log: partitions of hash-chained records with one writer each. Engines implement EventLog; one contract
// suite tests them all.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace workforce::events {

/// The end of a partition: the last record's position (-1: empty) and hash (hex SHA-256; 64 zeros: empty).
struct Head {
    std::int64_t position = -1;
    std::string hash = std::string(64, '0');
    bool operator==(Head const&) const = default;
};

/// The right to append to a partition, for as long as nobody claims a higher epoch. `head` is where the log stood when
/// the claim took effect: all up to there is to be folded first.
struct Claim {
    int partition = 0;
    std::int64_t epoch = 0;
    Head head;
};

/// One stored record: the exact bytes that were appended.
struct Record {
    std::int64_t position = 0;
    std::string body;
};

/// What stands at a place of a partition, also what does not count.
struct LogEntry {
    enum class Kind : std::uint8_t {
        event,   ///< a record that counts
        claim,   ///< a take-over: what follows was written under its epoch
        voided,  ///< evidence of a writer that had lost the partition, or of damage; every reader skips it
    };
    Kind kind = Kind::event;
    std::int64_t offset = 0;    ///< where the engine keeps it, for people: Kafka's offset, else the position
    std::int64_t position = 0;  ///< of an event, of the last event before a claim (-1: none); -1 where it tells none
    std::int64_t epoch = 0;     ///< of a claim or of a voided record; 0 for an event, whose body tells it
    std::string text;           ///< the body, byte for byte; the owner of a claim
    std::string fault;          ///< why a voided record does not count
};

/// Reads a partition from one place to the end that it had when the scan began. Used by one thread at a time.
class LogScan {
   public:
    LogScan() = default;
    LogScan(LogScan const&) = delete;
    LogScan& operator=(LogScan const&) = delete;
    virtual ~LogScan() = default;

    /// The next entries, at most about `max_bytes` of them but one where there is one; none at the end. Blocks.
    /// Errors: LogUnavailable.
    virtual std::vector<LogEntry> next(std::size_t max_bytes) = 0;
};

/// Why an append did not succeed.
enum class AppendFault : std::uint8_t {
    fenced,  ///< another writer claimed the partition, or the head is not where the writer thinks: nothing was written
    too_large,  ///< a record over the engine's limit: nothing was written
    unknown,    ///< the log could not be reached, or died before it answered: written or not, only a new claim tells
};

/// The log can't be reached (reads and claims; appends report AppendFault::unknown).
struct LogUnavailable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The log is there but is not what this program needs or left (a topic with other settings, a head that went back).
/// The text is one line for the operator.
struct LogUnfit : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Whose signature counts in a log (events/log/mend.hpp).
struct LogKey {
    std::string installation;
    /// Ed25519, hexadecimal; the one in use first, then former ones. None: not known, so that no signature counts.
    std::vector<std::string> public_keys{};
};

/// The largest record that every engine takes, in bytes. The answer to the largest request (256 KiB, whose text may
/// come to three times as much in NFC) fits, sealed and in base64.
inline constexpr std::size_t kMaxRecordBytes = 3 << 19;

/// The servers of a log that has several.
struct Brokers {
    int known = 0;
    int up = 0;
    int blocked = 0;         ///< partitions that take no writes
    std::size_t queued = 0;  ///< records of this process that no broker has acknowledged
};

/// A partitioned, append-only log. All functions are thread-safe; awaitables resume on the caller's executor.
class EventLog {
   public:
    EventLog() = default;
    EventLog(EventLog const&) = delete;
    EventLog& operator=(EventLog const&) = delete;
    virtual ~EventLog() = default;

    /// Number of partitions, fixed when the log was made.
    [[nodiscard]] virtual int partitions() const = 0;

    /// Takes the partition over: every claim before this one is void from here on. Waits for an append in doubt.
    /// `owner` names the claimant for people. Errors: LogUnavailable.
    boost::asio::awaitable<Claim> claim(int partition, std::string owner) {
        return claim_from(partition, std::move(owner), 0);
    }
    /// As claim, with an epoch of at least `least_epoch`: what carries a log from one engine to the other keeps epochs.
    virtual boost::asio::awaitable<Claim> claim_from(int partition, std::string owner, std::int64_t least_epoch) = 0;

    /// Appends bodies[i] at position before.position + 1 + i, durable when it returns. `before` is the head that the
    /// writer chained onto, `after` the head once these are written. Bodies are encoded events (events/codec.hpp),
    /// whose attributes epoch, position, prevhash, cmdindex and cmdcount say where they stand. A command's events are
    /// written all or none; of several commands in one append a fault may leave the first ones written.
    virtual boost::asio::awaitable<tl::expected<void, AppendFault>> append(Claim const& claim, Head before, Head after,
                                                                           std::vector<std::string> bodies) = 0;

    /// Whether the claim still holds, asked of the log itself: `fenced` when not, `unknown` when it can't be asked.
    virtual boost::asio::awaitable<tl::expected<void, AppendFault>> confirm(Claim const& claim) = 0;

    /// Records from `from` on, in order and without gaps, at most `max_records` and about `max_bytes` (at least one
    /// record when there is one). Only records that count. Blocks the calling thread. Errors: LogUnavailable.
    virtual std::vector<Record> read(int partition, std::int64_t from, std::size_t max_records,
                                     std::size_t max_bytes) = 0;

    /// Returns once a record at or past `position` may exist, or after `timeout`, or when stopped. Blocks the calling
    /// thread; spurious returns are fine.
    virtual void wait(int partition, std::int64_t position, std::chrono::milliseconds timeout) = 0;

    /// Everything from the event at position `from` on, with the claims that stand before it; from 0: all there is.
    /// Blocks. Errors: LogUnavailable.
    virtual std::unique_ptr<LogScan> scan(int partition, std::int64_t from) = 0;

    /// The head of a partition. Blocks. Errors: LogUnavailable.
    virtual Head head(int partition) = 0;

    /// For how long the log has answered nothing that it was asked; zero when nothing is open. What is asked is
    /// small, asked by threads that the engine has anyway, about once a second, and perhaps only while this is called
    /// as often. Does not block.
    virtual std::chrono::milliseconds silence() = 0;

    /// Records that this process has read and skipped because they do not count, by why; only engines whose readers
    /// judge have any.
    [[nodiscard]] virtual std::map<std::string_view, std::int64_t> voids(int /*partition*/) const { return {}; }

    /// What is known of the brokers behind the log; nothing for an engine without any, and before they were asked.
    [[nodiscard]] virtual std::optional<Brokers> brokers() { return std::nullopt; }

    /// Wakes all that wait and lets no one wait again. Appends in flight finish.
    virtual void stop() = 0;

    /// Whose mends count, for all who read this log. Set before anybody reads.
    void set_key(LogKey key) { key_ = std::move(key); }
    [[nodiscard]] LogKey const& key() const { return key_; }

   private:
    LogKey key_;
};

}  // namespace workforce::events
