// The loops that record attempts: while transactions are under way, what ends meanwhile gathers for the next. What
// follows from the last attempt, and what metrics tell of all that.
#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"
#include "workers/webhooks/delivery_engine.hpp"

namespace workforce::workers {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr std::chrono::seconds kRepeatPause(1);   // after a transaction that failed
constexpr std::chrono::seconds kLongestSleep(1);  // who has work wakes the loop
constexpr std::chrono::seconds kGiveUpPause(1);   // in which the event that disables should be folded
constexpr std::string_view kMaxRetries = "max_retries_exceeded";

/// The same each time, so that the first that gets through is the only one.
OperationRequest request_to_disable(DueDelivery const& delivery, std::string_view last_error) {
    core::JsonWriter w;
    w.begin_object();
    w.member("reason", kMaxRetries);
    w.member("lastError", last_error);
    w.member("eventId", delivery.event_id);
    w.end_object();
    return {.verb = "webhooks.disable",
            .organization = delivery.organization,
            .id = delivery.webhook,
            .body = w.take(),
            .key = "webhooks " + std::to_string(delivery.webhook) + ' ' + delivery.event_id,
            .correlation_id = delivery.body ? delivery.body->correlation_id : ""};
}

}  // namespace

awaitable<void> DeliveryEngine::keep_recording(Sleeper& sleeper) {
    bool troubled = false;
    while (!is_over()) {
        bool failed = false;
        bool idle = true;
        try {
            idle = !co_await record();
            if (!idle) troubled = false;
        } catch (std::exception const& error) {
            failed = true;
            if (!std::exchange(troubled, true)) {
                core::log(core::quiet_while_away(core::Level::warn), "attempts to deliver webhooks can't be recorded",
                          {{"error", error.what()}});
            }
        }
        if (failed) sleeper.woken = false;
        if (failed || idle) {
            co_await sleeper.sleep(failed ? kRepeatPause : kLongestSleep);
        }
    }
}

std::vector<QueueState> DeliveryEngine::queues_to_settle() {
    std::vector<QueueState> queues;
    if (stopping_) to_settle_.merge(std::exchange(touched_, {}));  // nobody looks any more
    for (auto const webhook : std::exchange(to_settle_, {})) {
        touched_.erase(webhook);
        auto const found = lanes_.find(webhook);
        if (found == lanes_.end()) continue;
        auto& lane = found->second;
        lane.releasing = lane.waiting.empty() && lane.unrecorded == 0 && !lane.giving_up && lingered(lane);
        queues.push_back({webhook, lane.failures, lane.delivered_at, lane.releasing});
    }
    return queues;
}

awaitable<bool> DeliveryEngine::record() {
    auto const queues = queues_to_settle();
    if (queues.empty() && records_.empty()) co_return false;
    auto records = std::make_shared<std::vector<AttemptRecord>>(std::exchange(records_, {}));
    std::exception_ptr failure;
    ++recording_;
    try {
        auto const result = co_await parts_.writes.run(
            [records, queues, owner = parts_.owner, at = now()](core::Connection& connection) {
                return record_attempts(connection, owner, *records, queues, at);
            });
        recorded(*records, queues, result);
    } catch (...) {
        failure = std::current_exception();
    }
    --recording_;
    if (stopping_) wake_recording();  // it may have been the last
    if (!failure) co_return true;
    not_recorded(std::move(*records), queues);
    std::rethrow_exception(failure);
}

void DeliveryEngine::recorded(std::vector<AttemptRecord> const& records, std::vector<QueueState> const& queues,
                              Recorded const& result) {
    for (auto const webhook : result.given_back) {
        // One that was leased again meanwhile is another lane.
        if (auto const found = lanes_.find(webhook); found != lanes_.end() && found->second.releasing)
            lanes_.erase(found);
    }
    for (auto const& queue : queues) {
        if (auto const found = lanes_.find(queue.webhook); found != lanes_.end()) found->second.releasing = false;
    }
    std::set<core::Id> webhooks;
    for (auto const& each : records) {
        recorded_.push_back(each.delivery.id);
        webhooks.insert(each.delivery.webhook);
        bool const gives_up = each.exhausted && !result.gone.contains(each.delivery.id);
        if (auto const found = lanes_.find(each.delivery.webhook); found != lanes_.end()) {
            found->second.unrecorded = std::max(0, found->second.unrecorded - 1);
            if (each.exhausted && !gives_up) found->second.giving_up = false;  // it was held for what no longer counts
        }
        if (!gives_up) continue;
        ++giving_up_;
        ++stats_.under_way;
        asio::co_spawn(*executor_, give_up(each.delivery), asio::detached);
    }
    for (auto const webhook : webhooks) {
        if (auto const found = lanes_.find(webhook); found != lanes_.end()) begin(found->second);
    }
}

// To be recorded at the next occasion: they were made, and must not be made again.
void DeliveryEngine::not_recorded(std::vector<AttemptRecord> records, std::vector<QueueState> const& queues) {
    records_.insert(records_.begin(), std::make_move_iterator(records.begin()), std::make_move_iterator(records.end()));
    for (auto const& queue : queues) {
        auto const found = lanes_.find(queue.webhook);
        if (found == lanes_.end()) continue;
        found->second.releasing = false;
        to_settle_.insert(queue.webhook);
    }
}

void DeliveryEngine::note_disabled(DueDelivery const& delivery, std::string_view last_error) {
    std::string url;
    if (auto const found = lanes_.find(delivery.webhook); found != lanes_.end()) {
        // It may have been asked for more than once, until what disables it was folded.
        if (std::exchange(found->second.given_up_by, delivery.event_id) == delivery.event_id) return;
        if (found->second.target) url = found->second.target->url;
    }
    ++stats_.disabled;
    failure_log_.disabled(delivery.webhook, delivery.organization, url, last_error);
}

awaitable<void> DeliveryEngine::give_up(DueDelivery delivery) {
    try {
        auto const error = co_await parts_.writes.run(
            [webhook = delivery.webhook, event = delivery.event_id](core::Connection& connection) {
                return last_error(connection, webhook, event);
            });
        // What could not be done is asked for again at the next fetch.
        auto const answer = co_await parts_.ask(request_to_disable(delivery, error));
        if (answer && !answer->refused) note_disabled(delivery, error);
    } catch (std::exception const& error) {
        core::log(core::quiet_while_away(core::Level::warn),
                  "a webhook subscription could not be disabled and is tried again",
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
    wake_looking();
    wake_recording();
}

void export_troubled(core::Metrics& metrics, TroubledSubscriptions const& troubled) {
    metrics
        .gauge("workforce_webhook_subscriptions_failing",
               "Active webhook subscriptions whose last attempt failed, of all organizations")
        .Set(static_cast<double>(troubled.failing));
    metrics
        .gauge("workforce_webhook_subscriptions_disabled",
               "Webhook subscriptions that were given up and not enabled again, of all organizations")
        .Set(static_cast<double>(troubled.disabled));
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
        auto& disabled =
            metrics.counter("workforce_webhook_subscriptions_disabled_total",
                            "Subscriptions that this process had disabled, for a delivery's last attempt failed");
        disabled.Increment(static_cast<double>(stats.disabled) - disabled.Value());
        metrics.gauge("workforce_webhook_attempts_under_way", "Attempts to deliver that are under way")
            .Set(static_cast<double>(stats.under_way));
        metrics.gauge("workforce_webhook_queues", "Subscriptions whose deliveries this process sends")
            .Set(static_cast<double>(stats.queues));
    });
}

}  // namespace workforce::workers
