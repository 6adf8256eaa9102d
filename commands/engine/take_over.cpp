// Waiting for read models, claiming, and folding the tail.
#include "commands/engine/take_over.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <limits>
#include <thread>

#include "commands/engine/refold.hpp"
#include "core/logging.hpp"
#include "core/run_on.hpp"
#include "events/attributes.hpp"
#include "events/log/chain.hpp"
#include "events/mended.hpp"
#include "events/stream.hpp"

namespace workforce::commands {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kFoldRecords = 2000;
constexpr std::size_t kFoldBytes = 8 << 20;
/// Of a log whose read models are further behind, they are waited for: what they have folded need not be folded here.
constexpr std::int64_t kLongTail = 20'000;
constexpr auto kPause = std::chrono::milliseconds(100);
/// Read models that stand still for so long are not waited for.
constexpr auto kStandstill = std::chrono::seconds(3);
constexpr auto kReport = std::chrono::seconds(5);

}  // namespace

boost::asio::awaitable<events::Claim> TakeOver::run() {
    memory_ = Memory();
    auto const begun = steady_clock::now();
    // Before the claim: who is late with it, and no longer the owner, must not take what the next one wrote for damage.
    auto const stored = co_await await_store();
    // Who is to give the partition up must not fence the next owner.
    if (abandoned_) throw Abandoned();
    // Before the claim, which is a record itself; and after it, for only claims of before are fenced by who moves the
    // log away.
    if (context_.require_writable) co_await context_.require_writable();
    auto const now = context_.clock.now();
    if (!now) throw std::runtime_error(now.error());
    memory_.begun = *now;
    auto claim = co_await context_.log.claim(number_, context_.owner);
    if (context_.require_writable) co_await context_.require_writable();
    // Folding blocks on the log and on the processor: not on this thread, which serves other partitions too.
    co_await core::run_on(context_.folding, [&] { fold(claim.head, stored); });
    stats_.claims.fetch_add(1, std::memory_order_relaxed);
    stats_.epoch.store(claim.epoch, std::memory_order_relaxed);
    stats_.head.store(claim.head.position, std::memory_order_relaxed);
    if (memory_.last_time.ms > now->ms + core::kClockTolerance.count()) {
        core::log(core::Level::warn, "the log's last event lies in the future; times go on from it",
                  {{"partition", number_}, {"time", core::to_string(memory_.last_time)}});
    }
    // Who takes it for longer than a command tells more: the keeper of leases.
    core::log(core::Level::debug, "took the partition over",
              {{"partition", number_},
               {"epoch", claim.epoch},
               {"head", claim.head.position},
               {"base", stats_.base.load()},
               {"folded", claim.head.position - stats_.base.load()},
               {"aggregates", memory_.aggregates()},
               {"seconds", std::chrono::duration<double>(steady_clock::now() - begun).count()}});
    co_return claim;
}

/// Answers that count no more need no place: a read model of them that stands still is no reason to fold everything.
Positions TakeOver::stored() {
    auto positions = context_.store->through(number_);
    auto& answers = positions[events::Kind::command];
    auto rest = positions;
    rest[events::Kind::command] = std::numeric_limits<std::int64_t>::max();
    auto const others = rest.least();
    if (answers >= others) return positions;
    auto const now = context_.clock.now();
    if (!now) throw std::runtime_error(now.error());
    auto const counting = events::position_at(context_.log, number_, oldest_that_counts(*now));
    answers = std::max(answers, std::min(counting - 1, others));
    return positions;
}

