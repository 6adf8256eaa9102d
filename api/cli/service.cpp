// Subcommands that run or prepare the service: serve, migrate, config.
#include <fmt/format.h>

#include "api/cli/command_line.hpp"
#include "api/runtime.hpp"
#include "api/serve.hpp"

namespace workforce::api {

void add_serve(CommandLine& line) {
    line.app.add_subcommand("serve", "Run everything in one process")->callback([&line] {
        line.run = [](core::LoadedConfig const& loaded) { return serve(loaded.config); };
    });
}

void add_migrate(CommandLine& line) {
    line.app.add_subcommand("migrate", "Make the database, or bring its schema up to date")->callback([&line] {
        line.run = [](core::LoadedConfig const& loaded) {
            migrate(loaded.config);
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

}  // namespace workforce::api
