// What a partition's memory lacks and gets, and what it evicts.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <set>
#include <tuple>

#include "commands/engine/partition.hpp"
#include "core/database.hpp"
#include "core/ids.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::commands {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kAnswerRecords = 1;

/// A sweep that could not evict enough is not repeated before that.
constexpr auto kSweepPause = std::chrono::milliseconds(50);

/// How long partitions keep to their shares after another one has evicted.
constexpr std::chrono::nanoseconds kShortage = std::chrono::seconds(10);

std::int64_t steady_ns() { return std::chrono::nanoseconds(steady_clock::now().time_since_epoch()).count(); }

/// Kinds on sides of organizations.
using Sides = std::set<std::tuple<events::Kind, Id, bool>>;

/// Adds what memory has of the kind of an index of which rows may be left out, on the side and in the organization that
/// the need is about, unless it was `added`.
void add_here(Memory const& memory, Need const& need, Sides& added, LookUp& wanted) {
    auto const& traits = traits_of(need.text);
    auto const kind = traits.kind;
    auto const* state = memory.find(need.organization);
    if (!traits.some || !state || !added.emplace(kind, need.organization, need.sandbox).second) return;
    events::for_each_kind<events::KindsAlone>([&](events::Kind each, auto constant) {
        if (each != kind) return;
        auto& ids = wanted.here[kind];
        for (auto const& [id, held] : state->rows<events::StateOf<decltype(constant)>>()) {
            if (held.sandbox == need.sandbox) ids.push_back(id);
        }
    });
}

/// The answer that stands there. That it does not is no sign that there is none: then the command would be run again.
StoredAnswer read_answer(events::EventLog& log, events::Keyring& keyring, int partition, std::int64_t position,
                         std::string const& key) {
    auto const records = log.read(partition, position, kAnswerRecords, events::kMaxRecordBytes);
    auto const events = events::decode_all(records, keyring);
    auto answer = events.empty() ? std::nullopt : answer_of(events.front(), partition);
    if (!answer || events.front().meta.idempotency_key != key) {
        throw std::runtime_error("position " + std::to_string(position) +
                                 " does not have the answer that read model answer has there");
    }
    return *std::move(answer);
}

}  // namespace

std::optional<Needs> Partition::try_stage(Pending& pending, Staged& staged, bool& broken) {
    try {
        stage(pending, staged);
    } catch (NotResident& lack) {
        return std::move(lack.needs);
    } catch (std::exception const& error) {
        // State may be half evolved: nothing of this batch can be trusted.
        core::log(core::Level::error, "a command could not be staged; the partition is folded anew",
                  {{"partition", number_}, {"error", error.what()}});
        broken = true;
        finish(pending, refusal(pending.submission, {Code::internal_error, "The command failed.", {}}));
    }
    return std::nullopt;
}

/// Decides for the needs alone: whatever else comes of it is not what it will be at its turn.
void Partition::add_needs_of(Submission& submission, Timestamp now, Needs& needs) {
    try {
        submission.context.now = std::max(now, memory_.last_time);
        auto const view = view_of(submission);
        if (known_answer(submission, view)) return;
        if (auto const decision = decide_safely(submission, view)) require_keys(submission, view, decision->events);
    } catch (NotResident const& lack) {
        // What it has reserved is taken at its own turn: it may come to nothing before.
        std::ranges::copy_if(lack.needs, std::inserter(needs, needs.end()),
                             [](Need const& need) { return need.what != Need::What::reservation; });
    } catch (std::exception const&) {
        // Its own turn will tell.
    }
}

boost::asio::awaitable<Partition::LookedUp> Partition::bring_in(std::span<Pending> batch, Timestamp now, Needs needs) {
    auto all = needs;
    for (auto& pending : batch.subspan(1)) add_needs_of(pending.submission, now, all);
    bool const alone = all == needs;
    auto& first = batch.front();
    auto outcome = co_await try_look_up(first, std::move(all), now);
    // What can't be used may be another's: one organization's damage is not all others'.
    if (outcome == LookedUp::failed && !alone) outcome = co_await try_look_up(first, std::move(needs), now);
    co_return outcome;
}

