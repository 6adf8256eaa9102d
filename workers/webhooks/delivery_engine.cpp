// The loop that looks for work, and a coroutine an attempt.
#include "workers/webhooks/delivery_engine.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <random>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"
#include "workers/engine/standing.hpp"
#include "workers/webhooks/schedule.hpp"

namespace workforce::workers {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr auto kRenewal = kQueueLease / 4;
constexpr auto kTroublePause = std::chrono::seconds(1);     // after a look that failed
constexpr auto kSettling = std::chrono::milliseconds(250);  // how late last deliveries may be told
constexpr auto kLongestStop = std::chrono::seconds(10);
constexpr int kFirstBatch = 8;
constexpr int kFailingBatch = 2;
constexpr std::string_view kPausedWith = "webhooks";  // a pause of it holds deliveries, too

double random_spread() {
    thread_local std::minstd_rand engine{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(engine);
}

bool counts_for_health(std::string_view trigger) { return trigger != "manual"; }

}  // namespace

DeliveryEngine::DeliveryEngine(DeliveryParts parts, DeliveryLimits limits)
    : parts_(std::move(parts)),
      limits_(limits),
      reader_(parts_.keyring, parts_.secrets),
      share_{.owner = parts_.owner} {}
DeliveryEngine::~DeliveryEngine() = default;

core::Timestamp DeliveryEngine::now() const {
    auto const since = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - looked_here_);
    return {looked_at_.ms + since.count()};
}

void DeliveryEngine::Sleeper::wake() {
    woken = true;
    if (timer) timer->cancel();
}

awaitable<void> DeliveryEngine::Sleeper::sleep(std::chrono::milliseconds time) {
    if (std::exchange(woken, false)) co_return;
    timer->expires_after(time);
    boost::system::error_code ignored;
    co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    woken = false;
}

void DeliveryEngine::wake_looking() { looking_.wake(); }

void DeliveryEngine::wake_recording() {
    for (auto& recorder : recorders_) recorder.wake();
}

void DeliveryEngine::look_soon() {
    called_ = true;
    if (resting_) wake_looking();
}

bool DeliveryEngine::has_nothing() const {
    return lanes_.empty() && touched_.empty() && to_settle_.empty() && !called_;
}

void DeliveryEngine::stop() {
    stopping_ = true;
    stop_at_ = Clock::now() + kLongestStop;
    wake_looking();
    wake_recording();
}

bool DeliveryEngine::is_over() const {
    bool const idle = stats_.under_way == 0 && giving_up_ == 0 && records_.empty() && recording_ == 0;
    return stopping_ && (idle || Clock::now() >= stop_at_);
}

awaitable<void> DeliveryEngine::run() {
    using namespace asio::experimental::awaitable_operators;
    executor_ = co_await asio::this_coro::executor;
    for (auto* sleeper : {&looking_, &recorders_[0], &recorders_[1]}) {
        sleeper->timer = std::make_unique<asio::steady_timer>(*executor_);
    }
    co_await (keep_looking() && keep_recording(recorders_[0]) && keep_recording(recorders_[1]));
    try {
        co_await parts_.writes.run(
            [owner = parts_.owner](core::Connection& connection) { release_queues(connection, owner); });
    } catch (std::exception const& error) {  // their leases end by themselves
        core::log(core::Level::info, "webhook queues were not given back", {{"error", error.what()}});
    }
}

awaitable<void> DeliveryEngine::keep_looking() {
    bool troubled = false;
    while (!stopping_) {
        bool failed = false;
        try {
            co_await look();
            troubled = false;
        } catch (std::exception const& error) {
            failed = true;
            if (!std::exchange(troubled, true)) {
                core::log(core::quiet_while_away(core::Level::warn), "webhook deliveries can't be looked for",
                          {{"error", error.what()}});
            }
        }
        if (failed) looking_.woken = false;
        resting_ = !failed && has_nothing();
        auto const pause = resting_ ? limits_.rest : limits_.pause;
        co_await looking_.sleep(failed ? std::chrono::milliseconds(kTroublePause) : pause);
        resting_ = false;
    }
}

