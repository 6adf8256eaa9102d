// Subcommands that run or prepare the service: serve, api, workers, migrate, config.
#include <fmt/format.h>

#include "cli/command_line.hpp"
#include "cli/serve.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {

namespace {

void add_role(CommandLine& line, workers::Role role, std::string const& description) {
    line.app.add_subcommand(std::string(core::enum_name(role)), description)->callback([&line, role] {
        line.run = [role](core::LoadedConfig const& loaded) { return serve(loaded.config, role); };
    });
}

}  // namespace

void add_serve(CommandLine& line) { add_role(line, workers::Role::serve, "Run everything in one process"); }

void add_api(CommandLine& line) {
    add_role(line, workers::Role::api,
             "Run REST and MCP listeners and the writers of a share of the partitions, beside others of its kind");
}

void add_workers(CommandLine& line) {
    add_role(line, workers::Role::workers,
             "Run the projections of a share of the partitions, beside others of its kind");
}

void add_migrate(CommandLine& line) {
    line.app.add_subcommand("migrate", "Make schema and roles in a database that exists, or bring them up to date")
        ->callback([&line] {
            line.run = [](core::LoadedConfig const& loaded) {
                workers::migrate(loaded.config);
                return 0;
            };
        });
}

void add_config(CommandLine& line) {
    line.app.add_subcommand("config", "Print the configuration in force and where each value comes from")
        ->callback([&line] {
            line.run = [](core::LoadedConfig const& loaded) {
                fmt::print("{}", core::print(loaded));
                return 0;
            };
        });
}

}  // namespace workforce::cli
