// prometheus-cpp merges equal families and metrics by itself; this is its builder behind plain functions.
#include "core/metrics.hpp"

#include <prometheus/text_serializer.h>

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

std::string Metrics::render() {
    {
        std::lock_guard const lock(refreshers_mutex_);
        for (auto const& refresh : refreshers_) refresh();
    }
    return prometheus::TextSerializer().Serialize(registry_.Collect());
}

std::vector<double> const& latency_bounds() {
    static std::vector<double> const bounds{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
    return bounds;
}

}  // namespace workforce::core
