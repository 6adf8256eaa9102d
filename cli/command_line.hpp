// Subcommands: each adds itself in a file of its own and says what it does once the command line is read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/usage.hpp"
#include "core/config.hpp"

namespace workforce::cli {

/// What subcommands are added to.
struct CommandLine {
    CLI::App& app;
    /// What the subcommand given does; set by its callback while the command line is read. Returns the exit code.
    /// Errors: UsageError; any std::exception, whose text is one line for the operator.
    std::function<int(core::LoadedConfig const& loaded)> run{};
};

// The subcommands, in the order of --help. The command line outlives what it adds.
void add_serve(CommandLine& line);
void add_api(CommandLine& line);
void add_workers(CommandLine& line);
void add_status(CommandLine& line);
void add_migrate(CommandLine& line);
void add_seed(CommandLine& line);
void add_keys(CommandLine& line);
void add_users(CommandLine& line);
void add_organizations(CommandLine& line);
void add_token(CommandLine& line);
void add_sandbox(CommandLine& line);
void add_erase(CommandLine& line);
void add_backup(CommandLine& line);
void add_restore(CommandLine& line);
void add_rebuild(CommandLine& line);
void add_poison(CommandLine& line);
void add_reactors(CommandLine& line);
void add_outbox(CommandLine& line);
void add_webhooks(CommandLine& line);
void add_billing(CommandLine& line);
void add_runs(CommandLine& line);
void add_oauth_clients(CommandLine& line);
void add_top_usage(CommandLine& line);
void add_replay(CommandLine& line);
void add_tap(CommandLine& line);
void add_heads(CommandLine& line);
void add_log(CommandLine& line);
void add_log_mend(CLI::App& log, CommandLine& line);
void add_config(CommandLine& line);
void add_schemas(CommandLine& line);

}  // namespace workforce::cli
