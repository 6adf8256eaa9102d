// The rule that says which records of a Kafka partition count: a fold that every reader makes alike.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/log.hpp"

namespace workforce::events::kafka {

/// What a record of a partition is by its own words.
enum class RecordType : std::uint8_t {
    event,
    claim,         ///< a take-over of the partition
    confirmation,  ///< a writer's question whether its epoch is still the current one; decides nothing
    ownership,     ///< which database the partition belongs to (events/log/kafka/ownership.hpp); decides nothing
    foreign,       ///< nothing that a writer of ours makes
};

/// A record's own words; refers to its bytes.
struct Words {
    RecordType type = RecordType::foreign;
    std::int64_t epoch = 0;
    std::int64_t position = -1;  ///< this and what follows: of an event
    std::string_view previous_hash;
    std::int32_t command_index = 0;
    std::int32_t command_count = 0;
};

/// Reads a record's bytes. Claims and confirmations begin with
/// `{"specversion":"1.0","type":"log.claimed","epoch":"…",` and the like, owner records with
/// `{"specversion":"1.0","type":"log.owned",`; for events see events/attributes.hpp.
Words words_of(std::string_view body);

/// Why a record does not count.
enum class VoidReason : std::uint8_t {
    foreign,
    old_epoch,
    unclaimed_epoch,
    other_position,
    broken_chain,
    broken_command,
    lost_claim,
    incomplete,
    far_claim,
};
inline constexpr std::size_t kVoidReasons = 9;

/// How far above the current epoch a claim may be: a record of a stranger with the highest number must not be the last
/// claim for ever. Claimants go up by one, or by one for each claim of theirs that came to nothing.
inline constexpr std::int64_t kMostEpochStep = 1'000'000;

/// The reason's name in metrics and log lines.
std::string_view to_string(VoidReason reason);
/// Whether every take-over may leave such records; others mean that something else writes to the partition.
bool is_ordinary(VoidReason reason);

/// What became certain about one record.
struct Ruling {
    enum class Kind : std::uint8_t {
        counts,    ///< an event of a command that is complete
        claims,    ///< a claim that took effect
        confirms,  ///< a confirmation, made when its epoch was the current one or not
        voided,
        owns,  ///< an owner record
    };
    Kind kind = Kind::counts;
    std::int64_t offset = 0;
    std::int64_t position = -1;  ///< the event's; of a claim the head's; of what is void what it says, -1 for nothing
    std::int64_t epoch = 0;
    std::string body;
    std::string hash;  ///< of an event that counts
    VoidReason reason = VoidReason::foreign;
    std::string fault;  ///< of what is void: why, for people
};

/// Folds the records of one partition in the order of their offsets.
///
/// An event counts exactly when its epoch is the current one, its position follows the record before, its previous hash
/// is the SHA-256 of that record's bytes, and it continues its command: i of n after i - 1 of n. A command counts once
/// its n of n is there. A claim counts when its epoch is above the current one, by kMostEpochStep at most, and voids
/// what was incomplete before it. All else is void and changes nothing.
class Arbiter {
   public:
    Arbiter() = default;
    /// Goes on where another one stood, at a place where no command was incomplete.
    Arbiter(std::int64_t epoch, Head head) : epoch_(epoch), head_(std::move(head)) {}

    /// Appends to `rulings` what the next record makes certain: about itself, or about the ones that waited for it.
    void fold(std::int64_t offset, std::string body, std::vector<Ruling>& rulings);
    /// Voids what is incomplete, where a reader wants no more than what there is.
    void end(std::vector<Ruling>& rulings);

    /// The current epoch: 0 before any claim.
    [[nodiscard]] std::int64_t epoch() const { return epoch_; }
    /// The last event that counts.
    [[nodiscard]] Head const& head() const { return head_; }
    /// Whether a command waits for its last events.
    [[nodiscard]] bool incomplete() const { return !waiting_.empty(); }

   private:
    void fold_event(std::int64_t offset, std::string body, Words const& words, std::vector<Ruling>& rulings);
    void fold_claim(std::int64_t offset, std::string body, Words const& words, std::vector<Ruling>& rulings);
    void drop_waiting(std::vector<Ruling>& rulings, std::string const& until);

    std::int64_t epoch_ = 0;
    Head head_;
    std::vector<Ruling> waiting_;  // of an incomplete command, in order
    std::int32_t command_count_ = 0;
};

}  // namespace workforce::events::kafka
