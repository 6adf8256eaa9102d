// The loop of renewals, and how leases and work follow each other.
#include "workers/cluster/lease_keeper.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::workers {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEvery{1000};      // a third of a lease's life
constexpr milliseconds kShort{250};       // while the process has less than its share
constexpr milliseconds kSoon{20};         // while leases are free that it is due
constexpr milliseconds kFirstRetry{500};  // of work that can't be taken up
constexpr milliseconds kLastRetry{30'000};
constexpr milliseconds kSlowTick{2'000};  // a renewal takes some milliseconds
constexpr int kTries = 5;                 // after which another process may try

boost::asio::awaitable<void> done() { co_return; }

double seconds_since(std::chrono::steady_clock::time_point begun) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

/// What keeps a process from writing, for Changes::trouble.
std::string trouble_of(bool clock_right, bool hears_log) {
    std::string trouble(clock_right ? "" : kClockTrouble);
    if (!hears_log) trouble += std::string(trouble.empty() ? "" : ", ") + std::string(kLogTrouble);
    return trouble;
}

}  // namespace

Work writing(commands::Processor& processor) {
    return {[&](int partition) { return processor.acquire(partition); },
            [&](int partition) { return processor.release(partition); },
            [&](int partition) { return processor.owns(partition); },
            [&](int partition) {
                return processor.partitions().at(static_cast<std::size_t>(partition))->stats().epoch.load();
            },
            [&](int partition) {
                auto const& stats = processor.partitions().at(static_cast<std::size_t>(partition))->stats();
                return stats.head.load() - stats.base.load();
            }};
}

Work projecting(projections::Runner& read_models, projections::Runner& reactors) {
    return {[&](int partition) {
                read_models.start(partition);
                reactors.start(partition);
                return done();
            },
            [&](int partition) {
                read_models.end(partition);
                reactors.end(partition);
                return done();
            },
            [&](int partition) { return read_models.runs(partition); },
            {},
            {}};
}

int fair_share(std::vector<std::pair<std::string, int>> counts, std::string const& self, int partitions) {
    // Who holds most keeps the odd ones: then nothing moves where the counts are even already.
    std::sort(counts.begin(), counts.end(), [](auto const& a, auto const& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    auto const all = static_cast<int>(counts.size());
    for (int rank = 0; rank < all; ++rank) {
        if (counts[static_cast<std::size_t>(rank)].first == self) {
            return partitions / all + (rank < partitions % all ? 1 : 0);
        }
    }
    return 0;
}

LeaseKeeper::LeaseKeeper(boost::asio::any_io_executor executor, core::Database& database, core::CheckedClock& clock,
                         std::function<milliseconds()> silence, int partitions, Member member, Owners& owners,
                         std::optional<Work> writer, std::optional<Work> projector)
    : executor_(std::move(executor)),
      database_(database),
      clock_(clock),
      log_(member.role == Role::serve ? nullptr : std::move(silence)),
      partitions_(partitions),
      member_(std::move(member)),
      owners_(owners),
      kinds_{Kind{LeaseKind::writer, std::move(writer)}, Kind{LeaseKind::projector, std::move(projector)}},
      next_(executor_),
      changed_(executor_),
      from_anyone_(member_.role == Role::serve) {
    for (auto& kind : kinds_) kind.slots.resize(static_cast<std::size_t>(partitions));
    owners_.on_free([this] { boost::asio::post(executor_, [this] { next_.cancel(); }); });
}

boost::asio::awaitable<void> LeaseKeeper::start() {
    co_await database_.run([count = partitions_](core::Connection& connection) { prepare_leases(connection, count); });
    co_await tick();  // who else is there, or was, tells what is due
    co_await tick();
    running_ = true;
    boost::asio::co_spawn(executor_, run(), boost::asio::detached);
}

boost::asio::awaitable<void> LeaseKeeper::settled() {
    co_await until([this] { return idle(); });
}

boost::asio::awaitable<void> LeaseKeeper::stop() {
    stopping_ = true;
    for (auto& kind : kinds_) {
        for (int i = 0; i < partitions_ && kind.work; ++i) let_go(kind, i);
    }
    co_await until([this] { return idle(); });
    stopped_ = true;
    next_.cancel();
    co_await until([this] { return !running_; });
    try {
        co_await database_.run([owner = member_.owner](core::Connection& connection) { give_back(connection, owner); });
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::warn), "leases were not given back; they run out by themselves",
                  {{"error", error.what()}});
    }
}

boost::asio::awaitable<void> LeaseKeeper::run() {
    bool away = false;
    while (!stopped_) {
        next_.expires_after(pause_);
        co_await next_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        if (stopped_) break;
        try {
            co_await tick();
            away = false;
        } catch (std::exception const& error) {
            auto const level = core::quiet_while_away(core::Level::warn);
            if (!away) core::log(level, "leases can't be renewed", {{"error", error.what()}});
            away = level != core::Level::debug;
            pause_ = kShort;
        }
    }
    running_ = false;
    changed_.cancel();
}

boost::asio::awaitable<void> LeaseKeeper::tick() {
    log_.look(Clock::now());
    // It is short, and asked each second: when it waits, others do, and what they will say of that is known.
    boost::asio::steady_timer slow(co_await boost::asio::this_coro::executor, kSlowTick);
    slow.async_wait([](boost::system::error_code cancelled) {
        if (!cancelled) core::database_outage().doubt();
    });
    auto view = co_await database_.run([member = member_, wanted = changes(), hears = !log_.silent(),
                                        &clock = clock_](core::Connection& connection) mutable {
        clock.compare(connection);
        bool const clock_counts = member.role != Role::workers;
        wanted.trouble = trouble_of(!clock_counts || clock.now().has_value(), hears);
        return renew(connection, member, wanted);
    });
    heed_clock();
    follow(view);
    pause_ = pause_after(view);
    owners_.show(std::move(view));
}

void LeaseKeeper::heed_clock() {
    if (member_.role == Role::workers) return;
    auto const now = clock_.now();
    if (may_write_ && !now) {
        core::log(core::Level::error, "the clock is wrong: this process writes nothing until it is right again",
                  {{"error", now.error()}});
    } else if (!may_write_ && now) {
        core::log(core::Level::info, "the clock is right again: this process may write");
    }
    may_write_ = now.has_value();
}

Changes LeaseKeeper::changes() const {
    Changes all;
    all.partitions = partitions_;
    for (auto const& kind : kinds_) {
        for (int i = 0; i < partitions_ && kind.work; ++i) {
            auto const& slot = kind.slots[static_cast<std::size_t>(i)];
            if (slot.giving && (yields_ || (!slot.ending && !slot.taking && !kind.work->has(i)))) {
                all.give.push_back({kind.kind, i, slot.failures >= kTries});
            }
            if (kind.work->epoch && kind.work->has(i)) all.epochs.emplace_back(i, kind.work->epoch(i));
        }
    }
    if (stopping_ || log_.silent()) return all;
    all.take_writers = kinds_[0].wanted;
    all.take_projectors = kinds_[1].wanted;
    all.from_anyone = from_anyone_;
    all.given_up = alone_;
    return all;
}

void LeaseKeeper::follow(ClusterView const& view) {
    for (auto const& lease : view.leases) {
        auto& kind = kinds_.at(static_cast<std::size_t>(lease.kind));
        if (lease.partition < 0 || lease.partition >= partitions_) continue;
        auto& slot = kind.slots[static_cast<std::size_t>(lease.partition)];
        slot.mine = lease.owner == member_.owner && lease.left.count() > 0;
        if (!slot.mine) {
            slot.giving = false;
            slot.failures = 0;
            if (!lease.owner.empty()) slot.former = lease.owner;
        }
    }
    look_for_rivals(view);
    alone_ = std::none_of(view.processes.begin(), view.processes.end(), [&](Process const& process) {
        return process.owner != member_.owner && process.role == member_.role && process.may_write &&
               process.left.count() > 0;
    });
    yields_ = log_.yields(!alone_, Clock::now());
    bool all_mine = true;
    for (auto& kind : kinds_) {
        if (!kind.work) continue;
        share(kind, view);
        for (int i = 0; i < partitions_; ++i) {
            auto const& slot = kind.slots[static_cast<std::size_t>(i)];
            all_mine = all_mine && slot.mine;
            bool const wanted = slot.mine && !slot.giving && !stopping_;
            if (!wanted) {
                let_go(kind, i);
            } else if (!kind.work->has(i) && !log_.silent() && Clock::now() >= slot.retry_at) {
                take_up(kind, i);
            }
        }
    }
    // Once `serve` has had everything, whoever takes it from there is a later one, and in the right.
    if (all_mine) from_anyone_ = false;
}

/// Sets how many leases to take, or marks those that are above the share or can't be taken up here.
void LeaseKeeper::share(Kind& kind, ClusterView const& view) const {
    if (kind.kind == LeaseKind::writer && !may_write_) {
        kind.wanted = 0;
        for (auto& slot : kind.slots) slot.giving = slot.mine;
        return;
    }
    if (log_.silent()) {
        kind.wanted = 0;
        for (auto& slot : kind.slots) {
            slot.giving = slot.mine && (slot.giving || yields_);
            // What was tried meanwhile says nothing of the partition, and is tried at once when the log is back.
            slot.failures = 0;
            slot.pause = milliseconds(0);
            slot.retry_at = {};
        }
        return;
    }
    if (member_.role == Role::serve) {
        kind.wanted = partitions_ - static_cast<int>(std::count_if(kind.slots.begin(), kind.slots.end(), is_kept));
        return;
    }
    std::vector<std::pair<std::string, int>> counts;
    for (auto const& process : view.processes) {
        if (process.left.count() > 0 && process.may_write && may_hold(process.role, kind.kind))
            counts.emplace_back(process.owner, 0);
    }
    bool const alone = counts.size() < 2;
    int aside = 0;
    int to_try = 0;  // given up by others
    for (auto const& lease : view.leases) {
        if (lease.kind != kind.kind || lease.partition < 0 || lease.partition >= partitions_) continue;
        auto& slot = kind.slots[static_cast<std::size_t>(lease.partition)];
        slot.aside = !alone && std::any_of(counts.begin(), counts.end(),
                                           [&](auto const& each) { return each.first == lease.given_up_by; });
        if (slot.aside) {
            ++aside;
            to_try += lease.left.count() <= 0 && lease.given_up_by != member_.owner ? 1 : 0;
        } else if (lease.left.count() > 0) {
            for (auto& [owner, count] : counts) count += owner == lease.owner ? 1 : 0;
        }
        if (is_kept(slot) && !alone && slot.failures >= kTries) slot.giving = true;
    }
    auto const mine = static_cast<int>(std::count_if(kind.slots.begin(), kind.slots.end(),
                                                     [](Slot const& slot) { return is_kept(slot) && !slot.aside; }));
    auto const due = fair_share(std::move(counts), member_.owner, partitions_ - aside);
    kind.wanted = std::max(0, due - mine) + to_try;
    auto above = mine - due;
    for (auto slot = kind.slots.rbegin(); slot != kind.slots.rend() && above > 0; ++slot) {
        if (!is_kept(*slot) || slot->aside) continue;
        slot->giving = true;
        --above;
    }
}

void LeaseKeeper::look_for_rivals(ClusterView const& view) {
    auto const rival = std::find_if(view.processes.begin(), view.processes.end(), [&](Process const& process) {
        return process.owner != member_.owner && process.left.count() > 0 &&
               !may_live_beside(member_.role, process.role);
    });
    bool const found = rival != view.processes.end();
    if (found && !rivals_) {
        core::log(core::Level::error, "a process lives that this one does not run beside: stop one of them",
                  {{"role", core::enum_name(member_.role)},
                   {"other", rival->owner},
                   {"other_role", core::enum_name(rival->role)}});
    }
    rivals_ = found;
}

void LeaseKeeper::take_up(Kind& kind, int partition) {
    auto& slot = kind.slots[static_cast<std::size_t>(partition)];
    if (slot.taking || slot.ending) return;
    slot.taking = true;
    boost::asio::co_spawn(executor_, taking(kind, partition), boost::asio::detached);
}

boost::asio::awaitable<void> LeaseKeeper::taking(Kind& kind, int partition) {
    auto& slot = kind.slots[static_cast<std::size_t>(partition)];
    auto const begun = Clock::now();
    try {
        co_await kind.work->take(partition);
        tell_taken(kind, partition, begun);
        slot.failures = 0;
        slot.pause = milliseconds(0);
        slot.retry_at = {};
        if (kind.work->epoch) next_.cancel();  // so that the others see the claim
    } catch (commands::Abandoned const&) {
        // Somebody else's now.
    } catch (std::exception const& error) {
        ++slot.failures;
        slot.pause = std::clamp(2 * slot.pause, kFirstRetry, kLastRetry);
        slot.retry_at = Clock::now() + slot.pause;
        core::log(core::quiet_while_away(core::Level::error), "a partition can't be taken up",
                  {{"partition", partition},
                   {"lease", core::enum_name(kind.kind)},
                   {"error", error.what()},
                   {"retry_ms", slot.pause.count()}});
    }
    slot.taking = false;
    changed_.cancel();
}

void LeaseKeeper::let_go(Kind& kind, int partition) {
    auto& slot = kind.slots[static_cast<std::size_t>(partition)];
    if (slot.ending || (!slot.taking && !kind.work->has(partition))) return;
    slot.ending = true;
    boost::asio::co_spawn(executor_, ending(kind, partition), boost::asio::detached);
}

boost::asio::awaitable<void> LeaseKeeper::ending(Kind& kind, int partition) {
    auto& slot = kind.slots[static_cast<std::size_t>(partition)];
    auto const begun = Clock::now();
    bool const had = kind.work->has(partition);
    auto const epoch = kind.work->epoch ? kind.work->epoch(partition) : 0;
    try {
        co_await kind.work->give(partition);
        if (had) tell_let_go(kind, partition, epoch, begun);
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::error), "a partition can't be let go",
                  {{"partition", partition}, {"lease", core::enum_name(kind.kind)}, {"error", error.what()}});
    }
    slot.ending = false;
    changed_.cancel();
    if (slot.giving) next_.cancel();  // others wait for it
}

