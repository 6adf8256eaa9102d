// Checkpoints against heads.
#include "projections/engine/log_check.hpp"

#include <fmt/format.h>

#include "core/session_pool.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/registry.hpp"

namespace workforce::projections {

void require_log_not_behind(events::EventLog& log, core::ConnectionOptions const& login) {
    std::vector<int> partitions;
    for (int i = 0; i < log.partitions(); ++i) partitions.push_back(i);
    auto options = aimed_at(login, Tables::live);
    options.role = "workforce_reader";
    auto const types = registry();
    auto const standings = core::SessionPool(options, 1).run([&](core::Connection& connection) {
        return load_standings(connection, types, partitions);
    });
    for (auto const& [partition, of] : standings) {
        auto const head = log.head(partition).position;
        for (std::size_t i = 0; i < types.size(); ++i) {
            if (!of[i] || of[i]->position <= head) continue;
            throw events::LogUnfit(
                fmt::format("the log is behind its read models: at partition {} it ends at position {}, {} stands at "
                            "{}; if the log is "
                            "the right one run `workforce rebuild --all`, else restore one that reaches there",
                            partition, head, types[i].name, of[i]->position));
        }
    }
}

}  // namespace workforce::projections
