// Counters by operation and result.
#include "operations/operation_metrics.hpp"

namespace workforce::operations {

OperationMetrics::OperationMetrics(core::Metrics& metrics) {
    for (auto const& operation : operations()) {
        auto& row = counters_[operation.name];
        for (std::size_t i = 0; i < kResults.size(); ++i) {
            row.at(i) =
                &metrics.counter("workforce_operations_total", "Outcomes of operations",
                                 {{"operation", std::string(operation.name)}, {"result", std::string(kResults.at(i))}});
        }
    }
}

void OperationMetrics::note(Facts const& facts) {
    auto const found = counters_.find(facts.verb);
    if (found == counters_.end()) return;
    std::size_t const result = facts.status >= 500 ? 3 : facts.status >= 400 ? 2 : facts.replayed ? 1 : 0;
    found->second.at(result)->Increment();
}

}  // namespace workforce::operations
