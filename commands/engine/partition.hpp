// The single writer of one partition: takes its commands one after another, decides them on state in memory, appends
// what they lead to in groups, and answers once the log has acknowledged.
//
// No answer that depended on the partition's state leaves before every batch that it saw is durable and the claim was
// confirmed after the decision. On any doubt all memory is dropped and the partition is claimed and folded anew.
//
// Where several processes share the partitions, one that is not served here refuses commands at once.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <unordered_map>

#include "commands/engine/answer_key.hpp"
#include "commands/engine/memory.hpp"
#include "commands/engine/reservations.hpp"
#include "commands/engine/submission.hpp"
#include "core/checked_clock.hpp"
#include "core/completion.hpp"
#include "core/fair_queue.hpp"
#include "core/log_throttle.hpp"
#include "core/metrics.hpp"
#include "events/codec.hpp"
#include "events/log/log.hpp"

namespace workforce::commands {

/// What partitions share. All referenced objects outlive them.
struct PartitionContext {
    events::EventLog& log;
    events::Encoder const& encoder;
    events::Keyring& keyring;
    core::CheckedClock const& clock;    ///< tells the events' times; while it is not to be believed nothing is decided
    boost::asio::thread_pool& folding;  ///< for take-overs, which may take long
    boost::asio::thread_pool& storing;  ///< for storing keys, which commands wait for
    boost::asio::thread_pool& loading;  ///< for look-ups
    StateStore* store = nullptr;        ///< where to find what is not in memory; null: all is kept there
    Reservations* reservations = nullptr;  ///< null: a command that reserves fails
    MemoryLimits limits{};                 ///< of the process
    MemoryUse& use;                        ///< by the partitions that share these limits
    std::string owner;                     ///< names this process to people
    /// Whether this process may claim a partition that it lost, asked at that moment; may throw. Empty: the process
    /// serves every partition from the start and claims it whenever a command needs it.
    std::function<boost::asio::awaitable<bool>(int partition)> may_claim{};
    /// Asked before each claim and after it, before anything comes of it: throws when the log is not to be written.
    /// Where nobody else does, it compares the clock.
    std::function<boost::asio::awaitable<void>()> require_writable{};
    AnswerKeyUse answer_keys{};
    std::size_t queue_limit = 4096;  ///< commands that may wait; more get 503
    std::size_t batch_limit = 512;   ///< commands decided for one append
};

/// Counters of a partition, readable from any thread.
struct PartitionStats {
    std::atomic<std::uint64_t> queued_ever{0};
    std::atomic<std::uint64_t> commands{0};
    std::atomic<std::uint64_t> events{0};
    std::atomic<std::uint64_t> appends{0};
    std::atomic<std::uint64_t> faults{0};  ///< appends fenced or of unknown outcome
    core::Latency append_seconds;          ///< of appends to the log, whatever their outcome
    std::atomic<std::uint64_t> claims{0};
    std::atomic<std::size_t> queued{0};
    std::atomic<std::int64_t> epoch{0};
    std::atomic<std::int64_t> head{-1};
    std::atomic<std::int64_t> base{-1};        ///< position from which on the log was folded at the last take-over
    std::atomic<std::size_t> aggregates{0};    ///< in memory
    std::atomic<std::size_t> bytes{0};         ///< that these take
    std::atomic<std::uint64_t> refused{0};     ///< commands, since the start, for want of memory
    std::atomic<std::size_t> answers{0};       ///< in memory
    std::atomic<std::uint64_t> evicted{0};     ///< aggregates, since the start
    std::atomic<std::uint64_t> looked_up{0};   ///< things that were looked up, found or not
    std::atomic<std::int64_t> lacks_until{0};  ///< milliseconds: until then an answer may have to be looked up; 0: none
};

/// A take-over ended because the partition is to be given up.
struct Abandoned : std::runtime_error {
    Abandoned() : std::runtime_error("the partition is given up") {}
};

/// One partition's writer. `submit` may be called from any thread; all else runs on the executor given, which must be
/// served by one thread.
class Partition {
   public:
    Partition(int number, PartitionContext context, boost::asio::any_io_executor executor);
    Partition(Partition const&) = delete;
    Partition& operator=(Partition const&) = delete;
    ~Partition();

    /// Queues a command; the completion gets its reply. Refuses at once what can't be queued: 503 for a partition that
    /// is not served here, too, 409 for a key in progress.
    void submit(Submission submission, core::Completion<Reply> done);

    /// Claims the partition and folds it, then takes commands. Nothing is done where that was so already.
    /// Errors: events::LogUnavailable, events::UnknownEvent, events::DamagedEvent; Abandoned when release() came.
    boost::asio::awaitable<void> acquire();

    /// Takes no further commands, answers those that wait, and forgets claim and memory. Ends an acquire() under way.
    boost::asio::awaitable<void> release();

    /// Evicts what memory holds beyond its limits, unless commands are being decided, which do that too.
    boost::asio::awaitable<void> tidy();

    /// What has to be looked for among the stored answers before the command is submitted, or nothing. Any thread.
    [[nodiscard]] std::optional<Need> answer_to_look_up(Submission const& submission) const;

