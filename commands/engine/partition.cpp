// The writer's loop: claim, stage, append, answer.
#include "commands/engine/partition.hpp"

#include <boost/asio/co_spawn.hpp>
#include <chrono>

#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/run_on.hpp"

namespace workforce::commands {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kAppendBytes = 4 << 20;  // past this an append takes no further command
constexpr std::size_t kRoundsAhead = 4;        // look-ups of a batch that ask for what all of the rest needs

core::Problem outcome_unknown() {
    return {Code::log_unavailable, "The outcome is unknown: retry with the same Idempotency-Key.", {}};
}
core::Problem unseen() {
    return {Code::service_unavailable, "The state that the command needs can't be looked up.", {}};
}
core::Problem expired() {
    return {Code::service_unavailable, "The command waited too long for its turn; nothing was changed.", {}};
}
core::Problem log_away() { return {Code::log_unavailable, "The event log can't be reached; nothing was changed.", {}}; }

/// Whether a take-over that failed so will fail again until log or read models are mended.
bool is_lasting(std::exception const& error) {
    return dynamic_cast<events::UnknownEvent const*>(&error) || dynamic_cast<events::DamagedEvent const*>(&error) ||
           dynamic_cast<StoreBehind const*>(&error);
}

}  // namespace

Partition::Partition(int number, PartitionContext context, boost::asio::any_io_executor executor)
    : number_(number),
      context_(std::move(context)),
      executor_(std::move(executor)),
      queue_(context_.queue_limit, !context_.may_claim, context_.clock, stats_),
      budget_(number, context_, memory_, stats_),
      stager_(number, context_, memory_, budget_),
      loader_(number, context_, memory_, stats_),
      take_over_(number, context_, memory_, budget_, stats_) {}

Partition::~Partition() = default;

void Partition::submit(Submission submission, core::Completion<Reply> done) {
    if (queue_.submit(std::move(submission), std::move(done))) spawn_drain();
}

void Partition::spawn_drain() {
    // What leaves drain is a fault that nobody can handle there: better a restart, which folds what is durable, than a
    // partition that stands still.
    boost::asio::co_spawn(executor_, drain(), [](std::exception_ptr const& fault) {
        if (fault) std::rethrow_exception(fault);
    });
}

boost::asio::awaitable<void> Partition::acquire() {
    co_await queue_.enter();
    std::exception_ptr fault;
    try {
        if (!claim_) co_await take_over();
        if (take_over_.abandoned()) throw Abandoned();
        queue_.open();
    } catch (...) {
        fault = std::current_exception();
    }
    spawn_drain();
    if (fault) std::rethrow_exception(fault);
}

boost::asio::awaitable<void> Partition::release() {
    take_over_.abandon(true);
    queue_.close();
    co_await queue_.enter();
    take_over_.abandon(false);
    forget_all();
    set_fault({});
    spawn_drain();
}

boost::asio::awaitable<void> Partition::tidy() {
    if (!queue_.try_enter()) co_return;
    if (auto const now = context_.clock.now()) memory_.forget_old_answers(*now);
    if (claim_) co_await budget_.sweep();
    spawn_drain();
}

std::optional<Need> Partition::answer_to_look_up(Submission const& submission) const {
    if (!submission.idempotency || stats_.lacks_until.load(std::memory_order_relaxed) < core::now().ms) {
        return std::nullopt;
    }
    // What is refused at once needs no look-up.
    if (!served() || stats_.queued.load(std::memory_order_relaxed) >= context_.queue_limit) return std::nullopt;
    return Need{.what = Need::What::answer,
                .organization = submission.context.organization,
                .sandbox = submission.context.sandbox,
                .text = submission.idempotency->key};
}

std::optional<std::string> Partition::fault() const {
    std::lock_guard const lock(fault_mutex_);
    return fault_.empty() ? std::nullopt : std::optional(fault_);
}

void Partition::set_fault(std::string fault) {
    std::lock_guard const lock(fault_mutex_);
    fault_ = std::move(fault);
}