boost::asio::awaitable<Partition::LookedUp> Partition::try_look_up(Pending& first, Needs needs, Timestamp now) {
    std::string why;
    auto outcome = LookedUp::nothing;
    try {
        co_await look_up(first, std::move(needs), now);
        unfound_.over();
        co_return LookedUp::done;
    } catch (core::StatementFailed const& error) {
        outcome = LookedUp::failed;
        why = error.what();
    } catch (core::DatabaseUnavailable const& error) {
        why = error.what();
    } catch (events::LogUnavailable const& error) {
        why = error.what();
    } catch (StoreBehind const& error) {
        why = error.what();
    } catch (std::exception const& error) {
        outcome = LookedUp::failed;
        why = error.what();
    }
    unfound_.met(core::quiet_while_away(core::Level::warn), {{"partition", number_}, {"error", why}});
    co_return outcome;
}

boost::asio::awaitable<void> Partition::look_up(Pending& first, Needs needs, Timestamp now) {
    LookUp wanted{number_, {}, memory_.evicted(), {}};
    Sides here;
    std::vector<std::string> keys;
    std::vector<Need> reserving;
    for (auto const& need : needs) {
        if (need.what == Need::What::reservation) {
            reserving.push_back(need);
            continue;
        }
        if (need.what == Need::What::key) {
            keys.push_back(need.text);
            continue;
        }
        if (need.what == Need::What::index) add_here(memory_, need, here, wanted);
        wanted.needs.insert(need);
    }
    if (!reserving.empty() && !context_.reservations) throw std::logic_error("there is nowhere to reserve");
    if (!reserving.empty() && first.command.empty()) {
        auto const& key = first.submission.idempotency;
        first.command = key ? key->key : core::uuid_v7(now);
    }
    stats_.looked_up.fetch_add(needs.size(), std::memory_order_relaxed);
    std::vector<Reservations::Taking> taking;
    Found found;
    std::unordered_map<std::string, StoredAnswer> answers;
    auto const work = [&]() -> boost::asio::awaitable<void> {
        if (!keys.empty()) context_.keyring.prefetch(keys);
        if (!wanted.needs.empty()) found = context_.store->find(wanted);
        for (auto const& [key, position] : found.answers) {
            auto answer = read_answer(context_.log, context_.keyring, number_, position, key);
            if (answer_counts(answer.time, now)) answers.emplace(key, std::move(answer));
        }
        if (!reserving.empty()) taking = context_.reservations->take({first.command, claim_->epoch}, reserving);
        co_return;
    };
    co_await boost::asio::co_spawn(context_.loading, work(), boost::asio::use_awaitable);
    for (std::size_t i = 0; i < reserving.size(); ++i) {
        if (taking.at(i) == Reservations::Taking::taken) first.reserved.push_back(reserving[i]);
        if (taking.at(i) == Reservations::Taking::elsewhere) memory_.note_taken(reserving[i]);
    }
    memory_.add(std::move(found));
    for (auto& [key, answer] : answers) memory_.show_answer(key, std::move(answer));
    // Memory tells itself what it knows of a key of an index. A key that seals may leave before it is used.
    std::erase_if(needs, [&](Need const& need) {
        return need.what == Need::What::index || (need.what == Need::What::key && context_.keyring.holds(need.text));
    });
    memory_.note_absent(needs);
}

boost::asio::awaitable<void> Partition::unreserve(std::string command, std::vector<Need> reserved) {
    for (auto const& need : reserved) memory_.forget_reservation(need);
    co_await store([&] { context_.reservations->release(command, reserved); }, "reservations could not be released");
}

std::size_t Partition::share_of(std::size_t all) const {
    return all / static_cast<std::size_t>(std::max(1, context_.use.partitions.load()));
}

bool Partition::others_evict() const {
    auto const at = context_.use.evicted_at.load();
    return at != evicted_at_ && steady_ns() - at < kShortage.count();
}

Partition::Room Partition::room(std::size_t limit, std::size_t used, std::size_t shown) const {
    auto const share = share_of(limit);
    auto const rest = others_evict() ? 0 : limit - std::min(limit, used - shown);
    auto const keep = std::max(share, rest - rest / 8);
    return {keep, keep + std::max(share, rest) / 8};
}

