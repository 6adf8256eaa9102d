// Outcomes by operation, for /metrics.
#pragma once

#include <array>
#include <map>
#include <string_view>

#include "core/metrics.hpp"
#include "operations/operation.hpp"

namespace workforce::operations {

/// Counts outcomes. Thread-safe.
class OperationMetrics {
   public:
    /// A row of counters for each operation of the table; `metrics` outlives this.
    explicit OperationMetrics(core::Metrics& metrics);

    /// Counts one; nothing for what was no operation.
    void note(Facts const& facts);

   private:
    static constexpr std::array<std::string_view, 4> kResults{"done", "replayed", "refused", "failed"};
    std::map<std::string_view, std::array<prometheus::Counter*, kResults.size()>> counters_;  // by verb
};

}  // namespace workforce::operations
