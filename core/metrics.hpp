// Metrics for Prometheus: counters, gauges and histograms by name and labels, and their text.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/labels.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace workforce::core {

/// How long things took, in fixed buckets. observe() takes neither lock nor memory. Thread-safe.
class Latency {
   public:
    /// Upper bounds in seconds.
    static constexpr std::array<double, 12> kBounds{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 3, 10};

    void observe(double seconds) noexcept {
        std::size_t bucket = 0;
        while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
        counts_[bucket].fetch_add(1, std::memory_order_relaxed);
        microseconds_.fetch_add(static_cast<std::uint64_t>(std::llround(seconds * 1e6)), std::memory_order_relaxed);
    }
    /// Adds what it has observed to a histogram's metric, which is empty or has the same bounds.
    void add_to(prometheus::ClientMetric& metric) const;
    /// Whether it has observed anything.
    [[nodiscard]] bool any() const noexcept;

   private:
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};  // the last one: above all bounds
    std::atomic<std::uint64_t> microseconds_{0};
};

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
    /// `collect` is called by each render(), and gives families of metrics that are kept elsewhere. As before_render().
    void also(std::function<prometheus::MetricFamily()> collect);
    /// All metrics in Prometheus' text format 0.0.4.
    std::string render();

   private:
    prometheus::Registry registry_;
    std::mutex refreshers_mutex_;
    std::vector<std::function<void()>> refreshers_;
    std::vector<std::function<prometheus::MetricFamily()>> collectors_;
};

/// Raises the counter to what was counted elsewhere since the start; lower values are ignored.
void raise(prometheus::Counter& counter, double value);

/// Upper bounds in seconds for the time that requests and statements take: 0.5 ms to 10 s.
std::vector<double> const& latency_bounds();

}  // namespace workforce::core
