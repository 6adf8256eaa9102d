// One loop that leases, fetches and records, and a coroutine an attempt.
#include "workers/webhooks/delivery_engine.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <random>
#include <utility>

#include "core/logging.hpp"
#include "workers/reactors/standing.hpp"
#include "workers/webhooks/schedule.hpp"

namespace workforce::workers {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr auto kRenewal = kQueueLease / 4;
constexpr auto kGiveUpPause = std::chrono::seconds(1);   // in which the event that disables should be folded
constexpr auto kTroublePause = std::chrono::seconds(1);  // after a look that failed
constexpr auto kLongestStop = std::chrono::seconds(10);
constexpr std::string_view kReactor = "webhooks";  // a pause of it holds deliveries, too
constexpr std::string_view kMaxRetries = "max_retries_exceeded";

double random_spread() {
    thread_local std::minstd_rand engine{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(engine);
}

bool counts_for_health(std::string_view trigger) { return trigger != "manual"; }

}  // namespace

DeliveryEngine::DeliveryEngine(DeliveryParts parts, DeliveryLimits limits)
    : parts_(std::move(parts)), limits_(limits), share_{.owner = parts_.owner} {}
DeliveryEngine::~DeliveryEngine() = default;

core::Timestamp DeliveryEngine::now() const {
    auto const since = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - looked_here_);
    return {looked_at_.ms + since.count()};
}

void DeliveryEngine::wake() {
    woken_ = true;
    if (timer_) timer_->cancel();
}

void DeliveryEngine::stop() {
    stopping_ = true;
    wake();
}

awaitable<void> DeliveryEngine::run() {
    timer_ = std::make_unique<asio::steady_timer>(co_await asio::this_coro::executor);
    bool troubled = false;
    Clock::time_point stop_at = Clock::time_point::max();
    for (;;) {
        bool failed = false;
        try {
            co_await look();
            troubled = false;
        } catch (std::exception const& error) {
            failed = true;
            if (!std::exchange(troubled, true)) {
                core::log(core::Level::warn, "webhook deliveries can't be looked for or recorded",
                          {{"error", error.what()}});
            }
        }
        if (stopping_) {
            if (stop_at == Clock::time_point::max()) stop_at = Clock::now() + kLongestStop;
            bool const idle = stats_.under_way == 0 && giving_up_ == 0 && records_.empty();
            if (idle || Clock::now() >= stop_at) break;
        }
        if (!std::exchange(woken_, false) || failed) {
            timer_->expires_after(failed ? std::chrono::milliseconds(kTroublePause) : limits_.pause);
            boost::system::error_code ignored;
            co_await timer_->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        }
    }
    try {
        co_await parts_.writes.run(
            [owner = parts_.owner](core::Connection& connection) { release_queues(connection, owner); });
    } catch (std::exception const& error) {  // their leases end by themselves
        core::log(core::Level::info, "webhook queues were not given back", {{"error", error.what()}});
    }
}

awaitable<void> DeliveryEngine::look() {
    co_await record();
    if (stopping_) co_return;
    co_await lease();
    co_await renew();
    co_await fetch();
    for (auto& [webhook, lane] : lanes_) begin(lane);
    stats_.queues = static_cast<std::int64_t>(lanes_.size());
}

