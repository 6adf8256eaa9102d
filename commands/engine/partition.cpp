// The partition's loop: queue, group, append, answer. Deciding and staging is in staging.cpp.
#include "commands/engine/partition.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "core/crypto.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::commands {
namespace {

constexpr std::size_t kAppendBytes = 4 << 20;  // past this an append takes no further command
constexpr std::size_t kRoundsAhead = 4;        // look-ups of a batch that ask for what all of the rest needs

core::Problem busy() {
    return {Code::service_unavailable, "Too many commands wait for this organization's partition.", {}};
}
core::Problem outcome_unknown() {
    return {Code::log_unavailable, "The outcome is unknown: retry with the same Idempotency-Key.", {}};
}
core::Problem clock_off() {
    return {Code::service_unavailable, "The clock of this process is wrong; nothing was changed.", {}};
}
core::Problem unseen() {
    return {Code::service_unavailable, "The state that the command needs can't be looked up.", {}};
}
core::Problem expired() {
    return {Code::service_unavailable, "The command waited too long for its turn; nothing was changed.", {}};
}
core::Problem log_away() { return {Code::log_unavailable, "The event log can't be reached; nothing was changed.", {}}; }

}  // namespace

Partition::Partition(int number, PartitionContext context, boost::asio::any_io_executor executor)
    : number_(number),
      context_(std::move(context)),
      executor_(std::move(executor)),
      queue_(context_.queue_limit),
      open_(!context_.may_claim) {}

Partition::~Partition() = default;

core::Problem Partition::not_served() const {
    if (!context_.clock.now()) return clock_off();
    return {Code::service_unavailable, "Another process serves this organization's partition.", {}};
}

std::optional<core::Problem> Partition::admit(Submission const& submission) {
    if (!open_) return not_served();
    if (!queue_.has_room({submission.context.organization, submission.context.sandbox})) return busy();
    if (!submission.idempotency) return std::nullopt;
    auto const& [key, fingerprint] = *submission.idempotency;
    auto const [found, added] = in_flight_.emplace(key, fingerprint);
    if (added) return std::nullopt;
    if (found->second != fingerprint)
        return core::Problem{Code::idempotency_key_conflict, "The Idempotency-Key was used for another request.", {}};
    return core::Problem{
        Code::idempotency_in_progress, "The first request with the Idempotency-Key is still running.", {}};
}

void Partition::submit(Submission submission, core::Completion<Reply> done) {
    std::unique_lock lock(mutex_);
    if (auto const problem = admit(submission)) {
        lock.unlock();
        return done(refusal(submission, *problem));
    }
    queue_.push({std::move(submission), std::move(done)});
    stats_.queued_ever.fetch_add(1, std::memory_order_relaxed);
    stats_.queued.store(queue_.size(), std::memory_order_relaxed);
    bool const wake = !busy_;
    busy_ = true;
    lock.unlock();
    if (wake) spawn_drain();
}

void Partition::spawn_drain() {
    // What leaves drain is a fault that nobody can handle there: better a restart, which folds what is durable, than a
    // partition that stands still.
    boost::asio::co_spawn(executor_, drain(), [](std::exception_ptr const& fault) {
        if (fault) std::rethrow_exception(fault);
    });
}

std::vector<Partition::Pending> Partition::take_batch() {
    std::vector<Pending> batch;
    core::Completion<bool> next;
    std::unique_lock lock(mutex_);
    while (!queue_.empty() && batch.size() < context_.batch_limit) {
        batch.push_back(queue_.pop());
    }
    stats_.queued.store(queue_.size(), std::memory_order_relaxed);
    if (!batch.empty()) return batch;
    if (entering_.empty()) {
        busy_ = false;
        return batch;
    }
    next = std::move(entering_.front());
    entering_.pop_front();
    lock.unlock();
    next(true);
    return batch;
}

