// Decides commands on a partition's memory, and stages what they lead to for one append: events that are folded,
// chained and encoded, and answers.
#pragma once

#include "commands/engine/command_queue.hpp"
#include "commands/engine/memory_budget.hpp"

namespace workforce::commands {

/// What one append carries, and who waits for it.
struct Staged {
    struct Answer {
        Pending pending;
        Reply reply;
    };
    Timestamp now;           ///< of all that it holds, unless the log's last event is later
    std::int64_t epoch = 0;  ///< of the claim to append under
    events::Head before;
    events::Head after;
    std::uint64_t key_conflicts = 0;  ///< the keyring's count before anything was sealed
    std::vector<std::string> bodies{};
    std::vector<Answer> answers{};
    std::size_t bytes = 0;
    events::SecretEnds ends{};  ///< of API keys and accounts
    Reserved unused{};          ///< by the command staged last, which is not to have it
};

/// Not thread-safe. All functions may find that memory lacks something, and throw NotResident: nothing has changed
/// then.
class Stager {
   public:
    /// All that is referred to outlives this.
    Stager(int partition, PartitionContext const& context, Memory& memory, MemoryBudget& budget)
        : number_(partition), context_(context), memory_(memory), budget_(budget) {}

    /// Decides one command and stages its events and answer. `pending` is moved from only when its answer is staged.
    /// Errors: std::exception, after which memory can't be trusted any more.
    void stage(Pending& pending, Staged& staged);
    /// Decides for the needs alone, ahead of the command's turn: whatever else comes of it is not what it will be then.
    /// Adds what can be told already. Throws nothing.
    void add_needs_of(Submission& submission, Timestamp now, Needs& needs);

   private:
    [[nodiscard]] View view_of(Submission const& submission);
    /// Whose key seals an answer of the submission that tells of no person.
    [[nodiscard]] std::string answer_key_of(Submission const& submission) const;
    /// Has the keys at hand that the events and the answer are sealed with, before anything is sealed.
    void require_keys(Submission const& submission, View const& view, std::vector<NewEvent> const& events) const;
    /// Whether the persons whom the events and the answer to be kept are about can still have something sealed.
    [[nodiscard]] bool can_seal(Submission const& submission, View const& view,
                                std::vector<NewEvent> const& events) const;
    /// The answer that needs no decision: a revoked key's, or the one that this request was given before.
    [[nodiscard]] std::optional<Reply> known_answer(Submission const& submission, View const& view);
    Reply decide_now(Submission const& submission, View const& view, std::vector<events::Event>& events);
    /// Applies what was decided and renders the answer. From here on there is no way back.
    Rendered evolve(Submission const& submission, View const& view, Decision const& decision,
                    std::vector<events::Event>& events);
    /// Takes a place in the log.
    void add_event(Submission const& submission, NewEvent event, std::int64_t seq, std::vector<events::Event>& events);
    /// Keeps the reply, with that body, for retries.
    void add_answer(Submission const& submission, Reply const& reply, std::string body, events::AggregateRef subject,
                    std::vector<events::Event>& events);
    void encode(std::vector<events::Event>& events, Staged& staged);

    int const number_;
    PartitionContext const& context_;
    Memory& memory_;
    MemoryBudget& budget_;
};

}  // namespace workforce::commands
