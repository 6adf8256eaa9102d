// What the writer of a partition holds in memory, dropped whole on doubt: the organizations at home there and the
// answers given of late, as far as they were folded from the log, looked up, and not evicted.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "commands/engine/state_store.hpp"
#include "commands/engine/submission.hpp"
#include "events/log/log.hpp"

namespace workforce::commands {

/// The answer to a keyed command, for retries.
struct StoredAnswer {
    std::string fingerprint;
    Timestamp time;
    Reply reply;
    std::string sealed_for;  ///< whose key seals it in the log
    bool erased = false;     ///< with that key: what it said is gone
    std::int64_t position = -1;
};

/// When the oldest answer was given that is still told to retries.
Timestamp oldest_that_counts(Timestamp now);
/// Whether an answer given then is.
inline bool answer_counts(Timestamp given, Timestamp now) { return given >= oldest_that_counts(now); }

/// The stored answer that an event tells of, or nothing.
std::optional<StoredAnswer> answer_of(events::Event const& event, int partition);

/// Bytes for each residence, under the kind that aggregates are resident as.
class KindBytes {
   public:
    std::size_t& operator[](events::Kind kind) { return bytes_[static_cast<std::size_t>(resident_kind(kind))]; }
    std::size_t operator[](events::Kind kind) const { return bytes_[static_cast<std::size_t>(resident_kind(kind))]; }

   private:
    std::array<std::size_t, events::kKinds> bytes_{};
};

/// Whatever is not in memory had its last event at or before the position up to which its residence was evicted, so
/// that a row that was folded as far as that shows it as it is. Not thread-safe.
class Memory {
   public:
    Timestamp begun;  ///< when folding began
    Timestamp last_time;
    events::Head head;

    /// A memory that lacks everything up to these positions; at kNowhere, nothing.
    explicit Memory(Positions const& evicted = kNowhere);
    Memory(Memory const&) = delete;
    Memory(Memory&&) noexcept = default;
    Memory& operator=(Memory const&) = delete;
    Memory& operator=(Memory&&) noexcept = default;
    ~Memory() = default;

    /// The organization, made where nothing of it is here yet.
    OrganizationState& organization(Id id);
    [[nodiscard]] OrganizationState const* find(Id id) const;

    /// Folds an event of an aggregate. Whatever came before it is here.
    void apply(events::Event const& event);
    /// What must be here before those of the events that are not past can be applied, and is not.
    [[nodiscard]] Needs lacked_by(std::vector<events::Event> const& events) const;
    /// Whether the event shows already in what is here, or in what is stored for when it is needed.
    [[nodiscard]] bool is_past(events::Event const& event) const;
    /// Notes an event that is past: its organization is not all here if what it is of is not.
    void note_past(events::Event const& event);
    /// Takes in what was looked up; what is here already stands. Errors: StoreBehind for a row that lacks an event and
    /// is of what is not here.
    void add(Found found);

    void keep_answer(std::string const& key, StoredAnswer answer);
    /// One that was looked up: it stays till end_batch().
    void show_answer(std::string const& key, StoredAnswer answer) {
        shown_answers_.insert_or_assign(key, std::move(answer));
    }
    [[nodiscard]] StoredAnswer* find_answer(std::string const& key);
    /// Whether find_answer() tells all there is to know at that moment, for one who looked among the stored answers up
    /// to the position `looked_through` and found none.
    [[nodiscard]] bool knows_answer(Need const& answer, std::int64_t looked_through, Timestamp now) const;
    void forget_old_answers(Timestamp now);
    /// Forgets what answers said that tell of the person.
    void erase_answers(std::string const& person);

    /// What was looked up and is not there; of the batch in hand.
    [[nodiscard]] Needs const& absent() const { return absent_; }
    void note_absent(Needs const& needs);
    /// Reservations that were asked for and that somebody else has; of the batch in hand.
    [[nodiscard]] Needs const& taken() const { return taken_; }
    void note_taken(Need need) { taken_.insert(std::move(need)); }
    /// What was reserved is to be asked for again.
    void forget_reservation(Need const& need) { absent_.erase(need); }
    void end_batch();

