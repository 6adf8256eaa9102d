// `workforce users` and `workforce organizations`: deactivate and reactivate accounts, through the running service
// where there is one.
#include <memory>
#include <string>

#include "api/admin/administration.hpp"
#include "cli/command_line.hpp"
#include "cli/owner_request.hpp"

namespace workforce::cli {
namespace {

/// Changes the account and prints its record as JSON, once that holds on every process.
int change(core::Config const& config, api::AccountRequest const& request) {
    auto const local = [&](workers::Runtime& runtime, auto const&) { return api::set_account(runtime, request); };
    run_where_served(config, "/internal/accounts", request, local, api::kKeyTrust);
    return 0;
}

/// Adds a verb that makes accounts active or not; `add_options` adds what names the account.
template <class AddOptions>
void add_verb(CommandLine& line, CLI::App& noun, bool active, std::string const& help, AddOptions add_options) {
    auto const request = std::make_shared<api::AccountRequest>();
    request->active = active;
    auto* verb = noun.add_subcommand(active ? "reactivate" : "deactivate", help);
    add_options(*verb, *request);
    verb->callback([&line, request] {
        line.run = [request](core::LoadedConfig const& loaded) { return change(loaded.config, *request); };
    });
}

}  // namespace

void add_users(CommandLine& line) {
    auto* users = line.app.add_subcommand("users", "Deactivate and reactivate users");
    users->require_subcommand(1);
    auto const options = [](CLI::App& verb, api::AccountRequest& request) {
        verb.add_option("--organization", request.organizationId, "Organization of the user")->required();
        verb.add_option_function<core::Id>(
                "USER", [&request](core::Id id) { request.userId = id; }, "Id of the user")
            ->required();
    };
    add_verb(line, *users, false, "End all that the user's credentials open", options);
    add_verb(line, *users, true, "Take a deactivation back", options);
}

void add_organizations(CommandLine& line) {
    auto* organizations = line.app.add_subcommand("organizations", "Deactivate and reactivate organizations");
    organizations->require_subcommand(1);
    auto const options = [](CLI::App& verb, api::AccountRequest& request) {
        verb.add_option("ORGANIZATION", request.organizationId, "Id of the organization")->required();
    };
    add_verb(line, *organizations, false, "End all that the organization's credentials open", options);
    add_verb(line, *organizations, true, "Take a deactivation back", options);
}

}  // namespace workforce::cli
