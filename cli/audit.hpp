// What the commands of auditors and analysts share: the log without a write side, and who may open personal data.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.hpp"
#include "events/log/heads.hpp"
#include "events/log/log.hpp"
#include "events/postgres_keyring.hpp"

namespace workforce::cli {

/// The operating system's name of the user that runs this, or the number where there is none.
std::string user_name();

/// The master keys of this installation, that in use first. Errors: as events::load_master_keys.
events::MasterKeys master_keys(core::Config const& config);

/// Opens the log to read it, without the master key. Errors: as events::open_log; std::runtime_error when the database
/// is not one of this program's.
std::unique_ptr<events::EventLog> open_for_audit(core::Config const& config);

/// Signs for this installation. Errors: std::runtime_error when there is no master key or no installation name.
events::HeadSigner head_signer(core::Config const& config);

/// The keys of persons. Errors: std::runtime_error when there is no master key, or it is another installation's.
std::unique_ptr<events::PostgresKeyring> open_keyring(core::Config const& config);

/// As open_keyring, for personal data that leave the program: only for users of the operating system whom
/// `personal_readers` names, set in the file or the environment (who could name himself on the command line would be
/// nobody's choice). Writes to the log who reads `what`. Errors: std::runtime_error with one line for the operator.
std::unique_ptr<events::PostgresKeyring> open_keyring_for_reader(core::LoadedConfig const& loaded,
                                                                 std::string_view what);

/// Refuses "to copy the log" and the like while a process lives or holds a lease. Blocks.
/// Errors: std::runtime_error that names it; core::DatabaseUnavailable.
void require_nothing_runs(core::Config const& config, std::string_view to_do);

/// How many events the partitions hold. Blocks. Errors: as EventLog::head.
std::int64_t count_events(events::EventLog& log, std::vector<int> const& partitions);

/// Reads an option's RFC 3339 time. Errors: UsageError that names the option.
core::Timestamp parse_time_option(std::string_view option, std::string const& text);

}  // namespace workforce::cli
