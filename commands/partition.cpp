// The partition's loop: queue, group, append, answer. Deciding and staging is in staging.cpp.
#include "commands/partition.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/crypto.hpp"
#include "core/logging.hpp"

namespace workforce::commands {
namespace {

constexpr std::size_t kFoldRecords = 2000;
constexpr std::size_t kFoldBytes = 8 << 20;
constexpr std::size_t kAppendBytes = 4 << 20;             // past this an append takes no further command
constexpr std::int64_t kAnswerLifeMs = 24 * 3'600'000LL;  // spec 8: a key replays for 24 hours

core::Problem busy() {
    return {Code::service_unavailable, "Too many commands wait for this organization's partition.", {}};
}
core::Problem outcome_unknown() {
    return {Code::log_unavailable, "The outcome is unknown: retry with the same Idempotency-Key.", {}};
}
core::Problem log_away() { return {Code::log_unavailable, "The event log can't be reached; nothing was changed.", {}}; }

}  // namespace

Partition::Partition(int number, PartitionContext context, boost::asio::any_io_executor executor)
    : number_(number), context_(std::move(context)), executor_(std::move(executor)) {}

std::optional<core::Problem> Partition::admit(Submission const& submission) {
    if (queue_.size() >= context_.queue_limit) return busy();
    if (!submission.idempotency) return std::nullopt;
    auto const& [key, fingerprint] = *submission.idempotency;
    auto const [found, added] = in_flight_.emplace(key, fingerprint);
    if (added) return std::nullopt;
    if (found->second != fingerprint)
        return core::Problem{Code::idempotency_key_conflict, "This key was used for another request.", {}};
    return core::Problem{Code::idempotency_in_progress, "The first request with this key is still running.", {}};
}

void Partition::submit(Submission submission, core::Completion<Reply> done) {
    std::unique_lock lock(mutex_);
    if (auto const problem = admit(submission)) {
        lock.unlock();
        return done(refusal(submission, *problem));
    }
    queue_.push_back({std::move(submission), std::move(done)});
    stats_.queued.store(queue_.size(), std::memory_order_relaxed);
    bool const wake = !draining_;
    draining_ = true;
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
    std::lock_guard const lock(mutex_);
    while (!queue_.empty() && batch.size() < context_.batch_limit) {
        batch.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    stats_.queued.store(queue_.size(), std::memory_order_relaxed);
    if (batch.empty()) draining_ = false;
    return batch;
}

void Partition::put_back(std::vector<Pending>& batch, std::size_t from) {
    std::lock_guard const lock(mutex_);
    for (auto i = batch.size(); i > from; --i) queue_.push_front(std::move(batch[i - 1]));
    batch.resize(from);
    stats_.queued.store(queue_.size(), std::memory_order_relaxed);
}

boost::asio::awaitable<void> Partition::drain() {
    for (auto batch = take_batch(); !batch.empty(); batch = take_batch()) {
        if (!co_await ensure_claimed()) {
            fail(std::move(batch), log_away());
            continue;
        }
        Staged staged{memory_.head, {}, {}, {}, 0, context_.keyring.conflicts()};
        staged.answers.reserve(batch.size());
        bool broken = false;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            auto& pending = batch[i];
            if (staged.bytes > kAppendBytes) {
                put_back(batch, i);
                break;
            }
            try {
                stage(pending, staged);
            } catch (std::exception const& error) {
                // State may be half evolved: nothing of this batch can be trusted.
                core::log(core::Level::error, "a command could not be staged; the partition is folded anew",
                          {{"partition", number_}, {"error", error.what()}});
                broken = true;
                finish(pending, refusal(pending.submission, {Code::internal_error, "The command failed.", {}}));
            }
        }
        staged.after = memory_.head;
        tl::expected<void, events::AppendFault> outcome = tl::unexpected(events::AppendFault::fenced);
        if (!broken) outcome = co_await commit(staged);
        if (outcome) {
            stats_.head.store(staged.after.position, std::memory_order_relaxed);
            for (auto& [pending, reply] : staged.answers) finish(pending, std::move(reply));
            continue;
        }
        if (!broken) {
            core::log(core::Level::warn, "an append failed; the partition is claimed and folded anew",
                      {{"partition", number_},
                       {"fault", outcome.error() == events::AppendFault::fenced ? "fenced" : "unknown"}});
        }
        stats_.faults.fetch_add(1, std::memory_order_relaxed);
        claim_.reset();
        memory_ = {};
        for (auto& [pending, reply] : staged.answers) finish(pending, refusal(pending.submission, outcome_unknown()));
    }
}

boost::asio::awaitable<bool> Partition::ensure_claimed() {
    if (claim_) co_return true;
    try {
        co_await take_over();
        co_return true;
    } catch (std::exception const& error) {
        core::log(core::Level::error, "the partition can't be taken over",
                  {{"partition", number_}, {"error", error.what()}});
        co_return false;
    }
}

boost::asio::awaitable<void> Partition::start() {
    {
        std::lock_guard const lock(mutex_);
        draining_ = true;  // what comes meanwhile waits for the drain below
    }
    std::exception_ptr fault;
    try {
        co_await take_over();
    } catch (...) {
        fault = std::current_exception();
    }
    spawn_drain();
    if (fault) std::rethrow_exception(fault);
}

boost::asio::awaitable<void> Partition::take_over() {
    memory_ = {};
    auto claim = co_await context_.log.claim(number_, context_.owner);
    // Folding blocks on the log and on the processor: not on this thread, which serves other partitions too.
    auto const work = [this, head = claim.head]() -> boost::asio::awaitable<void> {
        fold(head);
        co_return;
    };
    co_await boost::asio::co_spawn(context_.blocking, work(), boost::asio::use_awaitable);
    stats_.claims.fetch_add(1, std::memory_order_relaxed);
    stats_.epoch.store(claim.epoch, std::memory_order_relaxed);
    stats_.head.store(claim.head.position, std::memory_order_relaxed);
    claim_ = std::move(claim);
}

void Partition::fold(events::Head const& until) {
    auto const here = "partition " + std::to_string(number_) + " ";
    try {
        while (memory_.head.position < until.position) fold_page(until.position);
        if (memory_.head != until) {
            throw events::DamagedEvent("position " + std::to_string(until.position) + " does not have the head's hash");
        }
    } catch (events::UnknownEvent const& error) {
        throw events::UnknownEvent(here + error.what());
    } catch (events::DamagedEvent const& error) {
        throw events::DamagedEvent(here + error.what());
    }
}

void Partition::fold_page(std::int64_t last) {
    auto const next = memory_.head.position + 1;
    auto const records = context_.log.read(number_, next, kFoldRecords, kFoldBytes);
    if (records.empty()) throw events::DamagedEvent("position " + std::to_string(next) + " is missing");
    auto const decoded = events::decode_all(records, context_.keyring);
    for (std::size_t i = 0; i < records.size() && memory_.head.position < last; ++i) {
        auto const& meta = decoded[i].meta;
        if (meta.position != memory_.head.position + 1 || meta.previous_hash != memory_.head.hash) {
            throw events::DamagedEvent("position " + std::to_string(records[i].position) +
                                       " does not continue the chain");
        }
        memory_.head = {meta.position, core::hex_encode(core::bytes(core::sha256(records[i].body)))};
        memory_.last_time = std::max(memory_.last_time, meta.time);
        remember(decoded[i]);
    }
}

void Partition::remember(events::Event const& event) {
    auto const& meta = event.meta;
    if (auto const* group = std::get_if<events::CommandEvent>(&event.data)) {
        auto const& answered = std::get<events::CommandAnswered>(*group);
        if (meta.time.ms < core::now().ms - kAnswerLifeMs) return;
        Reply reply{static_cast<std::uint16_t>(answered.status),
                    answered.body,
                    answered.location,
                    answered.version,
                    true,
                    std::nullopt,
                    number_,
                    meta.position};
        memory_.answers.insert_or_assign(meta.idempotency_key,
                                         StoredAnswer{meta.idempotency_hash, meta.time, std::move(reply)});
        memory_.answers_by_age.emplace_back(meta.time, meta.idempotency_key);
        return;
    }
    memory_.organizations[meta.organization].apply(event);
}

void Partition::forget_old_answers(Timestamp now) {
    auto& by_age = memory_.answers_by_age;
    while (!by_age.empty() && by_age.front().first.ms < now.ms - kAnswerLifeMs) {
        auto const found = memory_.answers.find(by_age.front().second);
        // A key that was used again after its day has a younger answer, which stays.
        if (found != memory_.answers.end() && found->second.time == by_age.front().first) memory_.answers.erase(found);
        by_age.pop_front();
    }
}

boost::asio::awaitable<bool> Partition::store_new_keys() {
    if (!context_.keyring.has_unstored()) co_return true;
    auto const store = [this]() -> boost::asio::awaitable<void> {
        context_.keyring.persist();
        co_return;
    };
    try {
        co_await boost::asio::co_spawn(context_.blocking, store(), boost::asio::use_awaitable);
        co_return true;
    } catch (std::exception const& error) {
        core::log(core::Level::error, "keys of persons could not be stored", {{"error", error.what()}});
        co_return false;
    }
}

boost::asio::awaitable<tl::expected<void, events::AppendFault>> Partition::commit(Staged& staged) {
    if (!co_await store_new_keys()) co_return tl::unexpected(events::AppendFault::unknown);
    // Another partition's persist may have met the conflict of a key that this batch sealed with: seal again.
    if (context_.keyring.conflicts() != staged.key_conflicts) co_return tl::unexpected(events::AppendFault::unknown);
    try {
        if (staged.bodies.empty()) co_return co_await context_.log.confirm(*claim_);
        stats_.appends.fetch_add(1, std::memory_order_relaxed);
        stats_.events.fetch_add(staged.bodies.size(), std::memory_order_relaxed);
        co_return co_await context_.log.append(*claim_, staged.before, staged.after, std::move(staged.bodies));
    } catch (std::exception const& error) {
        core::log(core::Level::error, "the log failed", {{"partition", number_}, {"error", error.what()}});
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
