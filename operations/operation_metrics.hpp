// Outcomes and times by operation, for /metrics.
#pragma once

#include <array>
#include <deque>
#include <string_view>

#include "core/metrics.hpp"
#include "operations/operation.hpp"

namespace workforce::operations {

/// Counts outcomes. Thread-safe.
class OperationMetrics {
   public:
    /// A row of counters for each operation of the table; `metrics` outlives this, and is not rendered after its end.
    explicit OperationMetrics(core::Metrics& metrics);

    /// Counts one; nothing for what was no operation. Takes neither lock nor memory.
    void note(Facts const& facts) noexcept;

   private:
    static constexpr std::array<std::string_view, 4> kResults{"done", "replayed", "refused", "failed"};
    struct Row {
        std::array<prometheus::Counter*, kResults.size()> results{};
        core::Latency seconds;
    };

    [[nodiscard]] prometheus::MetricFamily latencies() const;

    std::deque<Row> rows_;  // as operations()
    std::array<prometheus::Counter*, static_cast<std::size_t>(Unavailable::count)> unavailable_{};
    prometheus::Counter& stale_;
};

}  // namespace workforce::operations
