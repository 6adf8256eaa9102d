// Shares, eviction, and refusals for want of memory.
#include "commands/engine/memory_budget.hpp"

#include <algorithm>

#include "core/logging.hpp"
#include "core/run_on.hpp"

namespace workforce::commands {
namespace {

using std::chrono::steady_clock;

/// A sweep that could not evict enough is not repeated before that.
constexpr auto kSweepPause = std::chrono::milliseconds(50);

/// How long partitions keep to their shares after another one has evicted.
constexpr std::chrono::nanoseconds kShortage = std::chrono::seconds(10);

std::int64_t steady_ns() { return std::chrono::nanoseconds(steady_clock::now().time_since_epoch()).count(); }

}  // namespace

std::size_t MemoryBudget::share_of(std::size_t all) const {
    return all / static_cast<std::size_t>(std::max(1, context_.use.partitions.load()));
}

bool MemoryBudget::others_evict() const {
    auto const at = context_.use.evicted_at.load();
    return at != evicted_at_ && steady_ns() - at < kShortage.count();
}

MemoryBudget::Room MemoryBudget::room(std::size_t limit, std::size_t used, std::size_t shown) const {
    auto const share = share_of(limit);
    auto const rest = others_evict() ? 0 : limit - std::min(limit, used - shown);
    auto const keep = std::max(share, rest - rest / 8);
    return {keep, keep + std::max(share, rest) / 8};
}

MemoryBudget::Room MemoryBudget::room_for_aggregates() const {
    return room(context_.limits.bytes, context_.use.bytes, shown_bytes_);
}

MemoryBudget::Room MemoryBudget::room_for_answers() const {
    return room(context_.limits.answer_bytes, context_.use.answer_bytes, shown_answer_bytes_);
}

bool MemoryBudget::overflows(Bound bound) const {
    if (!context_.store) return false;
    auto const& limits = context_.limits;
    // What the others hold, and what this one does: who has no more than its share does not pay for them.
    auto const over = [this](std::size_t own, std::size_t all, std::size_t shown, std::size_t usual, std::size_t most) {
        return own > share_of(usual) && all - shown + own > most;
    };
    auto const most = [&](std::size_t usual) { return bound == Bound::usual ? usual : usual + usual / 4; };
    return over(memory_.bytes(), context_.use.bytes, shown_bytes_, limits.bytes, most(limits.most_bytes)) ||
           over(memory_.answer_bytes(), context_.use.answer_bytes, shown_answer_bytes_, limits.answer_bytes,
                most(limits.most_answer_bytes));
}

boost::asio::awaitable<bool> MemoryBudget::admits_commands() {
    // Another partition's share of memory may be what is too much: then this one gets by with its own.
    if (overflows()) co_await sweep(Sweep::at_once);
    bool const full = overflows();
    co_await note_full(full);
    // Past a further part of memory nobody is served: many that hold little may fill it as well.
    co_return !full || !overflows(Bound::further);
}

core::Problem MemoryBudget::refuse(std::size_t commands) {
    stats_.refused.fetch_add(commands, std::memory_order_relaxed);
    return {Code::service_unavailable,
            "Read models are too far behind for more commands of this organization that need them."};
}

bool MemoryBudget::has_room(Submission const& submission, std::vector<NewEvent> const& events) const {
    if (!full_ || !memory_.holds_much(submission.context.organization)) return true;
    auto const fits = [this](events::Kind kind, std::size_t all) { return unstored_[kind] <= share_of(all) / 8; };
    if (submission.idempotency && !fits(events::Kind::command, context_.limits.answer_bytes)) return false;
    return std::ranges::all_of(events,
                               [&](NewEvent const& event) { return fits(event.subject.kind, context_.limits.bytes); });
}

std::size_t MemoryBudget::evict(Positions const& through) {
    auto const left = memory_.evict(through, room_for_aggregates().keep, room_for_answers().keep);
    stats_.evicted.fetch_add(left, std::memory_order_relaxed);
    return left;
}

boost::asio::awaitable<void> MemoryBudget::sweep(Sweep how) {
    if (!context_.store) co_return;
    bool const full = memory_.bytes() > room_for_aggregates().most || memory_.answer_bytes() > room_for_answers().most;
    if (how == Sweep::when_worth_it && (!full || steady_clock::now() < next_sweep_)) co_return;
    std::size_t bytes = 0;
    std::size_t answer_bytes = 0;
    try {
        auto const through =
            co_await core::run_on(context_.loading, [this] { return context_.store->through(number_); });
        bytes = room_for_aggregates().keep;
        answer_bytes = room_for_answers().keep;
        auto left = memory_.evict(through, bytes, answer_bytes);
        if (how == Sweep::at_once && overflows()) {
            // Many rows that can't leave may stand before those that can.
            if (steady_clock::now() >= next_sweep_) {
                left += memory_.evict(through, bytes, answer_bytes, Memory::Sweep::all);
            }
            unstored_ = memory_.unstored(through);
        }
        stats_.evicted.fetch_add(left, std::memory_order_relaxed);
        // What makes room for others is no sign of a shortage.
        if (left > 0 && !others_evict()) context_.use.evicted_at = evicted_at_ = steady_ns();
    } catch (std::exception const& error) {
        core::log(core::Level::warn, "nothing could be evicted from memory",
                  {{"partition", number_}, {"error", error.what()}});
    }
    if (memory_.bytes() > bytes || memory_.answer_bytes() > answer_bytes) {
        next_sweep_ = steady_clock::now() + kSweepPause;
    }
    show();
}

void MemoryBudget::show() {
    stats_.aggregates.store(memory_.aggregates(), std::memory_order_relaxed);
    stats_.answers.store(memory_.answers(), std::memory_order_relaxed);
    stats_.lacks_until.store(memory_.answers_lack_until().ms, std::memory_order_relaxed);
    stats_.bytes.store(memory_.bytes(), std::memory_order_relaxed);
    context_.use.bytes += memory_.bytes() - std::exchange(shown_bytes_, memory_.bytes());
    context_.use.answer_bytes += memory_.answer_bytes() - std::exchange(shown_answer_bytes_, memory_.answer_bytes());
}

boost::asio::awaitable<void> MemoryBudget::note_full(bool full) {
    if (std::exchange(full_, full) == full) co_return;
    if (!full) {
        core::log(core::Level::info, "commands are taken again", {{"partition", number_}});
        co_return;
    }
    std::string why = "read models can't be asked";
    try {
        why = co_await core::run_on(context_.loading, [this] { return context_.store->furthest_behind(number_); });
    } catch (std::exception const&) {
        // Said already: whatever asks the database logs that it is away.
    }
    core::log(core::Level::warn, "commands are refused: memory holds what read models have not folded, and is full",
              {{"partition", number_}, {"bytes", memory_.bytes()}, {"why", why}});
}

}  // namespace workforce::commands