awaitable<void> DeliveryEngine::lease() {
    auto const most = limits_.queues - static_cast<int>(lanes_.size());
    bool const ask_who = Clock::now() - renewed_at_ > kRenewal;
    bool const waits = std::ranges::any_of(lanes_, [](auto const& each) { return !each.second.waiting.empty(); });
    struct Found {
        core::Timestamp now;
        bool held = false;
        std::vector<std::string> processes;
        std::vector<LeasedQueue> queues;
    };
    auto const found = co_await parts_.writes.run(
        [share = share_, most, ask_who, waits, clock = parts_.clock](core::Connection& connection) mutable {
            Found all{.now = clock(connection), .processes = {}, .queues = {}};
            if (waits) all.held = paused(connection).contains(std::string(kReactor));
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
    for (auto const& queue : found.queues) lanes_[queue.webhook].failures = queue.failures;
    if (found.held) put_back();
}

void DeliveryEngine::put_back() {
    for (auto& [webhook, lane] : lanes_) {
        if (lane.waiting.empty()) continue;
        lane.waiting.clear();
        lane.touched = true;
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

struct DeliveryEngine::Fetched {
    std::vector<DueDelivery> due;
    std::vector<DeliveryTarget> targets;
    std::map<std::string, std::string> secrets;
};

awaitable<void> DeliveryEngine::fetch() {
    std::vector<core::Id> webhooks;
    std::vector<int> rooms;
    for (auto const& [webhook, lane] : lanes_) {
        auto const in_memory = static_cast<int>(lane.waiting.size() + lane.under_way.size());
        if (static_cast<int>(lane.waiting.size()) > limits_.fetched / 2) continue;
        webhooks.push_back(webhook);
        rooms.push_back(in_memory + limits_.fetched);
    }
    if (webhooks.empty()) co_return;
    auto fetched = co_await parts_.writes.run([this, webhooks, rooms, at = now()](core::Connection& connection) {
        return read_due(connection, webhooks, rooms, at);
    });
    take_in(std::move(fetched), webhooks);
}

DeliveryEngine::Fetched DeliveryEngine::read_due(core::Connection& connection, std::vector<core::Id> const& webhooks,
                                                 std::vector<int> const& rooms, core::Timestamp at) const {
    Fetched all;
    all.due = due_deliveries(connection, parts_.keyring, parts_.owner, webhooks, rooms, at);
    if (all.due.empty()) return all;
    std::set<core::Id> with_work;
    for (auto const& delivery : all.due) with_work.insert(delivery.webhook);
    all.targets = delivery_targets(connection, {with_work.begin(), with_work.end()});
    std::vector<std::string> ids;
    for (auto const& target : all.targets) {
        ids.push_back(target.internals.secret);
        if (!target.internals.nextSecret.empty()) ids.push_back(target.internals.nextSecret);
    }
    all.secrets = parts_.secrets.read(connection, ids);
    return all;
}

void DeliveryEngine::take_in(Fetched fetched, std::vector<core::Id> const& webhooks) {
    for (auto& target : fetched.targets) {
        auto const found = lanes_.find(target.webhook);
        if (found == lanes_.end()) continue;
        auto& lane = found->second;
        lane.secrets = signing_secrets(target.internals, now(), fetched.secrets);
        lane.target = std::move(target);
        if (lane.giving_up && Clock::now() >= lane.give_up_again) lane.giving_up = false;
    }
    std::set<core::Id> with_work;
    for (auto& delivery : fetched.due) {
        with_work.insert(delivery.webhook);
        auto const found = lanes_.find(delivery.webhook);
        if (found == lanes_.end()) continue;
        auto& lane = found->second;
        bool const known = made_.contains(delivery.id) ||
                           std::ranges::find(lane.under_way, delivery.id) != lane.under_way.end() ||
                           std::ranges::find(lane.waiting, delivery.id, &DueDelivery::id) != lane.waiting.end();
        if (known || lane.giving_up) continue;
        bool const given_up = delivery.attempt > kMostAttempts;  // comes before what is not to be sent any more
        lane.waiting.insert(given_up ? lane.waiting.begin() : lane.waiting.end(), std::move(delivery));
    }
    for (auto const webhook : webhooks) {
        auto const found = lanes_.find(webhook);
        if (found == lanes_.end() || with_work.contains(webhook)) continue;
        // Nothing is due any more: it goes back, unless record() finds otherwise.
        if (Clock::now() >= found->second.give_up_again) found->second.giving_up = false;
        found->second.touched = true;
    }
}

void DeliveryEngine::hold(Lane& lane) {
    lane.giving_up = true;
    lane.give_up_again = Clock::time_point::max();
}

int DeliveryEngine::room(Lane const& lane) const {
    auto const most = lane.failures > 0 ? limits_.at_once_failing : limits_.at_once;
    return most - static_cast<int>(lane.under_way.size());
}

void DeliveryEngine::begin(Lane& lane) {
    while (!lane.giving_up && !lane.waiting.empty() && room(lane) > 0 && !stopping_) {
        auto delivery = std::move(lane.waiting.front());
        lane.waiting.pop_front();
        lane.under_way.push_back(delivery.id);
        ++stats_.under_way;
        if (delivery.attempt > kMostAttempts) {
            hold(lane);
            ++giving_up_;
            asio::co_spawn(timer_->get_executor(), give_up(std::move(delivery), ""), asio::detached);
            return;
        }
        asio::co_spawn(timer_->get_executor(), attempt(std::move(delivery), lane.target, lane.secrets), asio::detached);
    }
}

AttemptRecord DeliveryEngine::judged(DueDelivery delivery, AttemptResult result, core::Timestamp at) const {
    AttemptRecord record{.delivery = std::move(delivery), .status = result.delivered ? "succeeded" : "failed"};
    record.result = std::move(result);
    record.at = at;
    if (record.result.delivered || !counts_for_health(record.delivery.trigger)) return record;
    if (record.delivery.attempt < kMostAttempts) {
        record.next = core::Timestamp{at.ms + retry_delay(record.delivery.attempt, random_spread()).count()};
    } else {
        record.exhausted = true;
    }
    return record;
}

awaitable<void> DeliveryEngine::attempt(DueDelivery delivery, DeliveryTarget target, SigningSecrets secrets) {
    auto const at = now();
    if (!delivery.body) {
        AttemptResult const erased{.error = "erased: whom it told of was forgotten"};
        finish({.delivery = std::move(delivery), .status = "abandoned", .result = erased, .at = at});
        co_return;
    }
    OutgoingDelivery outgoing{.id = delivery.id,
                              .url = target.url,
                              .secrets = std::move(secrets),
                              .event_id = delivery.event_id,
                              .event_type = delivery.event_type,
                              .correlation_id = delivery.correlation_id,
                              .attempt = delivery.attempt,
                              .body = std::exchange(delivery.body, nullptr)};
    auto result = co_await parts_.sender.send(std::move(outgoing), at);
    if (attempt_ != nullptr) attempt_->Observe(result.duration_ms / 1000.0);
    finish(judged(std::move(delivery), std::move(result), at));
}

void DeliveryEngine::finish(AttemptRecord record) {
    --stats_.under_way;
    auto& count = record.status == "succeeded" ? stats_.succeeded
                  : record.status == "failed"  ? stats_.failed
                                               : stats_.abandoned;
    ++count;
    auto const found = lanes_.find(record.delivery.webhook);
    if (found != lanes_.end()) {
        auto& lane = found->second;
        std::erase(lane.under_way, record.delivery.id);
        lane.touched = true;
        if (record.status != "abandoned") lane.delivered_at = record.at;
        if (counts_for_health(record.delivery.trigger) && record.status != "abandoned") {
            lane.failures = record.result.delivered ? 0 : lane.failures + 1;
        }
        if (record.exhausted) hold(lane);
        begin(lane);
    }
    made_.insert(record.delivery.id);
    records_.push_back(std::move(record));
    wake();
}

awaitable<void> DeliveryEngine::record() {
    std::vector<QueueState> queues;
    for (auto& [webhook, lane] : lanes_) {
        if (!std::exchange(lane.touched, false)) continue;
        bool const idle = lane.waiting.empty() && lane.under_way.empty() && !lane.giving_up;
        queues.push_back({webhook, lane.failures, lane.delivered_at, idle});
    }
    if (queues.empty() && records_.empty()) co_return;
    auto const records = std::make_shared<std::vector<AttemptRecord>>(std::exchange(records_, {}));
    std::exception_ptr failure;
    try {
        auto const given_back = co_await parts_.writes.run(
            [records, queues, owner = parts_.owner, at = now()](core::Connection& connection) {
                return record_attempts(connection, owner, *records, queues, at);
            });
        for (auto const webhook : given_back) {
            auto const found = lanes_.find(webhook);
            if (found == lanes_.end()) continue;
            auto const& lane = found->second;
            if (lane.waiting.empty() && lane.under_way.empty()) lanes_.erase(found);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) {
        for (auto const& each : *records) {
            made_.erase(each.delivery.id);
            if (!each.exhausted) continue;
            ++giving_up_;
            ++stats_.under_way;
            asio::co_spawn(timer_->get_executor(), give_up(each.delivery, each.result.error.value_or("")),
                           asio::detached);
        }
        co_return;
    }
    // To be recorded at the next look: they were made, and must not be made again.
    records_.insert(records_.begin(), records->begin(), records->end());
    for (auto const& queue : queues) {
        if (auto const found = lanes_.find(queue.webhook); found != lanes_.end()) found->second.touched = true;
    }
    std::rethrow_exception(failure);
}

void export_deliveries(core::Metrics& metrics, DeliveryEngine const& engine) {
    metrics.before_render([&metrics, &engine] {
        auto const& stats = engine.stats();
        auto const set = [&](std::string_view result, std::uint64_t count) {
            auto& counter =
                metrics.counter("workforce_webhook_attempts_total", "Attempts to deliver, by what came of them",
                                {{"result", std::string(result)}});
            counter.Increment(static_cast<double>(count) - counter.Value());
        };
        set("succeeded", stats.succeeded);
        set("failed", stats.failed);
        set("abandoned", stats.abandoned);
        metrics.gauge("workforce_webhook_attempts_under_way", "Attempts to deliver that are under way")
            .Set(static_cast<double>(stats.under_way));
        metrics.gauge("workforce_webhook_queues", "Subscriptions whose deliveries this process sends")
            .Set(static_cast<double>(stats.queues));
    });
}

awaitable<void> DeliveryEngine::give_up(DueDelivery delivery, std::string last_error) {
    core::JsonWriter w;
    w.begin_object();
    w.member("reason", kMaxRetries);
    w.member("lastError", last_error);
    w.member("eventId", delivery.event_id);
    w.end_object();
    OperationRequest request{.verb = "webhooks.disable",
                             .organization = delivery.organization,
                             .id = delivery.webhook,
                             .body = w.take(),
                             .key = "webhooks " + std::to_string(delivery.webhook) + ' ' + delivery.event_id,
                             .correlation_id = delivery.correlation_id};
    try {
        co_await parts_.ask(std::move(request));  // what could not be done is asked for again at the next fetch
    } catch (std::exception const& error) {
        core::log(core::Level::warn, "a webhook subscription could not be disabled and is tried again",
                  {{"webhook", delivery.webhook}, {"error", error.what()}});
    }
    --giving_up_;
    --stats_.under_way;
    auto const found = lanes_.find(delivery.webhook);
    if (found != lanes_.end()) {
        auto& lane = found->second;
        std::erase(lane.under_way, delivery.id);
        lane.waiting.clear();  // what is left of them is abandoned where the event is folded
        lane.give_up_again = Clock::now() + kGiveUpPause;
        lane.giving_up = true;
    }
    wake();
}

}  // namespace workforce::workers
