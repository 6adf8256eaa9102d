// The rule of a partition's chain, applied entry by entry: what an auditor proves, and what a copy goes by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/attributes.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// The first record of a partition that is not as it was written.
struct ChainFault {
    std::int64_t position = 0;
    std::string what;  ///< "is missing …": what follows on "position 5"
};

/// A head that the chain has to pass through, and who says so ("the log's own head").
struct ExpectedHead {
    Head head;
    std::string source;
};

/// Checks one partition. Feed it every entry of a scan, then call finish(); stop feeding once there is a fault. Not
/// thread-safe.
///
/// What it proves: bodies are the bytes that their successors were chained to, positions run without a gap, each event
/// was written under the epoch of the claim before it, commands are whole. Void entries are no fault, but for one: a
/// record of the current epoch (or of one that nobody claimed) past the head, which does not merely begin a command
/// that was never finished. On an engine that applies the rule itself, that is what the records behind a changed or a
/// missing one look like.
class ChainCheck {
   public:
    /// From the beginning, or behind a record that is known to be good (its epoch, and heads that stand at or before it
    /// given).
    explicit ChainCheck(std::vector<ExpectedHead> expected, Head const& from = {}, std::int64_t epoch = 0);

    /// Takes the next entry. Returns where it stands if it is an event that fits.
    std::optional<Standing> take(LogEntry const& entry);
    /// Nothing follows.
    void finish();

    [[nodiscard]] std::optional<ChainFault> const& fault() const { return fault_; }
    [[nodiscard]] Head const& head() const { return head_; }
    [[nodiscard]] std::int64_t epoch() const { return epoch_; }
    [[nodiscard]] std::int64_t events() const { return events_; }
    [[nodiscard]] std::int64_t claims() const { return claims_; }
    [[nodiscard]] std::int64_t voided() const { return voided_; }

   private:
    void take_claim(LogEntry const& claim);
    void take_void(LogEntry const& entry);
    std::optional<Standing> take_event(LogEntry const& event);
    /// What contradicts the event's place beside its hash, or "".
    std::string misplaced(Standing const& record) const;
    /// Whether an expected head stands at `head`'s position: 1 and the hash is that, -1 and it is not, 0: none does.
    int confirmed(Head const& head);
    void blame(std::int64_t position, std::string what);
    /// Of two records that do not fit, where what follows does not tell which of them was changed.
    void blame_either(std::int64_t first);
    void blame_change(std::int64_t position, std::string const& expected);

    std::vector<ExpectedHead> expected_;  // by position
    std::size_t next_expected_ = 0;
    Head head_;
    std::int64_t epoch_ = 0;
    std::int64_t index_ = 0;  // of the last event within its command
    std::int64_t count_ = 0;
    Head unfinished_;  // the end of void records that go on from head_ with a command that is not whole
    std::int64_t unfinished_index_ = 0;
    std::optional<Head> unlinked_;      // a void record behind unfinished_ that is chained to other bytes
    std::string unlinked_to_;           // their hash
    std::optional<std::string> doubt_;  // the last record's prevhash, which is not the hash of the one before
    std::int64_t events_ = 0;
    std::int64_t claims_ = 0;
    std::int64_t voided_ = 0;
    std::optional<ChainFault> fault_;
};

/// The hash that the next record names: hexadecimal SHA-256 of the stored bytes.
std::string record_hash(std::string_view body);

}  // namespace workforce::events