void Partition::put_back(std::vector<Pending>& batch, std::size_t from) {
    std::lock_guard const lock(mutex_);
    for (auto i = batch.size(); i > from; --i) queue_.put_back(std::move(batch[i - 1]));
    batch.resize(from);
    stats_.queued.store(queue_.size(), std::memory_order_relaxed);
}

boost::asio::awaitable<bool> Partition::stage_batch(std::vector<Pending>& batch, Staged& staged) {
    bool broken = false;
    bool blind = false;  // nothing can be looked up
    std::size_t rounds = 0;
    for (std::size_t i = 0; i < batch.size();) {
        if (staged.bytes > kAppendBytes) {
            put_back(batch, i);
            break;
        }
        // Whoever settles reservations relies on it: what was reserved long ago is of no command that waits.
        if (std::chrono::steady_clock::now() > batch[i].submission.deadline) {
            auto const command = batch[i].command;
            auto const unused = std::exchange(batch[i].reserved, {});
            finish(batch[i], refusal(batch[i].submission, expired()));
            if (!unused.empty()) co_await unreserve(command, unused);
            ++i;
            continue;
        }
        auto command = batch[i].command;
        if (auto needs = try_stage(batch[i], staged, broken)) {
            auto outcome = LookedUp::nothing;
            // Of those behind it a few times, for what they need may show only once the first needs are met.
            auto const behind = ++rounds <= kRoundsAhead ? batch.size() - i : 1;
            if (!blind) outcome = co_await bring_in(std::span(batch).subspan(i, behind), staged.now, *std::move(needs));
            if (outcome == LookedUp::done) continue;  // the same once more
            blind = outcome == LookedUp::nothing;
            command = batch[i].command;
            staged.unused = std::exchange(batch[i].reserved, {});
            finish(batch[i], refusal(batch[i].submission, unseen()));
        }
        // Before the next one is decided, which may ask for the same.
        if (!staged.unused.empty()) co_await unreserve(command, std::exchange(staged.unused, {}));
        if (broken) {
            // Nothing was written: all others are decided again, in their order, on memory that is folded anew.
            std::vector<Pending> again;
            for (auto& answer : staged.answers) again.push_back(std::move(answer.pending));
            std::move(batch.begin() + static_cast<std::ptrdiff_t>(i) + 1, batch.end(), std::back_inserter(again));
            put_back(again, 0);
            break;
        }
        ++i;
    }
    co_return !broken;
}

boost::asio::awaitable<void> Partition::drain() {
    for (auto batch = take_batch(); !batch.empty(); batch = take_batch()) {
        auto const problem = co_await ensure_claimed();
        // One reading a batch, judged before anything comes of it: who keeps the leases judges only each second.
        auto const now = context_.clock.now();
        if (problem || !now) {
            fail(std::move(batch), now ? *problem : clock_off());
            continue;
        }
        // Another partition's share of memory may be what is too much: then this one gets by with its own.
        if (overflows()) co_await sweep(Sweep::at_once);
        bool const full = overflows();
        co_await note_full(full);
        // Past a further part of memory nobody is served: many that hold little may fill it as well.
        if (full && overflows(Bound::further)) {
            auto const refused = refuse_for_memory(batch.size());
            fail(std::move(batch), refused);
            continue;
        }
        Staged staged{*now, memory_.head, {}, {}, {}, 0, context_.keyring.conflicts()};
        staged.answers.reserve(batch.size());
        bool const sound = co_await stage_batch(batch, staged);
        memory_.end_batch();
        if (!sound) {
            stats_.faults.fetch_add(1, std::memory_order_relaxed);
            forget_all();
            continue;
        }
        staged.after = memory_.head;
        auto const outcome = co_await commit(staged);
        if (outcome) {
            stats_.head.store(staged.after.position, std::memory_order_relaxed);
            show_memory();
            for (auto& [pending, reply] : staged.answers) finish(pending, std::move(reply));
            co_await sweep();
            continue;
        }
        core::log(
            core::quiet_while_away(core::Level::warn), "an append failed; the partition is claimed and folded anew",
            {{"partition", number_}, {"fault", outcome.error() == events::AppendFault::fenced ? "fenced" : "unknown"}});
        stats_.faults.fetch_add(1, std::memory_order_relaxed);
        forget_all();
        for (auto& [pending, reply] : staged.answers) finish(pending, refusal(pending.submission, outcome_unknown()));
    }
}

