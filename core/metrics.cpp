// prometheus-cpp merges equal families and metrics by itself; this is its builder behind plain functions.
#include "core/metrics.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace workforce::core {

prometheus::Counter& Metrics::counter(std::string const& name, std::string const& help, Labels const& labels) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels);
}

prometheus::Gauge& Metrics::gauge(std::string const& name, std::string const& help, Labels const& labels) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels);
}

prometheus::Histogram& Metrics::histogram(std::string const& name, std::string const& help, Labels const& labels,
                                          std::vector<double> const& bounds) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_).Add(labels, bounds);
}

void Metrics::before_render(std::function<void()> refresh) {
    std::lock_guard const lock(refreshers_mutex_);
    refreshers_.push_back(std::move(refresh));
}

void Metrics::also(std::function<prometheus::MetricFamily()> collect) {
    std::lock_guard const lock(refreshers_mutex_);
    collectors_.push_back(std::move(collect));
}

std::string Metrics::render() {
    std::vector<prometheus::MetricFamily> kept_elsewhere;
    {
        std::lock_guard const lock(refreshers_mutex_);
        for (auto const& refresh : refreshers_) refresh();
        for (auto const& collect : collectors_) kept_elsewhere.push_back(collect());
    }
    auto families = registry_.Collect();
    std::ranges::move(kept_elsewhere, std::back_inserter(families));
    return prometheus::TextSerializer().Serialize(families);
}

void Latency::add_to(prometheus::ClientMetric& metric) const {
    auto& histogram = metric.histogram;
    histogram.bucket.resize(counts_.size());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        sum += counts_[i].load(std::memory_order_relaxed);
        histogram.bucket[i].upper_bound = i < kBounds.size() ? kBounds[i] : std::numeric_limits<double>::infinity();
        histogram.bucket[i].cumulative_count += sum;
    }
    histogram.sample_count += sum;
    histogram.sample_sum += static_cast<double>(microseconds_.load(std::memory_order_relaxed)) / 1e6;
}

bool Latency::any() const noexcept {
    return std::ranges::any_of(counts_, [](auto const& count) { return count.load(std::memory_order_relaxed) > 0; });
}

void raise(prometheus::Counter& counter, double value) {
    auto const before = counter.Value();
    if (value > before) counter.Increment(value - before);
}

std::vector<double> const& latency_bounds() {
    static std::vector<double> const bounds{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
    return bounds;
}

}  // namespace workforce::core
