// The gauges.
#include "api/admin/node_metrics.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "core/allocator.hpp"
#include "core/outage.hpp"
#include "projections/guardrails/guardrails.hpp"

namespace workforce::api {
namespace {

constexpr auto kAnswerTime = std::chrono::seconds(2);  // as readiness allows

void export_reactors(core::Metrics& metrics, workers::ReactorWatch const& reactors) {
    struct Sum {
        double lag = 0;
        double pending = 0;
        double age = 0;
        double still = 0;
    };
    std::map<std::string, Sum> sums;
    auto const now = core::now();
    for (auto const& each : reactors.status()) {
        auto& sum = sums[each.name];
        sum.lag += static_cast<double>(each.lag_events);
        sum.pending += static_cast<double>(each.work.rows);
        if (each.work.oldest) sum.age = std::max(sum.age, static_cast<double>(now.ms - each.work.oldest->ms) / 1000);
        if (each.stands_still()) ++sum.still;
    }
    for (auto const& [name, sum] : sums) {
        core::Metrics::Labels const labels{{"reactor", name}};
        metrics.gauge("workforce_reactor_lag_events", "Events that a reactor has not folded", labels).Set(sum.lag);
        metrics.gauge("workforce_reactor_pending", "Work of a reactor that waits or is under way", labels)
            .Set(sum.pending);
        metrics.gauge("workforce_reactor_oldest_seconds", "Age of a reactor's oldest work", labels).Set(sum.age);
        metrics.gauge("workforce_reactor_stopped", "Partitions at which a reactor stands still", labels).Set(sum.still);
    }
}

void export_partition(core::Metrics& metrics, commands::Partition const& partition) {
    auto const& stats = partition.stats();
    core::Metrics::Labels const labels{{"partition", std::to_string(partition.number())}};
    auto const set = [&](std::string const& name, std::string const& help, auto const& value) {
        metrics.gauge(name, help, labels).Set(static_cast<double>(value));
    };
    auto const count = [&](std::string const& name, std::string const& help, auto const& value) {
        core::raise(metrics.counter(name, help, labels), static_cast<double>(value));
    };
    set("workforce_partition_served", "Whether this process takes the partition's commands",
        partition.served() ? 1 : 0);
    set("workforce_log_head", "Position of the partition's last event", stats.head.load());
    set("workforce_log_epoch", "Epoch of this process's claim", stats.epoch.load());
    set("workforce_commands_waiting", "Commands that wait for the partition", stats.queued.load());
    count("workforce_commands_answered_total", "Commands answered", stats.commands.load());
    count("workforce_appends_total", "Appends to the log", stats.appends.load());
    count("workforce_append_faults_total", "Appends fenced or of unknown outcome", stats.faults.load());
    count("workforce_take_overs_total", "Times that this process took the partition over", stats.claims.load());
    set("workforce_take_over_base", "Position from which on the last take-over folded the log", stats.base.load());
    set("workforce_memory_aggregates", "Resources that the write side holds in memory", stats.aggregates.load());
    set("workforce_memory_bytes", "Bytes that these resources take", stats.bytes.load());
    set("workforce_memory_answers", "Answers kept for retries in memory", stats.answers.load());
    count("workforce_memory_refused_total", "Commands refused, for nothing could be evicted", stats.refused.load());
    count("workforce_memory_evicted_total", "Aggregates evicted from memory", stats.evicted.load());
    count("workforce_memory_looked_up_total", "What memory lacked and was looked up", stats.looked_up.load());
}

/// Latency of appends, summed over all partitions: a histogram has many lines.
prometheus::MetricFamily append_latency(workers::Runtime const& runtime) {
    prometheus::MetricFamily family{"workforce_append_seconds",
                                    "Time that appends to the log took, whatever their outcome",
                                    prometheus::MetricType::Histogram,
                                    {}};
    auto& all = family.metric.emplace_back();
    for (auto const& partition : runtime.processor.partitions()) {
        partition->stats().append_seconds.add_to(all);
    }
    return family;
}

/// Sets the gauges of a log in Kafka; the Postgres log has none.
void export_brokers(core::Metrics& metrics, events::EventLog& log) {
    auto const brokers = log.brokers();
    if (!brokers) return;
    auto const set = [&](std::string const& name, std::string const& help, auto value) {
        metrics.gauge(name, help).Set(static_cast<double>(value));
    };
    set("workforce_kafka_brokers_known", "Kafka brokers that the cluster or the topic's partitions name",
        brokers->known);
    set("workforce_kafka_brokers_up", "Of these brokers, those that are there; 0 while none can be reached",
        brokers->up);
    set("workforce_kafka_partitions_blocked", "Partitions that take no writes: no leader, or too few replicas in step",
        brokers->blocked);
    set("workforce_kafka_records_queued", "Records that no Kafka broker has acknowledged yet", brokers->queued);
}

}  // namespace

void export_metrics(core::Metrics& metrics, workers::Runtime& runtime, projections::Progress& progress,
                    workers::ReactorWatch const& reactors) {
    auto& lag_events = metrics.gauge("workforce_projection_lag_events", "Events that wait to be folded");
    auto& lag_seconds =
        metrics.gauge("workforce_projection_lag_seconds", "Age of the oldest event that waits to be folded");
    auto& guardrails = metrics.gauge("workforce_guardrails_behind_seconds",
                                     "For how long guardrails have lacked what the log has, the most of a partition");
    auto& stopped = metrics.gauge("workforce_projections_stopped", "Projections that stand still at a poison event");
    auto& skew = metrics.gauge("workforce_clock_skew_seconds",
                               "How far this process's clock is ahead of the database's; negative: behind");
    auto& reachable = metrics.gauge("workforce_log_reachable", "Whether the log answers this process");
    auto& database = metrics.gauge("workforce_database_reachable", "Whether this process reaches PostgreSQL");
    auto& held_back = metrics.gauge("workforce_events_held_back",
                                    "Event types and versions that are not written until all processes read them");
    auto& master_keys =
        metrics.gauge("workforce_master_keys", "Master keys that this process knows; 2 while one replaces the other");
    auto& answer_keys = metrics.gauge("workforce_answer_key_uses",
                                      "Events for which the keys of answers have been in use, the most of a partition "
                                      "written here; others follow at 268435456");
    metrics.also([&] { return append_latency(runtime); });
    auto& own =
        metrics.gauge("workforce_heap_bytes", "Bytes of the process in memory that are no file's: heap and stacks");
    metrics.before_render([&] {
        export_brokers(metrics, runtime.log);
        own.Set(static_cast<double>(core::own_memory()));
        master_keys.Set(static_cast<double>(runtime.master_keys.ids().size()));
        std::int64_t uses = 0;
        for (auto const& partition : runtime.processor.partitions()) {
            auto const head = partition->served() ? partition->stats().head.load() : -1;
            uses = std::max(uses, (head + 1) % commands::AnswerKeyUse{}.events);
        }
        answer_keys.Set(static_cast<double>(uses));
        held_back.Set(static_cast<double>(runtime.activations.held_back()));
        export_reactors(metrics, reactors);
        database.Set(core::database_outage().away() ? 0 : 1);
        reachable.Set(runtime.log.silence() < kAnswerTime ? 1 : 0);
        skew.Set(std::chrono::duration<double>(runtime.clock.ahead().value_or(std::chrono::milliseconds(0))).count());
        auto const status = progress.status();
        lag_events.Set(static_cast<double>(status.lag_events));
        lag_seconds.Set(static_cast<double>(status.lag.count()) / 1000);
        guardrails.Set(std::chrono::duration<double>(progress.behind(projections::guardrails().spec().name)).count());
        stopped.Set(static_cast<double>(status.stopped.size()));
        for (auto const& partition : runtime.processor.partitions()) {
            export_partition(metrics, *partition);
            for (auto const& [why, count] : runtime.log.voids(partition->number())) {
                core::raise(
                    metrics.counter("workforce_log_void_records_total",
                                    "Records of the log that this process has read and that do not count",
                                    {{"partition", std::to_string(partition->number())}, {"why", std::string(why)}}),
                    static_cast<double>(count));
            }
        }
    });
}

}  // namespace workforce::api