Partition::Room Partition::room_for_aggregates() const {
    return room(context_.limits.bytes, context_.use.bytes, shown_bytes_);
}

Partition::Room Partition::room_for_answers() const {
    return room(context_.limits.answer_bytes, context_.use.answer_bytes, shown_answer_bytes_);
}

bool Partition::overflows(Bound bound) const {
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

core::Problem Partition::refuse_for_memory(std::size_t commands) {
    stats_.refused.fetch_add(commands, std::memory_order_relaxed);
    return {Code::service_unavailable,
            "Read models are too far behind for more commands of this organization that need them."};
}

bool Partition::has_room(Submission const& submission, std::vector<NewEvent> const& events) const {
    if (!full_ || !memory_.holds_much(submission.context.organization)) return true;
    auto const fits = [this](events::Kind kind, std::size_t all) { return unstored_[kind] <= share_of(all) / 8; };
    if (submission.idempotency && !fits(events::Kind::command, context_.limits.answer_bytes)) return false;
    return std::ranges::all_of(events,
                               [&](NewEvent const& event) { return fits(event.subject.kind, context_.limits.bytes); });
}

boost::asio::awaitable<void> Partition::sweep(Sweep how) {
    if (!context_.store || !claim_) co_return;
    bool const full = memory_.bytes() > room_for_aggregates().most || memory_.answer_bytes() > room_for_answers().most;
    if (how == Sweep::when_worth_it && (!full || steady_clock::now() < next_sweep_)) co_return;
    std::size_t bytes = 0;
    std::size_t answer_bytes = 0;
    try {
        Positions through = kNowhere;
        auto const work = [&]() -> boost::asio::awaitable<void> {
            through = context_.store->through(number_);
            co_return;
        };
        co_await boost::asio::co_spawn(context_.loading, work(), boost::asio::use_awaitable);
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
    show_memory();
}

boost::asio::awaitable<void> Partition::tidy() {
    {
        std::lock_guard const lock(mutex_);
        if (busy_) co_return;
        busy_ = true;
    }
    if (auto const now = context_.clock.now()) memory_.forget_old_answers(*now);
    co_await sweep();
    spawn_drain();
}

void Partition::show_memory() {
    stats_.aggregates.store(memory_.aggregates(), std::memory_order_relaxed);
    stats_.answers.store(memory_.answers(), std::memory_order_relaxed);
    stats_.lacks_until.store(memory_.answers_lack_until().ms, std::memory_order_relaxed);
    stats_.bytes.store(memory_.bytes(), std::memory_order_relaxed);
    context_.use.bytes += memory_.bytes() - std::exchange(shown_bytes_, memory_.bytes());
    context_.use.answer_bytes += memory_.answer_bytes() - std::exchange(shown_answer_bytes_, memory_.answer_bytes());
}

boost::asio::awaitable<void> Partition::note_full(bool full) {
    if (std::exchange(full_, full) == full) co_return;
    if (!full) {
        core::log(core::Level::info, "commands are taken again", {{"partition", number_}});
        co_return;
    }
    std::string why = "read models can't be asked";
    auto const work = [&]() -> boost::asio::awaitable<void> {
        why = context_.store->furthest_behind(number_);
        co_return;
    };
    try {
        co_await boost::asio::co_spawn(context_.loading, work(), boost::asio::use_awaitable);
    } catch (std::exception const&) {
        // Said already: whatever asks the database logs that it is away.
    }
    core::log(core::Level::warn, "commands are refused: memory holds what read models have not folded, and is full",
              {{"partition", number_}, {"bytes", memory_.bytes()}, {"why", why}});
}

std::optional<Need> Partition::answer_to_look_up(Submission const& submission) const {
    if (!submission.idempotency || stats_.lacks_until.load(std::memory_order_relaxed) < core::now().ms) {
        return std::nullopt;
    }
    // What is refused at once needs no look-up.
    if (!open_ || stats_.queued.load(std::memory_order_relaxed) >= context_.queue_limit) return std::nullopt;
    return Need{.what = Need::What::answer,
                .organization = submission.context.organization,
                .sandbox = submission.context.sandbox,
                .text = submission.idempotency->key};
}

}  // namespace workforce::commands
