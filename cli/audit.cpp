// Opening of logs and keys for those who only read.
#include "cli/audit.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "cli/usage.hpp"
#include "core/logging.hpp"
#include "core/session_pool.hpp"
#include "events/log/installation.hpp"
#include "events/log/open_log.hpp"
#include "events/master_key_table.hpp"
#include "workers/cluster/leases.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

bool names(std::string_view list, std::string_view user) {
    while (!list.empty()) {
        auto const name = list.substr(0, list.find(','));
        list.remove_prefix(std::min(name.size() + 1, list.size()));
        if (name == user) return true;
    }
    return false;
}

}  // namespace

std::string user_name() {
    auto const* const entry = getpwuid(getuid());
    return entry != nullptr ? entry->pw_name : std::to_string(getuid());
}

events::MasterKeys master_keys(core::Config const& config) {
    return core::SessionPool(workers::session(config, "workforce_projector", "workforce master key"), 1)
        .run([&](core::Connection& connection) { return events::load_master_keys(config, connection); });
}

std::unique_ptr<events::EventLog> open_for_audit(core::Config const& config) {
    events::require_log(config.database_url, config.log, config.kafka_topic);
    return events::open_log(config);
}

events::HeadSigner head_signer(core::Config const& config) {
    auto const name = events::read_installation(config.database_url).name;
    if (name.empty()) throw std::runtime_error("the database has no installation name; run `workforce migrate`");
    return {name, master_keys(config).in_use()};
}

std::unique_ptr<events::PostgresKeyring> open_keyring(core::Config const& config) {
    return std::make_unique<events::PostgresKeyring>(
        events::PostgresKeyringOptions{config.database_url, "workforce_projector", master_keys(config), 4});
}

std::unique_ptr<events::PostgresKeyring> open_keyring_for_reader(core::LoadedConfig const& loaded,
                                                                 std::string_view what) {
    auto const user = user_name();
    auto const& readers = loaded.config.personal_readers;
    auto const entry = std::find_if(loaded.entries.begin(), loaded.entries.end(),
                                    [](core::ConfigEntry const& each) { return each.key == "personal_readers"; });
    if (entry != loaded.entries.end() && entry->source.starts_with("--")) {
        throw std::runtime_error("personal_readers counts in the configuration file or the environment only");
    }
    if (!names(readers, user)) {
        throw std::runtime_error(
            fmt::format("personal data is not for {}: personal_readers names who may open it", user));
    }
    auto keyring = open_keyring(loaded.config);
    core::log(core::Level::info, "personal data is opened", {{"user", user}, {"command", what}});
    return keyring;
}

void require_nothing_runs(core::Config const& config, std::string_view to_do) {
    core::SessionPool sessions(workers::session(config, "workforce_writer", "workforce command"), 1);
    auto const view = sessions.run([](core::Connection& connection) { return workers::read_cluster(connection); });
    auto const require_ended = [&](auto const& each) {
        if (each.left.count() <= 0) return;
        throw std::runtime_error(fmt::format("{} serves this database; stop it to {}", each.owner, to_do));
    };
    std::for_each(view.processes.begin(), view.processes.end(), require_ended);
    std::for_each(view.leases.begin(), view.leases.end(), require_ended);
}

std::int64_t count_events(events::EventLog& log, std::vector<int> const& partitions) {
    std::int64_t count = 0;
    for (int const partition : partitions) count += log.head(partition).position + 1;
    return count;
}

core::Timestamp parse_time_option(std::string_view option, std::string const& text) {
    auto const time = core::parse_timestamp(text);
    if (!time) throw UsageError(fmt::format("{}: '{}' is no RFC 3339 time, as 2026-07-24T10:00:00Z", option, text));
    return *time;
}

}  // namespace workforce::cli
