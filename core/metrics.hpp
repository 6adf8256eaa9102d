// Metrics for Prometheus: counters, gauges and histograms by name and labels, and their text.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/labels.h>
#include <prometheus/registry.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace workforce::core {

/// A process's metrics. The references that it gives stay valid as long as it lives; look them up once, at the start,
/// for a look-up takes locks. The same name and labels give the same metric; a name used for another kind of metric, or
/// with another help text, throws std::invalid_argument. Thread-safe.
class Metrics {
   public:
    using Labels = prometheus::Labels;

    Metrics() = default;
    Metrics(Metrics const&) = delete;
    Metrics& operator=(Metrics const&) = delete;
    ~Metrics() = default;

    /// What only grows. Names end in `_total`.
    prometheus::Counter& counter(std::string const& name, std::string const& help, Labels const& labels = {});
    /// What goes up and down.
    prometheus::Gauge& gauge(std::string const& name, std::string const& help, Labels const& labels = {});
    /// How values spread over buckets, given as ascending upper bounds.
    prometheus::Histogram& histogram(std::string const& name, std::string const& help, Labels const& labels,
                                     std::vector<double> const& bounds);

    /// `refresh` is called before each render(), to set gauges that are cheaper to read when asked for. It must not
    /// call render() and must stay callable as long as renders may happen.
    void before_render(std::function<void()> refresh);
    /// All metrics in Prometheus' text format 0.0.4.
    std::string render();

   private:
    prometheus::Registry registry_;
    std::mutex refreshers_mutex_;
    std::vector<std::function<void()>> refreshers_;
};

/// Upper bounds in seconds for the time that requests and statements take: 0.5 ms to 10 s.
std::vector<double> const& latency_bounds();

}  // namespace workforce::core