    /// Whether it takes commands. Any thread.
    [[nodiscard]] bool served() const { return open_; }
    /// Why it can't be served though this process is to, or nothing. Any thread.
    [[nodiscard]] std::optional<std::string> fault() const;

    [[nodiscard]] PartitionStats const& stats() const { return stats_; }
    [[nodiscard]] int number() const { return number_; }

   private:
    struct Pending {
        Submission submission;
        core::Completion<Reply> done;
        std::string command{};         // that its reservations name; empty while there are none
        std::vector<Need> reserved{};  // taken for it, to be released unless it appends
        [[nodiscard]] core::Lane lane() const { return {submission.context.organization, submission.context.sandbox}; }
    };
    struct Answer {
        Pending pending;
        Reply reply;
    };
    /// What one append carries, and who waits for it.
    struct Staged {
        Timestamp now;  ///< of all that it holds, unless the log's last event is later
        events::Head before;
        events::Head after;
        std::vector<std::string> bodies;
        std::vector<Answer> answers;
        std::size_t bytes = 0;
        std::uint64_t key_conflicts = 0;  ///< the keyring's count before anything was sealed
        events::SecretEnds ends{};        ///< of API keys and accounts
        std::vector<Need> unused{};       ///< reserved for the command staged last, which is not to have it
    };
    /// Why a command can't be queued, or nothing. Takes note of its idempotency key. The caller holds the lock.
    std::optional<core::Problem> admit(Submission const& submission);
    /// Waits for the exclusive right to claim and memory, which one of drain, acquire and release has at a time.
    boost::asio::awaitable<void> enter();
    /// Starts a drain with the caller's right; at its end the drain hands it on to who waits in enter().
    void spawn_drain();
    /// Decides and appends until the queue is empty.
    boost::asio::awaitable<void> drain();
    std::vector<Pending> take_batch();
    /// Stages the commands one after another, and looks up what they need. False: the state can't be trusted any more;
    /// all that are not answered wait again.
    boost::asio::awaitable<bool> stage_batch(std::vector<Pending>& batch, Staged& staged);
    /// Puts back what did not fit into the batch, ahead of what came since.
    void put_back(std::vector<Pending>& batch, std::size_t from);
    /// Why the batch can't be decided, or nothing once the partition is claimed.
    boost::asio::awaitable<std::optional<core::Problem>> ensure_claimed();
    /// Claims and folds. Errors: as acquire.
    boost::asio::awaitable<void> take_over();
    /// Notes why the partition can't be folded, and closes it where it has to be acquired before the next try.
    void note_fault(std::string fault);
    /// Takes no further commands.
    void close();
    /// Why no command is taken while it is closed.
    [[nodiscard]] core::Problem not_served() const;
    void forget_all();
    /// Decides one command and stages its events and answer.
    /// `pending` is moved from only when its answer is staged; an exception leaves it to the caller.
    void stage(Pending& pending, Staged& staged);
    Reply decide_now(Submission& submission, View const& view, std::vector<events::Event>& events);
    static Result<Decision> decide_safely(Submission const& submission, View const& view);
    [[nodiscard]] View view_of(Submission const& submission);
    /// Whose key seals an answer of the submission that tells of no person.
    [[nodiscard]] std::string answer_key_of(Submission const& submission) const;
    /// Has the keys at hand that the events and the answer are sealed with, before anything is sealed.
    /// Throws NotResident.
    void require_keys(Submission const& submission, View const& view, std::vector<NewEvent> const& events) const;
    /// The refusal of events of which one may not be written yet; nothing when all may.
    [[nodiscard]] std::optional<core::Problem> held_back(std::vector<NewEvent> const& events) const;
    /// Whether the persons whom the events and the answer to be kept are about can still have something sealed.
    [[nodiscard]] bool can_seal(Submission const& submission, View const& view,
                                std::vector<NewEvent> const& events) const;
    /// The answer that needs no decision: a revoked key's, or the one that this request was given before.
    [[nodiscard]] std::optional<Reply> known_answer(Submission const& submission, View const& view);
    /// Applies what was decided and renders the answer. From here on there is no way back.
    Rendered evolve(Submission const& submission, View const& view, Decision const& decision,
                    std::vector<events::Event>& events);

    // Memory and what it lacks: residency.cpp.

    enum class LookedUp : std::uint8_t {
        done,
        failed,   ///< what is stored of these needs can't be used
        nothing,  ///< nothing can be looked up now
    };