void Partition::forget_all() {
    if (claim_) --context_.use.partitions;
    claim_.reset();
    memory_ = Memory();
    budget_.show();
    stats_.epoch.store(0, std::memory_order_relaxed);
}

boost::asio::awaitable<void> Partition::take_over() {
    try {
        claim_ = co_await take_over_.run();
    } catch (std::exception const& error) {
        memory_ = Memory();
        if (is_lasting(error)) {
            set_fault(error.what());
            if (context_.may_claim) queue_.close();  // it has to be acquired before the next try
        }
        throw;
    }
    ++context_.use.partitions;
    budget_.show();
    set_fault({});
}

boost::asio::awaitable<std::optional<core::Problem>> Partition::ensure_claimed() {
    if (claim_) {
        untaken_.over();
        co_return std::nullopt;
    }
    try {
        if (served() && context_.may_claim && !co_await context_.may_claim(number_)) queue_.close();
        if (!served()) co_return queue_.not_served();
        co_await take_over();
        co_return std::nullopt;
    } catch (Abandoned const&) {
        co_return queue_.not_served();
    } catch (std::exception const& error) {
        untaken_.met(core::quiet_while_away(core::Level::error), {{"partition", number_}, {"error", error.what()}});
        co_return log_away();
    }
}

boost::asio::awaitable<void> Partition::drain() {
    for (auto batch = queue_.take(context_.batch_limit); !batch.empty(); batch = queue_.take(context_.batch_limit)) {
        auto const problem = co_await ensure_claimed();
        // One reading a batch, judged before anything comes of it: who keeps the leases judges only each second.
        auto const now = context_.clock.now();
        if (problem || !now) {
            refuse_all(std::move(batch), now ? *problem : clock_off());
            continue;
        }
        if (!co_await budget_.admits_commands()) {
            auto const refused = budget_.refuse(batch.size());
            refuse_all(std::move(batch), refused);
            continue;
        }
        Staged staged{.now = *now,
                      .epoch = claim_->epoch,
                      .before = memory_.head,
                      .after = memory_.head,
                      .key_conflicts = context_.keyring.conflicts()};
        staged.answers.reserve(batch.size());
        bool const sound = co_await stage_batch(batch, staged);
        memory_.end_batch();
        if (!sound) {
            stats_.faults.fetch_add(1, std::memory_order_relaxed);
            forget_all();
            continue;
        }
        auto const outcome = co_await commit(staged);
        if (outcome) {
            stats_.head.store(staged.after.position, std::memory_order_relaxed);
            budget_.show();
            for (auto& [pending, reply] : staged.answers) queue_.finish(pending, std::move(reply));
            co_await budget_.sweep();
            continue;
        }
        core::log(
            core::quiet_while_away(core::Level::warn), "an append failed; the partition is claimed and folded anew",
            {{"partition", number_}, {"fault", outcome.error() == events::AppendFault::fenced ? "fenced" : "unknown"}});
        stats_.faults.fetch_add(1, std::memory_order_relaxed);
        forget_all();
        for (auto& answer : staged.answers) queue_.refuse(answer.pending, outcome_unknown());
    }
}

boost::asio::awaitable<bool> Partition::stage_batch(std::vector<Pending>& batch, Staged& staged) {
    bool broken = false;
    bool blind = false;  // nothing can be looked up
    std::size_t rounds = 0;
    for (std::size_t i = 0; i < batch.size();) {
        if (staged.bytes > kAppendBytes) {
            queue_.put_back(batch, i);
            break;
        }
        // Whoever settles reservations relies on it: what was reserved long ago is of no command that waits.
        if (steady_clock::now() > batch[i].submission.deadline) {
            queue_.refuse(batch[i], expired());
            staged.unused = batch[i].reserved.give_up();
        } else if (auto needs = try_stage(batch[i], staged, broken)) {
            auto outcome = Loader::Outcome::nothing;
            // Of those behind it a few times, for what they need may show only once the first needs are met.
            auto const behind = ++rounds <= kRoundsAhead ? batch.size() - i : 1;
            if (!blind) outcome = co_await bring_in(std::span(batch).subspan(i, behind), staged, *std::move(needs));
            if (outcome == Loader::Outcome::done) continue;  // the same once more
            blind = outcome == Loader::Outcome::nothing;
            queue_.refuse(batch[i], unseen());
            staged.unused = batch[i].reserved.give_up();
        }
        // Before the next one is decided, which may ask for the same.
        if (!staged.unused.needs.empty()) co_await loader_.release(std::exchange(staged.unused, {}));
        if (broken) {
            // Nothing was written: all others are decided again, in their order, on memory that is folded anew.
            std::vector<Pending> again;
            for (auto& answer : staged.answers) again.push_back(std::move(answer.pending));
            std::move(batch.begin() + static_cast<std::ptrdiff_t>(i) + 1, batch.end(), std::back_inserter(again));
            queue_.put_back(again, 0);
            break;
        }
        ++i;
    }
    co_return !broken;
}