boost::asio::awaitable<std::optional<core::Problem>> Partition::ensure_claimed() {
    if (claim_) {
        untaken_.over();
        co_return std::nullopt;
    }
    try {
        if (open_ && context_.may_claim && !co_await context_.may_claim(number_)) close();
        if (!open_) co_return not_served();
        co_await take_over();
        co_return std::nullopt;
    } catch (Abandoned const&) {
        co_return not_served();
    } catch (std::exception const& error) {
        untaken_.met(core::quiet_while_away(core::Level::error), {{"partition", number_}, {"error", error.what()}});
        co_return log_away();
    }
}

boost::asio::awaitable<bool> Partition::store(std::function<void()> work, std::string_view failure) {
    auto const run = [&work]() -> boost::asio::awaitable<void> {
        work();
        co_return;
    };
    try {
        co_await boost::asio::co_spawn(context_.storing, run(), boost::asio::use_awaitable);
        co_return true;
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::error), failure,
                  {{"partition", number_}, {"error", error.what()}});
        co_return false;
    }
}

boost::asio::awaitable<bool> Partition::store_new_keys() {
    if (!context_.keyring.has_unstored()) co_return true;
    co_return co_await store([this] { context_.keyring.persist(); }, "keys of persons could not be stored");
}

boost::asio::awaitable<tl::expected<void, events::AppendFault>> Partition::append(Staged& staged) {
    auto done = co_await context_.log.append(*claim_, staged.before, staged.after, std::move(staged.bodies));
    if (!done || staged.ends.empty() || !context_.store) co_return done;
    // Nobody is told of an end that does not hold everywhere yet: the next take-over marks it, or tries again.
    bool const marked = co_await store([&] { context_.store->mark_ends(staged.ends); },
                                       "ended secrets and accounts could not be marked");
    if (!marked) co_return tl::unexpected(events::AppendFault::unknown);
    co_return done;
}

boost::asio::awaitable<tl::expected<void, events::AppendFault>> Partition::commit(Staged& staged) {
    if (!co_await store_new_keys()) co_return tl::unexpected(events::AppendFault::unknown);
    // Another partition's persist may have met the conflict of a key that this batch sealed with: seal again.
    if (context_.keyring.conflicts() != staged.key_conflicts) co_return tl::unexpected(events::AppendFault::unknown);
    try {
        if (staged.bodies.empty()) co_return co_await context_.log.confirm(*claim_);
        stats_.appends.fetch_add(1, std::memory_order_relaxed);
        stats_.events.fetch_add(staged.bodies.size(), std::memory_order_relaxed);
        auto const begun = std::chrono::steady_clock::now();
        auto done = co_await append(staged);
        stats_.append_seconds.observe(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
        co_return done;
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::error), "the log failed",
                  {{"partition", number_}, {"error", error.what()}});
    }
    co_return tl::unexpected(events::AppendFault::unknown);
}

void Partition::finish(Pending& pending, Reply reply) {
    if (pending.submission.idempotency) {
        std::lock_guard const lock(mutex_);
        in_flight_.erase(pending.submission.idempotency->key);
    }
    stats_.commands.fetch_add(1, std::memory_order_relaxed);
    pending.done(std::move(reply));
}

void Partition::fail(std::vector<Pending> batch, core::Problem const& problem) {
    for (auto& pending : batch) finish(pending, refusal(pending.submission, problem));
}

}  // namespace workforce::commands