boost::asio::awaitable<Positions> TakeOver::await_store() {
    if (!context_.store) co_return kNowhere;
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    std::int64_t base = -2;
    auto moved = steady_clock::now();
    auto reported = moved;
    for (;;) {
        if (abandoned_) throw Abandoned();
        Positions reaching = kNowhere;
        std::int64_t head = -1;
        co_await core::run_on(context_.loading, [&] {
            reaching = stored();
            head = context_.log.head(number_).position;
        });
        auto const now = steady_clock::now();
        auto const reached = reaching.least();
        if (head - reached <= kLongTail) co_return reaching;
        if (std::exchange(base, reached) != reached) moved = now;
        if (now - moved > kStandstill) co_return reaching;
        if (now - reported > kReport) {
            reported = now;
            core::log(core::Level::info, "the partition waits for its read models",
                      {{"partition", number_}, {"folded", reached}, {"head", head}});
        }
        timer.expires_after(kPause);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

void TakeOver::fold(events::Head const& until, Positions const& stored) {
    auto const here = "partition " + std::to_string(number_) + " ";
    try {
        auto const furthest = stored.greatest();
        if (furthest > until.position) {
            throw events::DamagedEvent("ends at position " + std::to_string(until.position) +
                                       ", and read models have folded position " + std::to_string(furthest));
        }
        auto const begun = memory_.begun;
        memory_ = Memory(stored);
        memory_.begun = begun;
        begin_at(stored.least());
        events::SecretEnds ends;
        while (memory_.head.position < until.position) {
            if (abandoned_) throw Abandoned();
            fold_page(until.position, ends);
        }
        // Whoever appended these may have died before it came to that; here nobody is answered before.
        if (!ends.empty() && context_.store) context_.store->mark_ends(ends);
        if (memory_.head != until) {
            throw events::DamagedEvent("position " + std::to_string(until.position) + " does not have the head's hash");
        }
    } catch (events::UnknownEvent const& error) {
        throw events::UnknownEvent(here + error.what());
    } catch (events::DamagedEvent const& error) {
        throw events::DamagedEvent(here + error.what());
    } catch (StoreBehind const& error) {
        throw StoreBehind(here + error.what());
    }
}

void TakeOver::begin_at(std::int64_t base) {
    stats_.base.store(base, std::memory_order_relaxed);
    if (base < 0) return;
    auto const at = [this](std::int64_t position) {
        auto records = context_.log.read(number_, position, 1, events::kMaxRecordBytes);
        if (records.empty()) throw events::DamagedEvent("position " + std::to_string(position) + " is missing");
        return std::move(records.front().body);
    };
    auto body = at(base);
    memory_.head = {base, events::record_hash(body)};
    // The last event's: what is no event, though it may say when it was written, is no writer's of ours.
    auto position = base;
    auto time = events::event_time(body);
    while (!time && position > 0) time = events::event_time(at(--position));
    if (!time) return;
    memory_.last_time = *time;
    memory_.note_answer_evicted(*time);
}

void TakeOver::fold_page(std::int64_t last, events::SecretEnds& ends) {
    auto const next = memory_.head.position + 1;
    auto records = context_.log.read(number_, next, kFoldRecords, kFoldBytes);
    if (records.empty()) throw events::DamagedEvent("position " + std::to_string(next) + " is missing");
    auto const decoded = events::decode_all(context_.log, number_, records, context_.keyring);
    if (auto needs = memory_.lacked_by(decoded); !needs.empty()) {
        stats_.looked_up.fetch_add(needs.size(), std::memory_order_relaxed);
        memory_.add(find_whole({number_, std::move(needs), memory_.evicted()}));
    }
    auto event = decoded.begin();
    for (auto const& record : records) {
        if (memory_.head.position >= last) break;
        auto const standing = events::standing_of(record.body);
        if (!standing || standing->position != memory_.head.position + 1 ||
            standing->previous_hash != memory_.head.hash) {
            throw events::DamagedEvent("position " + std::to_string(record.position) + " does not continue the chain");
        }
        memory_.head = {standing->position, events::record_hash(record.body)};
        bool const mended = event == decoded.end() || event->meta.position != standing->position;
        if (mended) continue;
        memory_.last_time = std::max(memory_.last_time, event->meta.time);
        ends.add(*event);
        fold_event(*event++);
    }
    if (budget_.overflows()) make_room();
}

/// Rows that were folded past a skipped event are ahead of it and lack it: what they are of is told by the log.
Found TakeOver::find_whole(LookUp const& wanted) {
    auto found = context_.store->find(wanted);
    auto const begun = steady_clock::now();
    auto const lacking = refold_lacking(found, context_.log, context_.keyring, number_, memory_.head.position,
                                        [this] { return !abandoned_; });
    if (abandoned_) throw Abandoned();
    if (lacking > 0) {
        core::log(
            core::Level::warn,
            "read models lack skipped events: what these are of was folded from the log's beginning; rebuild them",
            {{"partition", number_},
             {"rows", lacking},
             {"seconds", std::chrono::duration<double>(steady_clock::now() - begun).count()}});
    }
    return found;
}

void TakeOver::make_room() {
    auto last = kNowhere;
    auto moved = steady_clock::now();
    for (;;) {
        auto const stored = context_.store->through(number_);
        auto const left = budget_.evict(stored);
        if (!budget_.overflows()) return;
        if (abandoned_) throw Abandoned();
        auto const now = steady_clock::now();
        if (std::exchange(last, stored) != stored || left > 0) moved = now;
        if (now - moved > kStandstill) {
            throw StoreBehind("can't be folded within the memory that there is: " +
                              context_.store->furthest_behind(number_));
        }
        std::this_thread::sleep_for(kPause);
    }
}

void TakeOver::fold_event(events::Event const& event) {
    auto const& meta = event.meta;
    if (auto answer = answer_of(event, number_)) {
        bool const counts = answer_counts(meta.time, memory_.begun);
        if (memory_.is_past(event) || !counts) return memory_.note_answer_evicted(meta.time);
        return memory_.keep_answer(meta.idempotency_key, *std::move(answer));
    }
    if (events::erases(event.data)) memory_.erase_answers(to_string(meta.subject));
    if (memory_.is_past(event)) return memory_.note_past(event);
    auto const* state = memory_.find(meta.organization);
    if ((state ? state->version(meta.subject) : 0) != meta.seq - 1) {
        throw events::DamagedEvent("position " + std::to_string(meta.position) + ": " + to_string(meta.subject) +
                                   " lacks what came before, in the log or in its read model");
    }
    memory_.apply(event);
}

}  // namespace workforce::commands
