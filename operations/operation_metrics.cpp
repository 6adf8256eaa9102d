// Counters by operation and result.
#include "operations/operation_metrics.hpp"

namespace workforce::operations {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Unavailable::count)> kReasons{
    "other",      "database", "database_queue",     "log",         "read_model",
    "forwarding", "writer",   "organization_share", "reply_bytes", "streams"};

/// Why the outcome is a 503. Where nobody noted it, its code tells.
Unavailable noted_reason(Facts const& facts) {
    if (facts.unavailable != Unavailable::other) return facts.unavailable;
    if (facts.refused == core::Code::log_unavailable) return Unavailable::log;
    if (facts.refused == core::Code::read_model_behind) return Unavailable::read_model;
    return Unavailable::other;
}

}  // namespace

OperationMetrics::OperationMetrics(core::Metrics& metrics)
    : stale_(metrics.counter("workforce_stale_reads_total",
                             "Answers that may lack the caller's last write, for its projection came too late")) {
    for (auto const& operation : operations()) {
        auto& row = rows_.emplace_back();
        for (std::size_t i = 0; i < kResults.size(); ++i) {
            row.results.at(i) =
                &metrics.counter("workforce_operations_total", "Outcomes of operations",
                                 {{"operation", std::string(operation.name)}, {"result", std::string(kResults.at(i))}});
        }
    }
    for (std::size_t i = 0; i < kReasons.size(); ++i) {
        unavailable_.at(i) = &metrics.counter("workforce_unavailable_total", "Operations that were answered with 503",
                                              {{"reason", std::string(kReasons.at(i))}});
    }
    metrics.also([this] { return latencies(); });
}

void OperationMetrics::note(Facts const& facts) noexcept {
    if (facts.verb.empty() || facts.row >= rows_.size()) return;
    std::size_t const result = facts.status >= 500 ? 3 : facts.status >= 400 ? 2 : facts.replayed ? 1 : 0;
    auto& row = rows_[facts.row];
    row.results[result]->Increment();
    row.seconds.observe(facts.seconds);
    if (facts.stale) stale_.Increment();
    if (facts.status == 503) unavailable_[static_cast<std::size_t>(noted_reason(facts))]->Increment();
}

prometheus::MetricFamily OperationMetrics::latencies() const {
    prometheus::MetricFamily family{"workforce_operation_seconds",
                                    "Time from a whole request to its answer, of operations that were asked for",
                                    prometheus::MetricType::Histogram,
                                    {}};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!rows_[i].seconds.any()) continue;  // most are rare, and each has a dozen lines
        auto& metric = family.metric.emplace_back();
        metric.label = {{"operation", std::string(operations()[i].name)}};
        rows_[i].seconds.add_to(metric);
    }
    return family;
}

}  // namespace workforce::operations