awaitable<void> DeliveryEngine::look() {
    if (Clock::now() - leased_at_ >= limits_.pause) {
        called_ = false;  // what is called for from here on this one may miss
        co_await lease();
        leased_at_ = Clock::now();
    }
    co_await renew();
    co_await fetch();
    for (auto& [webhook, lane] : lanes_) begin(lane);
    if (Clock::now() - settled_at_ >= kSettling && !touched_.empty()) {
        settled_at_ = Clock::now();
        to_settle_.merge(touched_);
        touched_.clear();
    }
    if (!to_settle_.empty()) wake_recording();
    stats_.queues = static_cast<std::int64_t>(lanes_.size());
}

awaitable<void> DeliveryEngine::lease() {
    auto const most = limits_.queues - static_cast<int>(lanes_.size());
    bool const ask_who = Clock::now() - renewed_at_ > kRenewal;
    std::map<core::Id, std::int64_t> versions;  // by which something waits
    for (auto const& [webhook, lane] : lanes_) {
        if (!lane.waiting.empty()) versions.emplace(webhook, lane.target->version);
    }
    struct Found {
        core::Timestamp now;
        bool held = false;
        std::vector<core::Id> changed;
        std::vector<std::string> processes;
        std::vector<LeasedQueue> queues;
    };
    auto const found = co_await parts_.writes.run(
        [share = share_, most, ask_who, versions, clock = parts_.clock](core::Connection& connection) mutable {
            Found all{.now = clock(connection), .changed = {}, .processes = {}, .queues = {}};
            if (!versions.empty()) {
                all.held = paused(connection).contains(std::string(kPausedWith));
                all.changed = changed_subscriptions(connection, versions);
            }
            if (ask_who) all.processes = delivering_processes(connection);
            if (most > 0) all.queues = lease_queues(connection, share, all.now, most);
            return all;
        });
    looked_at_ = found.now;
    looked_here_ = Clock::now();
    if (ask_who) {
        auto const self = std::ranges::find(found.processes, share_.owner);
        share_.parts = std::max(1, static_cast<int>(found.processes.size()));
        share_.rest = self == found.processes.end() ? 0 : static_cast<int>(self - found.processes.begin());
    }
    for (auto const webhook : found.changed) {
        if (auto const lane = lanes_.find(webhook); lane != lanes_.end()) lane->second.waiting.clear();
    }
    for (auto const& queue : found.queues) {
        auto& lane = lanes_[queue.webhook];
        if (lane.serial == 0 || lane.releasing) {
            lane = {};
            lane.serial = ++last_serial_;
            lane.batch = kFirstBatch;
            lane.busy_at = Clock::now();
        }
        lane.failures = queue.failures;
        if (lane.failures > 0) slow_down(lane);
    }
    if (found.held) put_back();
}

void DeliveryEngine::put_back() {
    for (auto& [webhook, lane] : lanes_) {
        if (lane.waiting.empty()) continue;
        lane.waiting.clear();
        lane.busy_at = {};
        touched_.insert(webhook);
    }
}

awaitable<void> DeliveryEngine::renew() {
    if (Clock::now() - renewed_at_ <= kRenewal) co_return;
    renewed_at_ = Clock::now();
    if (lanes_.empty()) co_return;
    std::vector<core::Id> webhooks;
    for (auto const& [webhook, lane] : lanes_) webhooks.push_back(webhook);
    auto const kept = co_await parts_.writes.run([owner = parts_.owner, webhooks](core::Connection& connection) {
        return renew_queues(connection, owner, webhooks);
    });
    std::set<core::Id> const still(kept.begin(), kept.end());
    for (auto const webhook : webhooks) {
        if (!still.contains(webhook)) lanes_.erase(webhook);  // somebody else has it: what is under way is recorded yet
    }
}

/// What a fetch asks for.
struct DeliveryEngine::Wanted {
    std::vector<core::Id> webhooks;
    std::vector<std::uint64_t> serials;
    std::vector<int> rooms;       // with what is in memory, which is found again
    std::vector<core::Id> known;  // sorted
    std::set<core::Id> unheld;    // whose hold is over: what gives them up is found with the rest
};

