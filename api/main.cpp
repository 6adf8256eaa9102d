// The program: subcommands of `workforce`.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "api/generated_files.hpp"
#include "api/keys_command.hpp"
#include "api/rebuild_command.hpp"
#include "api/runtime.hpp"
#include "api/seed.hpp"
#include "api/serve.hpp"
#include "core/config.hpp"

namespace {

/// Everything that the command line can say besides configuration.
struct Arguments {
    bool demo = false;
    std::string out;
    bool check = false;
    bool all = false;
    std::vector<std::string> names;
    workforce::core::Id organization = 0;
    workforce::core::Id key = 0;
    workforce::core::Id user = 0;
    workforce::core::Id facility = 0;
    std::string name;
    std::string type = "live";
    std::vector<std::string> scopes;
    std::int64_t rate_limit = 0;
};

workforce::events::ApiKeyDetails key_details(Arguments const& arguments) {
    workforce::events::ApiKeyDetails key;
    key.name = arguments.name;
    auto const type = workforce::core::parse_enum<workforce::events::ApiKeyType>(arguments.type);
    if (!type) throw std::runtime_error("--type must be live, test or pat");
    key.type = *type;
    for (auto const& scope : arguments.scopes) key.scopes.emplace_back(scope);
    if (arguments.rate_limit != 0) key.rateLimitPerMin = workforce::core::Int<1, 6000>(arguments.rate_limit);
    if (arguments.user != 0) key.userId = arguments.user;
    if (arguments.facility != 0) key.facilityId = arguments.facility;
    return key;
}

void add_key_commands(CLI::App& app, Arguments& arguments) {
    auto* keys = app.add_subcommand("keys", "Make and revoke API keys");
    keys->require_subcommand(1);
    auto* create = keys->add_subcommand("create", "Make a key; it is shown once");
    create->add_option("--organization", arguments.organization, "Organization whose data it reaches")->required();
    create->add_option("--name", arguments.name, "Name for people")->required();
    create->add_option("--scopes", arguments.scopes, "Scopes, separated by commas")->required()->delimiter(',');
    create->add_option("--type", arguments.type, "live, test or pat");
    create->add_option("--user", arguments.user, "Bound user");
    create->add_option("--rate-limit", arguments.rate_limit, "Requests a minute (default: the platform's)")
        ->check(CLI::Range(1, 6000));
    create->add_option("--facility", arguments.facility, "Facility that it is limited to");
    auto* revoke = keys->add_subcommand("revoke", "End a key for good");
    revoke->add_option("--organization", arguments.organization, "Organization of the key")->required();
    revoke->add_option("KEY", arguments.key, "Id of the key")->required();
}

int run(CLI::App const& app, Arguments const& arguments, workforce::core::LoadedConfig const& loaded) {
    namespace api = workforce::api;
    auto const& config = loaded.config;
    if (app.got_subcommand("serve")) return api::serve(config);
    if (app.got_subcommand("migrate")) api::migrate(config);
    if (app.got_subcommand("seed")) api::seed(config, arguments.demo, arguments.out);
    if (app.got_subcommand("config")) fmt::print("{}", workforce::core::print(loaded));
    if (app.got_subcommand("rebuild"))
        api::rebuild_command(config, arguments.all ? std::vector<std::string>{} : arguments.names);
    if (app.got_subcommand("schemas")) return api::generated_files_command(arguments.check, arguments.out);
    if (app.got_subcommand("keys")) {
        auto const* keys = app.get_subcommand("keys");
        if (keys->got_subcommand("create")) {
            api::create_key_command(config, arguments.organization, key_details(arguments));
        } else {
            api::revoke_key_command(config, arguments.organization, arguments.key);
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"The backend of a workforce platform: event log, commands, read models and API in one program."};
    workforce::core::ConfigFlags flags;
    Arguments arguments;
    app.require_subcommand(1);
    app.fallthrough();  // configuration flags may follow the subcommand
    workforce::core::add_config_flags(app, flags);
    app.add_subcommand("serve", "Run everything in one process");
    app.add_subcommand("migrate", "Make the database, or bring its schema up to date");
    auto* seed = app.add_subcommand("seed", "Make the internal organization, once; with --demo also a demo customer");
    seed->add_flag("--demo", arguments.demo, "Also make a demo customer with keys");
    seed->add_option("--out", arguments.out, "File for addresses and keys of the demo customer");
    app.add_subcommand("config", "Print the configuration in force and where each value comes from");
    auto* rebuild = app.add_subcommand("rebuild", "Make read models anew from the log, while nothing serves");
    rebuild->add_option("NAME", arguments.names, "Read models to rebuild");
    rebuild->add_flag("--all", arguments.all, "All of them");
    auto* files = app.add_subcommand("schemas", "Write the generated files, OpenAPI and event schemas");
    files->add_flag("--check", arguments.check, "Only tell whether they are current");
    files->add_option("--root", arguments.out, "The project's folder (default: here)");
    add_key_commands(app, arguments);
    CLI11_PARSE(app, argc, argv);
    try {
        auto const loaded = workforce::core::load_config(flags, [](char const* name) { return std::getenv(name); });
        if (!loaded) throw std::runtime_error(loaded.error());
        workforce::core::set_log_level(loaded->config.log_level);
        return run(app, arguments, *loaded);
    } catch (std::exception const& error) {
        fmt::print(stderr, "workforce: {}\n", error.what());
        return 1;
    }
}
