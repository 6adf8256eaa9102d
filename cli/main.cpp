// The program: subcommands of `workforce`.
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "api/versions.hpp"
#include "cli/command_line.hpp"
#include "core/session_name.hpp"
#include "core/session_pool.hpp"
#include "schemas/migrations.hpp"

namespace {

/// The database's schema goes with the program; the API's version is what clients may pin.
std::string version() {
    return fmt::format("workforce {} (API {}, schema {})", WORKFORCE_VERSION, workforce::api::kLatestVersion,
                       workforce::schemas::newest_version());
}

/// What is wrong with the one setting that only the API understands, or "".
std::string wrong_deprecations(workforce::core::LoadedConfig const& loaded) {
    auto const deprecations = workforce::api::read_deprecations(loaded.config.version_deprecations);
    if (deprecations) return "";
    constexpr std::string_view kKey = "version_deprecations";
    auto const entry = std::ranges::find(loaded.entries, kKey, &workforce::core::ConfigEntry::key);
    return fmt::format("{} ({}): {}", kKey, entry->source, deprecations.error());
}

}  // namespace

int main(int argc, char** argv) {
    namespace cli = workforce::cli;
    CLI::App app{"The backend of a workforce platform: event log, commands, read models and API in one program."};
    cli::CommandLine line{app};
    workforce::core::ConfigFlags flags;
    flags.fallback_file = "var/workforce.toml";  // what ./run writes, for commands that are given beside it
    app.require_subcommand(1);
    app.set_version_flag("--version", version, "Print the program's version, the API's, and the schema's");
    app.fallthrough();  // configuration flags may follow the subcommand
    workforce::core::add_config_flags(app, flags);
    for (auto* add : {cli::add_serve,     cli::add_api,      cli::add_workers, cli::add_status,        cli::add_migrate,
                      cli::add_seed,      cli::add_keys,     cli::add_users,   cli::add_organizations, cli::add_token,
                      cli::add_sandbox,   cli::add_erase,    cli::add_backup,  cli::add_restore,       cli::add_rebuild,
                      cli::add_poison,    cli::add_reactors, cli::add_outbox,  cli::add_webhooks,      cli::add_billing,
                      cli::add_top_usage, cli::add_replay,   cli::add_tap,     cli::add_heads,         cli::add_log,
                      cli::add_config,    cli::add_schemas,  cli::add_runs,    cli::add_oauth_clients}) {
        add(line);
    }
    app.footer("Exit codes: 0 done; 1 failed, or what the command says; 2 wrong usage or configuration.");
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
        return error.get_exit_code() == 0 ? app.exit(error) : cli::refuse_usage(app, error);
    }
    auto const loaded = workforce::core::load_config(flags, [](char const* name) { return std::getenv(name); });
    if (!loaded) {
        fmt::print(stderr, "workforce: {}\n", loaded.error());
        return cli::kUsageExit;
    }
    if (auto const problem = wrong_deprecations(*loaded); !problem.empty()) {
        fmt::print(stderr, "workforce: {}\n", problem);
        return cli::kUsageExit;
    }
    try {
        workforce::core::set_log_level(loaded->config.log_level);
        for (auto const& name : workforce::core::unknown_variables(environ)) {
            workforce::core::log(workforce::core::Level::warn, "nothing reads this variable of the environment",
                                 {{"name", name}});
        }
        workforce::core::name_process(app.get_subcommands().front()->get_name(), loaded->config.installation);
        // The pool keeps a session alive between the parts of a command, which go on with it.
        workforce::core::SessionPool const sessions(
            {.url = loaded->config.database_url, .application_name = "workforce command"}, 1);
        return line.run(*loaded);
    } catch (cli::UsageError const& error) {
        return cli::refuse_usage(app, error);
    } catch (std::exception const& error) {
        return cli::fail(error);
    }
}
