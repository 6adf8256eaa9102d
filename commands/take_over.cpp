// Taking a partition over, from claim to memory, and giving it up.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "commands/partition.hpp"
#include "core/crypto.hpp"
#include "core/logging.hpp"

namespace workforce::commands {
namespace {

constexpr std::size_t kFoldRecords = 2000;
constexpr std::size_t kFoldBytes = 8 << 20;
constexpr std::int64_t kAnswerLifeMs = 24 * 3'600'000LL;  // spec 8: a key replays for 24 hours

}  // namespace

boost::asio::awaitable<void> Partition::enter() {
    co_await core::await_completion<bool>([this](core::Completion<bool> done) {
        {
            std::lock_guard const lock(mutex_);
            if (busy_) {
                entering_.push_back(std::move(done));
                return;
            }
            busy_ = true;
        }
        done(true);
    });
}

boost::asio::awaitable<void> Partition::acquire() {
    co_await enter();
    std::exception_ptr fault;
    try {
        if (!claim_) co_await take_over();
        std::lock_guard const lock(mutex_);
        open_ = !abandon_;
        if (abandon_) throw Abandoned();
    } catch (...) {
        fault = std::current_exception();
    }
    spawn_drain();
    if (fault) std::rethrow_exception(fault);
}

boost::asio::awaitable<void> Partition::release() {
    abandon_ = true;
    close();
    co_await enter();
    abandon_ = false;
    forget_all();
    {
        std::lock_guard const lock(mutex_);
        fault_.clear();
    }
    spawn_drain();
}

std::optional<std::string> Partition::fault() const {
    std::lock_guard const lock(mutex_);
    return fault_.empty() ? std::nullopt : std::optional(fault_);
}

void Partition::note_fault(std::string fault) {
    std::lock_guard const lock(mutex_);
    fault_ = std::move(fault);
    if (context_.may_claim) open_ = false;
}

void Partition::close() {
    std::lock_guard const lock(mutex_);
    open_ = false;
}

void Partition::forget_all() {
    claim_.reset();
    memory_ = {};
    stats_.epoch.store(0, std::memory_order_relaxed);
}

boost::asio::awaitable<void> Partition::take_over() {
    memory_ = {};
    // Who is to give the partition up must not fence the next owner.
    if (abandon_) throw Abandoned();
    try {
        // Before the claim, which is a record itself; and after it, for only claims of before are fenced by who moves
        // the log away.
        if (context_.require_writable) co_await context_.require_writable();
        auto const now = context_.clock.now();
        if (!now) throw std::runtime_error(now.error());
        memory_.begun = *now;
        auto claim = co_await context_.log.claim(number_, context_.owner);
        if (context_.require_writable) co_await context_.require_writable();
        // Folding blocks on the log and on the processor: not on this thread, which serves other partitions too.
        auto const work = [this, head = claim.head]() -> boost::asio::awaitable<void> {
            fold(head);
            co_return;
        };
        co_await boost::asio::co_spawn(context_.folding, work(), boost::asio::use_awaitable);
        stats_.claims.fetch_add(1, std::memory_order_relaxed);
        stats_.epoch.store(claim.epoch, std::memory_order_relaxed);
        stats_.head.store(claim.head.position, std::memory_order_relaxed);
        claim_ = std::move(claim);
        if (memory_.last_time.ms > now->ms + core::kClockTolerance.count()) {
            core::log(core::Level::warn, "the log's last event lies in the future; times go on from it",
                      {{"partition", number_}, {"time", core::to_string(memory_.last_time)}});
        }
    } catch (events::UnknownEvent const& error) {
        memory_ = {};
        note_fault(error.what());
        throw;
    } catch (events::DamagedEvent const& error) {
        memory_ = {};
        note_fault(error.what());
        throw;
    } catch (...) {  // what may pass: log or database away
        memory_ = {};
        throw;
    }
    std::lock_guard const lock(mutex_);
    fault_.clear();
}

void Partition::fold(events::Head const& until) {
    auto const here = "partition " + std::to_string(number_) + " ";
    try {
        while (memory_.head.position < until.position) {
            if (abandon_) throw Abandoned();
            fold_page(until.position);
        }
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
        if (meta.time.ms < memory_.begun.ms - kAnswerLifeMs) return;
        Reply reply{static_cast<std::uint16_t>(answered.status),
                    answered.body,
                    answered.location,
                    answered.version,
                    true,
                    std::nullopt,
                    number_,
                    meta.position};
        memory_.answers.insert_or_assign(
            meta.idempotency_key,
            StoredAnswer{meta.idempotency_hash, meta.time, std::move(reply), answered.sealedFor, answered.body.erased});
        memory_.answers_by_age.emplace_back(meta.time, meta.idempotency_key);
        return;
    }
    memory_.organizations[meta.organization].apply(event);
    if (events::erases(event.data)) erase_answers(to_string(meta.subject));
}

void Partition::erase_answers(std::string const& person) {
    for (auto& [key, answer] : memory_.answers) {
        if (answer.sealed_for != person) continue;
        answer.reply.body.clear();
        answer.erased = true;
    }
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

}  // namespace workforce::commands