    /// How much of the queue one call looks at: some of it, so that it may take several calls, or all.
    enum class Sweep : std::uint8_t { some, all };
    /// Evicts what was not used of late, as far as it is stored up to `through`, until at most so many bytes of
    /// aggregates and of answers are left or nothing more can be evicted for now. Returns how many aggregates were.
    std::size_t evict(Positions const& through, std::size_t bytes, std::size_t answer_bytes, Sweep sweep = Sweep::some);

    /// Bytes of what can't be evicted, for it is not stored up to `through` yet: of the aggregates of each residence,
    /// of answers under `command`. Looks at every row.
    [[nodiscard]] KindBytes unstored(Positions const& through) const;

    [[nodiscard]] Positions const& evicted() const { return evicted_; }
    /// Rows, and keys of indexes that were looked up.
    [[nodiscard]] std::size_t aggregates() const { return aggregates_; }
    /// What these take.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Whether the organization has more of these bytes than organizations have on average.
    [[nodiscard]] bool holds_much(Id organization) const;
    [[nodiscard]] std::size_t answers() const { return answers_.size(); }
    [[nodiscard]] std::size_t answer_bytes() const { return answer_bytes_; }
    /// Until then there are answers that count and that memory lacks; 0: it lacks none.
    [[nodiscard]] Timestamp answers_lack_until() const;
    /// An answer of that time or an older one is not here.
    void note_answer_evicted(Timestamp time) { youngest_evicted_ = std::max(youngest_evicted_, time); }

   private:
    /// One thing that can be evicted: an aggregate, an organization with all that is resident with it, or what was
    /// looked up of a key of an index.
    struct Resident {
        events::Kind kind = events::Kind::organization;
        Id organization = 0;
        Id id = 0;
        std::unique_ptr<IndexKey> key{};  // of few: most are aggregates
    };
    enum class Verdict : std::uint8_t { used, unstored, evicted, absent };

    static std::size_t weight_of(OrganizationState const& state, Resident const& which);
    void enter(OrganizationState const& state, Resident which);
    /// Makes a change of the organization's state, and counts what it takes thereafter.
    template <class F>
    void recount(OrganizationState const& state, F change);
    template <class State>
    void add_rows(std::vector<Held<State>>& rows, std::int64_t through);
    std::set<Id> add_organizations(Found& found);
    Verdict try_evict(Resident const& which, Positions const& through);
    Verdict try_evict(OrganizationState& state, Resident const& which, Positions const& through);
    Verdict try_evict_organization(OrganizationState& state, Positions const& through);
    static Verdict try_evict_key(OrganizationState& state, IndexKey const& key);
    Verdict try_evict_row(OrganizationState& state, events::AggregateRef const& ref, Positions const& through);
    void note_evicted(events::Kind kind, std::int64_t position);
    void evict_answers(std::int64_t through, std::size_t bytes);
    void drop_oldest_answer();

    std::unordered_map<Id, OrganizationState> organizations_;
    std::vector<Id> made_;  // of the batch in hand; one that holds nothing at its end goes
    std::size_t aggregates_ = 0;
    std::size_t bytes_ = 0;
    Positions evicted_;
    std::deque<Resident> queue_;  // whose turn it is to be evicted, unless it was used since the last one
    std::unordered_map<std::string, StoredAnswer> answers_;
    std::deque<std::pair<std::int64_t, std::string>> answers_by_age_;  // position, key
    std::size_t answer_bytes_ = 0;
    Timestamp youngest_evicted_;  // time of the youngest answer that is not here; 0 where none is missing
    std::unordered_map<std::string, StoredAnswer> shown_answers_;
    Needs absent_;
    Needs taken_;
};

}  // namespace workforce::commands