void LeaseKeeper::tell_taken(Kind const& kind, int partition, Clock::time_point begun) const {
    auto const& former = kind.slots[static_cast<std::size_t>(partition)].former;
    if (!kind.work->epoch) {
        core::log(core::Level::info, "a partition is folded here now",
                  {{"partition", partition}, {"owner", member_.owner}, {"former", former}});
        return;
    }
    core::log(core::Level::info, "a partition is taken over",
              {{"partition", partition},
               {"epoch", kind.work->epoch(partition)},
               {"owner", member_.owner},
               {"former", former},
               {"seconds", seconds_since(begun)},
               {"tail", kind.work->tail(partition)}});
}

void LeaseKeeper::tell_let_go(Kind const& kind, int partition, std::int64_t epoch, Clock::time_point begun) const {
    if (!kind.work->epoch) {
        core::log(core::Level::info, "a partition is folded here no longer",
                  {{"partition", partition}, {"owner", member_.owner}});
        return;
    }
    core::log(
        core::Level::info, "a partition is let go",
        {{"partition", partition}, {"epoch", epoch}, {"owner", member_.owner}, {"seconds", seconds_since(begun)}});
}

/// How long until the next renewal: soon when there is something to take, or a lease of another's runs out.
milliseconds LeaseKeeper::pause_after(ClusterView const& view) const {
    auto pause = log_.silent() ? kShort : kEvery;
    for (auto const& kind : kinds_) {
        if (!kind.work || kind.wanted == 0 || stopping_) continue;
        pause = std::min(pause, kShort);
        for (auto const& lease : view.leases) {
            if (lease.kind != kind.kind || lease.owner == member_.owner) continue;
            pause = std::min(pause, lease.left.count() > 0 ? lease.left + kSoon : kSoon);
        }
    }
    for (auto const& process : view.processes) {
        if (process.left.count() > 0) pause = std::min(pause, process.left + kSoon);
    }
    return pause;
}

bool LeaseKeeper::idle() const {
    return std::all_of(kinds_.begin(), kinds_.end(), [](Kind const& kind) {
        return std::none_of(kind.slots.begin(), kind.slots.end(),
                            [](Slot const& slot) { return slot.taking || slot.ending; });
    });
}

boost::asio::awaitable<void> LeaseKeeper::until(std::function<bool()> condition) {
    while (!condition()) {
        changed_.expires_at(Clock::time_point::max());
        co_await changed_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
}

}  // namespace workforce::workers
