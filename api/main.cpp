// The program: subcommands of `workforce`.
#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>

#include "api/cli/command_line.hpp"
#include "api/versions.hpp"
#include "schemas/migrations.hpp"

namespace {

/// The database's schema goes with the program; the API's version is what clients may pin.
std::string version() {
    return fmt::format("workforce {} (API {}, schema {})", WORKFORCE_VERSION, workforce::api::kLatestVersion,
                       workforce::schemas::newest_version());
}

}  // namespace

int main(int argc, char** argv) {
    namespace api = workforce::api;
    CLI::App app{"The backend of a workforce platform: event log, commands, read models and API in one program."};
    api::CommandLine line{app};
    workforce::core::ConfigFlags flags;
    flags.fallback_file = "var/workforce.toml";  // what ./run writes, for commands that are given beside it
    app.require_subcommand(1);
    app.set_version_flag("--version", version(), "Print the program's version, the API's, and the schema's");
    app.fallthrough();  // configuration flags may follow the subcommand
    workforce::core::add_config_flags(app, flags);
    for (auto* add :
         {api::add_serve, api::add_api, api::add_workers, api::add_status, api::add_migrate, api::add_seed,
          api::add_keys, api::add_erase, api::add_backup, api::add_restore, api::add_rebuild, api::add_poison,
          api::add_replay, api::add_tap, api::add_heads, api::add_log, api::add_config, api::add_schemas}) {
        add(line);
    }
    app.footer("Exit codes: 0 done; 1 failed, or what the command says; 2 wrong usage or configuration.");
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
        return error.get_exit_code() == 0 ? app.exit(error) : api::refuse_usage(app, error);
    }
    auto const loaded = workforce::core::load_config(flags, [](char const* name) { return std::getenv(name); });
    if (!loaded) {
        fmt::print(stderr, "workforce: {}\n", loaded.error());
        return api::kUsageExit;
    }
    try {
        workforce::core::set_log_level(loaded->config.log_level);
        for (auto const& name : workforce::core::unknown_variables(environ)) {
            workforce::core::log(workforce::core::Level::warn, "nothing reads this variable of the environment",
                                 {{"name", name}});
        }
        return line.run(*loaded);
    } catch (api::UsageError const& error) {
        return api::refuse_usage(app, error);
    } catch (std::exception const& error) {
        return api::fail(error);
    }
}