    /// Stages the command, or tells what it needs. Sets `broken` when the state can't be trusted any more.
    std::optional<Needs> try_stage(Pending& pending, Staged& staged, bool& broken);
    /// Looks up what the command needs, and what those behind it in the batch need that can be told already.
    boost::asio::awaitable<LookedUp> bring_in(std::span<Pending> batch, Timestamp now, Needs needs);
    boost::asio::awaitable<LookedUp> try_look_up(Pending& first, Needs needs, Timestamp now);
    /// What is reserved is so for `first`.
    boost::asio::awaitable<void> look_up(Pending& first, Needs needs, Timestamp now);
    /// Frees what was reserved for a command that appends nothing of it. Where that fails, settling frees it.
    boost::asio::awaitable<void> unreserve(std::string command, std::vector<Need> reserved);
    void add_needs_of(Submission& submission, Timestamp now, Needs& needs);
    enum class Bound : std::uint8_t {
        usual,
        further,  ///< a quarter more
    };
    /// Whether there is more in memory than there may be, even for a moment.
    [[nodiscard]] bool overflows(Bound bound = Bound::usual) const;
    /// Whether memory takes the events, and the answer of a command with a key. While it is full it takes from
    /// organizations that hold much of it only what leaves soon: of kinds of which little waits for its read model.
    [[nodiscard]] bool has_room(Submission const& submission, std::vector<NewEvent> const& events) const;
    /// Counts commands that are refused for want of memory, and says why they are.
    core::Problem refuse_for_memory(std::size_t commands);
    /// This partition's part of what the process may keep.
    [[nodiscard]] std::size_t share_of(std::size_t all) const;
    /// Whether another partition lately evicted for its own sake.
    [[nodiscard]] bool others_evict() const;
    struct Room {
        std::size_t keep;  ///< what a sweep leaves in memory
        std::size_t most;  ///< past that a sweep is worth its question
    };
    /// What the partition may keep of the process's limit: its share, or what the others leave while none of them
    /// evicts. An organization is kept whole, and one that is larger than a share would be read again for each command.
    [[nodiscard]] Room room(std::size_t limit, std::size_t used, std::size_t shown) const;
    [[nodiscard]] Room room_for_aggregates() const;
    [[nodiscard]] Room room_for_answers() const;
    enum class Sweep : std::uint8_t { when_worth_it, at_once };
    boost::asio::awaitable<void> sweep(Sweep how = Sweep::when_worth_it);
    void show_memory();
    /// Says once that some commands are refused for want of memory, and why, and once that they no longer are.
    boost::asio::awaitable<void> note_full(bool full);
    events::Event make_event(Submission const& submission, NewEvent event, std::int64_t seq) const;
    /// Takes a place in the log.
    void add_event(Submission const& submission, NewEvent event, std::int64_t seq, std::vector<events::Event>& events);
    void add_answer(Submission const& submission, Reply const& reply, events::AggregateRef subject,
                    std::vector<events::Event>& events);
    void encode(std::vector<events::Event>& events, Staged& staged);
    /// Makes the batch durable and what it revokes ineffective, or confirms the claim where there is nothing to append.
    /// Never throws.
    boost::asio::awaitable<tl::expected<void, events::AppendFault>> commit(Staged& staged);
    boost::asio::awaitable<tl::expected<void, events::AppendFault>> append(Staged& staged);
    boost::asio::awaitable<bool> store_new_keys();
    /// Does blocking work that commands wait for. False: it failed, and the log says what of.
    boost::asio::awaitable<bool> store(std::function<void()> work, std::string_view failure);
    void finish(Pending& pending, Reply reply);
    void fail(std::vector<Pending> batch, core::Problem const& problem);
    /// Waits for the read models while they are far behind and come closer. Returns how far they are.
    boost::asio::awaitable<Positions> await_store();
    /// From where on the log has to be folded, of each residence. Blocks.
    Positions stored();
    void fold(events::Head const& until, Positions const& stored);
    void begin_at(std::int64_t base);
    void fold_page(std::int64_t last, events::SecretEnds& ends);
    Found find_whole(LookUp const& wanted);
    void fold_event(events::Event const& event);
    /// Evicts what was folded, and waits for read models that come closer while there is too much.
    void make_room();

    int const number_;
    PartitionContext const context_;
    boost::asio::any_io_executor const executor_;

    mutable std::mutex mutex_;  // guards what follows; never held while deciding
    core::FairQueue<Pending> queue_;
    std::unordered_map<std::string, std::string> in_flight_;  // idempotency key → fingerprint
    bool busy_ = false;                                       // someone has the right that enter() gives
    std::deque<core::Completion<bool>> entering_;
    std::string fault_;

    std::atomic<bool> open_;            // set and cleared under the lock
    std::atomic<bool> abandon_{false};  // ends a fold

    core::LogThrottle untaken_{"the partition can't be taken over"};
    core::LogThrottle unfound_{"the state that commands need could not be looked up"};
    std::optional<events::Claim> claim_;
    Memory memory_;
    std::chrono::steady_clock::time_point next_sweep_;
    std::int64_t evicted_at_ = 0;  // as the process was told
    std::size_t shown_bytes_ = 0;  // as the process counts them
    std::size_t shown_answer_bytes_ = 0;
    bool full_ = false;   // some commands are refused, since too little can be evicted from memory
    KindBytes unstored_;  // while it is full, as of the last sweep
    PartitionStats stats_;
};

/// Whether a refusal is kept for retries: what the state decided is; what the request alone decides, and what a moment
/// did, is computed again.
bool is_stored(Code code);

}  // namespace workforce::commands
