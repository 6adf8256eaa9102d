// Engines by name.
#include "events/open_log.hpp"

#include "events/postgres_log.hpp"

namespace workforce::events {

std::unique_ptr<EventLog> open_log(core::Config const& config) {
    PostgresLogOptions options;
    options.database_url = config.database_url;
    return std::make_unique<PostgresLog>(std::move(options));
}

void create_log(core::Config const& config) { PostgresLog::initialize(config.database_url, config.partitions); }

}  // namespace workforce::events