awaitable<void> DeliveryEngine::fetch() {
    for (auto const id : std::exchange(recorded_, {})) made_.erase(id);  // what is read from here on lacks them
    auto const shared = std::make_shared<Wanted>();
    auto& wanted = *shared;
    for (auto const& [webhook, lane] : lanes_) {
        auto const waiting = static_cast<int>(lane.waiting.size());
        if (lane.releasing || waiting > next_batch(lane, 0) / 2) continue;
        wanted.webhooks.push_back(webhook);
        if (lane.giving_up && Clock::now() >= lane.give_up_again) wanted.unheld.insert(webhook);
        wanted.serials.push_back(lane.serial);
        wanted.rooms.push_back(lane.batch + waiting + lane.unrecorded);
        for (auto const& delivery : lane.waiting) wanted.known.push_back(delivery.id);
        wanted.known.insert(wanted.known.end(), lane.under_way.begin(), lane.under_way.end());
    }
    if (!wanted.webhooks.empty()) {
        wanted.known.insert(wanted.known.end(), made_.begin(), made_.end());
        std::ranges::sort(wanted.known);
        auto work = co_await parts_.writes.run([this, shared, at = now()](core::Connection& connection) {
            return reader_.read(connection, parts_.owner, shared->webhooks, shared->rooms, shared->known, at);
        });
        take_in(std::move(work), wanted);
    }
}

int DeliveryEngine::next_batch(Lane const& lane, int found) const {
    if (lane.failures > 0) return kFailingBatch;
    if (found < lane.batch) return std::max(lane.batch, kFirstBatch);
    return std::min(lane.batch * 2, limits_.fetched);
}

void DeliveryEngine::take_in(DueWork work, Wanted const& wanted) {
    std::map<core::Id, int> found;
    auto const lane_of = [&](core::Id webhook) -> Lane* {
        auto const place = std::ranges::lower_bound(wanted.webhooks, webhook) - wanted.webhooks.begin();
        auto const lane = lanes_.find(webhook);
        bool const same =
            lane != lanes_.end() && lane->second.serial == wanted.serials[static_cast<std::size_t>(place)];
        return same && !lane->second.releasing ? &lane->second : nullptr;
    };
    for (auto& delivery : work.deliveries) {
        auto* const lane = lane_of(delivery.webhook);
        if (lane == nullptr || made_.contains(delivery.id)) continue;
        ++found[delivery.webhook];
        aim(*lane, work.targets[delivery.webhook]);
        end_hold(*lane, delivery.webhook, wanted);
        if (lane->giving_up) continue;
        bool const given_up = delivery.attempt > kMostAttempts;  // comes before what is not to be sent any more
        lane->waiting.insert(given_up ? lane->waiting.begin() : lane->waiting.end(), std::move(delivery));
    }
    for (auto const webhook : wanted.webhooks) {
        auto* const lane = lane_of(webhook);
        if (lane == nullptr) continue;
        lane->more = found[webhook] >= lane->batch;
        lane->batch = next_batch(*lane, found[webhook]);
        if (found[webhook] > 0) {
            lane->busy_at = Clock::now();
        } else if (lane->waiting.empty() && lane->under_way.empty() && lingered(*lane)) {
            end_hold(*lane, webhook, wanted);
            to_settle_.insert(webhook);  // nothing is due any more: it goes back, unless that finds otherwise
        }
    }
}

void DeliveryEngine::end_hold(Lane& lane, core::Id webhook, Wanted const& wanted) {
    // It may have been held anew since the fetch began.
    if (wanted.unheld.contains(webhook) && Clock::now() >= lane.give_up_again) lane.giving_up = false;
}

bool DeliveryEngine::lingered(Lane const& lane) const { return Clock::now() - lane.busy_at >= limits_.linger; }

void DeliveryEngine::aim(Lane& lane, std::shared_ptr<DeliveryTarget const> target) {
    if (lane.target && lane.target->version != target->version) lane.waiting.clear();
    lane.target = std::move(target);
}

void DeliveryEngine::slow_down(Lane& lane) {
    lane.batch = kFailingBatch;
    lane.waiting.resize(std::min(lane.waiting.size(), static_cast<std::size_t>(kFailingBatch)));
}

void DeliveryEngine::hold(Lane& lane) {
    lane.giving_up = true;
    lane.give_up_again = Clock::time_point::max();
}

int DeliveryEngine::room(Lane const& lane) const {
    auto const most = lane.failures > 0 ? limits_.at_once_failing : limits_.at_once;
    return std::min(most - static_cast<int>(lane.under_way.size()), limits_.unrecorded - lane.unrecorded);
}

