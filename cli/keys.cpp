// `workforce keys`: makes and revokes API keys, through the running service where there is one; replaces the master
// key.
#include <memory>
#include <string>
#include <vector>

#include "api/admin/admin_listener.hpp"
#include "api/admin/administration.hpp"
#include "cli/command_line.hpp"
#include "cli/owner_request.hpp"
#include "cli/rotate_master.hpp"

namespace workforce::cli {
namespace {

struct KeysArguments {
    core::Id organization = 0;
    core::Id key = 0;
    core::Id user = 0;
    core::Id facility = 0;
    std::string name;
    std::string type = "live";
    std::vector<std::string> scopes;
    std::int64_t rate_limit = 0;
    std::string tier;
    bool across = false;
    std::string new_master_key_file;
};

events::ApiKeyDetails key_details(KeysArguments const& arguments) {
    events::ApiKeyDetails key;
    key.name = arguments.name;
    auto const type = core::parse_enum<events::ApiKeyType>(arguments.type);
    if (!type) throw UsageError("--type must be live, test or pat");
    key.type = *type;
    for (auto const& scope : arguments.scopes) key.scopes.emplace_back(scope);
    if (arguments.rate_limit != 0) key.rateLimitPerMin = core::Int<1, 6000>(arguments.rate_limit);
    if (arguments.user != 0) key.userId = arguments.user;
    if (arguments.facility != 0) key.facilityId = arguments.facility;
    if (!arguments.tier.empty()) key.modelTier = core::parse_enum<events::ModelTier>(arguments.tier).value();
    key.acrossOrganizations = arguments.across;
    return key;
}

/// Makes a key and prints it as JSON, once.
int create(core::Config const& config, KeysArguments const& arguments) {
    auto const key = key_details(arguments);
    auto const local = [&](workers::Runtime& runtime, std::string const& request_key) {
        return api::create_api_key(runtime, arguments.organization, key, request_key);
    };
    run_where_served(config, "/internal/api-keys", api::CreateKeyRequest{arguments.organization, key}, local);
    return 0;
}

/// Revokes a key and prints it as JSON once no process takes it any more.
int revoke(core::Config const& config, KeysArguments const& arguments) {
    api::RevokeKeyRequest const request{arguments.organization, arguments.key};
    auto const local = [&](workers::Runtime& runtime, auto const&) {
        return api::revoke_api_key(runtime, request.organizationId, request.keyId);
    };
    run_where_served(config, "/internal/api-keys/revoke", request, local, api::kKeyTrust);
    return 0;
}

}  // namespace

void add_keys(CommandLine& line) {
    auto const arguments = std::make_shared<KeysArguments>();
    auto* keys = line.app.add_subcommand("keys", "Make and revoke API keys; replace the master key");
    keys->require_subcommand(1);

    auto* making = keys->add_subcommand("create", "Make a key; it is shown once");
    making->add_option("--organization", arguments->organization, "Organization whose data it reaches")->required();
    making->add_option("--name", arguments->name, "Name for people")->required();
    making->add_option("--scopes", arguments->scopes, "Scopes, separated by commas")->required()->delimiter(',');
    making->add_option("--type", arguments->type, "live, test or pat");
    making->add_option("--user", arguments->user, "Bound user");
    making->add_option("--rate-limit", arguments->rate_limit, "Requests a minute (default: the platform's)")
        ->check(CLI::Range(1, 6000));
    making->add_option("--model-tier", arguments->tier, "Grade of the model that uses it, for MCP (default: standard)")
        ->check(CLI::IsMember({"basic", "standard", "advanced"}));
    making->add_option("--facility", arguments->facility, "Facility that it is limited to");
    making->add_flag("--all-organizations", arguments->across,
                     "It reaches the data of all organizations; for keys of the internal one");
    making->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return create(loaded.config, *arguments); };
    });

    auto* revoking = keys->add_subcommand("revoke", "End a key for good");
    revoking->add_option("--organization", arguments->organization, "Organization of the key")->required();
    revoking->add_option("KEY", arguments->key, "Id of the key")->required();
    revoking->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return revoke(loaded.config, *arguments); };
    });

    auto* rotating = keys->add_subcommand("rotate-master",
                                          "Replace the master key beside running services, which know the new one by "
                                          "other_master_key_file; called again, "
                                          "it goes on where it was interrupted");
    rotating->add_option("--new-master-key-file", arguments->new_master_key_file, "File with the new master key")
        ->required();
    rotating->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) {
            return rotate_master(loaded.config, arguments->new_master_key_file);
        };
    });
}

}  // namespace workforce::cli