std::optional<Needs> Partition::try_stage(Pending& pending, Staged& staged, bool& broken) {
    try {
        stager_.stage(pending, staged);
    } catch (NotResident& lack) {
        return std::move(lack.needs);
    } catch (std::exception const& error) {
        // State may be half evolved: nothing of this batch can be trusted.
        core::log(core::Level::error, "a command could not be staged; the partition is folded anew",
                  {{"partition", number_}, {"error", error.what()}});
        broken = true;
        queue_.refuse(pending, {Code::internal_error, "The command failed.", {}});
    }
    return std::nullopt;
}

boost::asio::awaitable<Loader::Outcome> Partition::bring_in(std::span<Pending> batch, Staged const& staged,
                                                            Needs needs) {
    auto all = needs;
    for (auto& pending : batch.subspan(1)) stager_.add_needs_of(pending.submission, staged.now, all);
    co_return co_await loader_.bring_in(batch.front(), std::move(needs), std::move(all), staged.now, staged.epoch);
}

boost::asio::awaitable<bool> Partition::store(std::function<void()> work, std::string_view failure) {
    try {
        co_await core::run_on(context_.storing, std::move(work));
        co_return true;
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::error), failure,
                  {{"partition", number_}, {"error", error.what()}});
        co_return false;
    }
}

boost::asio::awaitable<Partition::Appended> Partition::append(Staged& staged) {
    auto done = co_await context_.log.append(*claim_, staged.before, staged.after, std::move(staged.bodies));
    if (!done || staged.ends.empty() || !context_.store) co_return done;
    // Nobody is told of an end that does not hold everywhere yet: the next take-over marks it, or tries again.
    bool const marked = co_await store([&] { context_.store->mark_ends(staged.ends); },
                                       "ended secrets and accounts could not be marked");
    if (!marked) co_return tl::unexpected(events::AppendFault::unknown);
    co_return done;
}

boost::asio::awaitable<Partition::Appended> Partition::commit(Staged& staged) {
    auto& keyring = context_.keyring;
    bool const stored =
        !keyring.has_unstored() || co_await store([&] { keyring.persist(); }, "keys of persons could not be stored");
    // Another partition's persist may have met the conflict of a key that this batch sealed with: seal again.
    if (!stored || keyring.conflicts() != staged.key_conflicts) co_return tl::unexpected(events::AppendFault::unknown);
    try {
        if (staged.bodies.empty()) co_return co_await context_.log.confirm(*claim_);
        stats_.appends.fetch_add(1, std::memory_order_relaxed);
        stats_.events.fetch_add(staged.bodies.size(), std::memory_order_relaxed);
        auto const begun = steady_clock::now();
        auto done = co_await append(staged);
        stats_.append_seconds.observe(std::chrono::duration<double>(steady_clock::now() - begun).count());
        co_return done;
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::error), "the log failed",
                  {{"partition", number_}, {"error", error.what()}});
    }
    co_return tl::unexpected(events::AppendFault::unknown);
}

void Partition::refuse_all(std::vector<Pending> batch, core::Problem const& problem) {
    for (auto& pending : batch) queue_.refuse(pending, problem);
}

}  // namespace workforce::commands