void DeliveryEngine::begin(Lane& lane) {
    while (!lane.giving_up && !lane.releasing && !lane.waiting.empty() && room(lane) > 0 && !stopping_) {
        auto delivery = std::move(lane.waiting.front());
        lane.waiting.pop_front();
        lane.under_way.push_back(delivery.id);
        ++stats_.under_way;
        if (delivery.attempt > kMostAttempts) {
            hold(lane);
            ++giving_up_;
            asio::co_spawn(*executor_, give_up(std::move(delivery)), asio::detached);
            return;
        }
        ++lane.unrecorded;
        asio::co_spawn(*executor_, attempt(std::move(delivery), lane.target), asio::detached);
    }
    bool const low = static_cast<int>(lane.waiting.size()) <= lane.batch / 2;
    if (lane.more && !lane.giving_up && lane.failures == 0 && low) wake_looking();
}

AttemptRecord DeliveryEngine::judged(DueDelivery delivery, AttemptResult result, core::Timestamp at) const {
    AttemptRecord record{.delivery = std::move(delivery), .status = result.delivered ? "succeeded" : "failed"};
    record.result = std::move(result);
    record.at = at;
    if (record.result.delivered || !counts_for_health(record.delivery.trigger)) return record;
    if (record.delivery.attempt < kMostAttempts) {
        std::chrono::milliseconds const took(record.result.duration_ms);
        record.next = retry_at(at, took, record.delivery.attempt, random_spread());
    } else {
        record.exhausted = true;
    }
    return record;
}

awaitable<void> DeliveryEngine::attempt(DueDelivery delivery, std::shared_ptr<DeliveryTarget const> target) {
    auto const at = now();
    auto const body = delivery.body;
    if (!body || !body->bytes) {
        AttemptResult const erased{.error = "erased: whom it told of was forgotten"};
        finish({.delivery = std::move(delivery), .status = "abandoned", .result = erased, .at = at});
        co_return;
    }
    AttemptResult result{.error = "internal: the request could not be made"};
    try {
        OutgoingDelivery outgoing{.id = delivery.id,
                                  .url = target->url,
                                  .secrets = signing_secrets(target->internals, at, target->secrets),
                                  .event_id = delivery.event_id,
                                  .event_type = delivery.event_type,
                                  .correlation_id = body->correlation_id,
                                  .attempt = delivery.attempt,
                                  .body = std::shared_ptr<std::string const>(body, &*body->bytes)};
        result = co_await parts_.sender.send(std::move(outgoing), at);
    } catch (std::exception const& error) {
        core::log(core::Level::error, "a webhook delivery could not be made",
                  {{"webhook", delivery.webhook}, {"delivery", delivery.id}, {"error", error.what()}});
    }
    if (attempt_ != nullptr) attempt_->Observe(result.duration_ms / 1000.0);
    finish(judged(std::move(delivery), std::move(result), at));
}

void DeliveryEngine::tell_health(Lane const& lane, AttemptRecord const& record, std::int64_t failures_before) {
    auto const& delivery = record.delivery;
    if (lane.failures > 0) {
        failure_log_.failed(delivery.webhook, delivery.organization, lane.target ? lane.target->url : "",
                            record.result.error.value_or(""), lane.failures);
    } else if (failures_before > 0) {
        failure_log_.recovered(delivery.webhook, delivery.organization, failures_before);
    }
}

void DeliveryEngine::finish(AttemptRecord record) {
    --stats_.under_way;
    auto& count = record.status == "succeeded" ? stats_.succeeded
                  : record.status == "failed"  ? stats_.failed
                                               : stats_.abandoned;
    ++count;
    auto const webhook = record.delivery.webhook;
    made_.insert(record.delivery.id);
    auto const found = lanes_.find(webhook);
    if (found != lanes_.end()) {
        auto& lane = found->second;
        std::erase(lane.under_way, record.delivery.id);
        lane.busy_at = Clock::now();
        touched_.insert(webhook);
        if (record.status != "abandoned") lane.delivered_at = record.at;
        if (counts_for_health(record.delivery.trigger) && record.status != "abandoned") {
            auto const failures = record.result.delivered ? 0 : lane.failures + 1;
            auto const before = std::exchange(lane.failures, failures);
            if (before != failures) to_settle_.insert(webhook);
            tell_health(lane, record, before);
            if (failures > 0) slow_down(lane);
        }
        if (record.exhausted) hold(lane);
    }
    records_.push_back(std::move(record));
    if (found != lanes_.end()) begin(found->second);
    wake_recording();
}

}  // namespace workforce::workers
