// `workforce oauth-clients`: which programs people may let act for them, through the running service where there is
// one.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "api/admin/administration.hpp"
#include "cli/command_line.hpp"
#include "cli/owner_request.hpp"
#include "cli/print_table.hpp"
#include "core/pretty_json.hpp"
#include "core/sql_values.hpp"
#include "operations/oauth/oauth.hpp"

namespace workforce::cli {
namespace {

constexpr int kClientsShown = 50;
constexpr int kMostClients = 20'000;

constexpr core::Statement kListClients{"oauth_clients_list", R"(
SELECT c.client_id, c.created_at, c.last_used_at, r.doc,
    (SELECT count(*) FROM auth.oauth_chain t WHERE t.client_id = c.client_id AND t.ended_at IS NULL AND t.ends_at > now()) AS live
FROM auth.oauth_client c JOIN read.oauth_client r ON r.id = c.id
ORDER BY c.last_used_at DESC NULLS LAST, c.created_at DESC LIMIT $1)"};

/// A client as operators are shown it.
struct ListedClient {
    std::string clientId;
    core::Name name;
    events::ModelTier modelTier = events::ModelTier::standard;
    std::int64_t liveTokens = 0;  ///< refresh tokens
    core::Nullable<core::Timestamp> lastUsedAt;
    core::Timestamp registeredAt;
};
BOOST_DESCRIBE_STRUCT(ListedClient, (), (clientId, name, modelTier, liveTokens, lastUsedAt, registeredAt))

struct ClientList {
    std::vector<ListedClient> clients;
};
BOOST_DESCRIBE_STRUCT(ClientList, (), (clients))

struct ClientArguments {
    bool json = false;
    int limit = kClientsShown;
    std::string client{};
    std::string tier{};
    std::string reason{};
};

ClientList read_clients(core::Config const& config, int limit) {
    core::Connection connection(workers::session(workers::checked(config), "workforce_operator", "workforce clients"));
    connection.use({.operator_access = true});
    ClientList list;
    for (auto const& row : connection.execute(kListClients, limit)) {
        auto const client = core::from_stored_json<events::OAuthClient>(core::read<std::string>(row["doc"]));
        auto& shown = list.clients.emplace_back();
        shown.clientId = client.clientId;
        shown.name = client.clientName;
        shown.modelTier = client.modelTier;
        shown.liveTokens = core::read<std::int64_t>(row["live"]);
        shown.lastUsedAt.value = core::read<std::optional<core::Timestamp>>(row["last_used_at"]);
        shown.registeredAt = core::read<core::Timestamp>(row["created_at"]);
    }
    return list;
}

int list_clients(core::Config const& config, ClientArguments const& arguments) {
    auto const found = read_clients(config, arguments.limit);
    if (arguments.json) {
        fmt::print("{}", core::pretty_json(*core::parse_json(core::to_json(found))));
        return 0;
    }
    std::vector<std::vector<std::string>> rows{{"CLIENT", "NAME", "TIER", "TOKENS", "USED", "REGISTERED"}};
    for (auto const& each : found.clients) {
        auto const used = each.lastUsedAt.value ? core::to_string(*each.lastUsedAt.value) : "never";
        rows.push_back({each.clientId, each.name.value, std::string(core::enum_name(each.modelTier)),
                        std::to_string(each.liveTokens), used, core::to_string(each.registeredAt)});
    }
    print_table(rows);
    return 0;
}

/// Changes a client and prints its record as JSON, once that holds on every process.
int change_client(core::Config const& config, ClientArguments const& arguments) {
    api::OAuthClientRequest request;
    request.organizationId = operations::kInstallation;
    request.clientId = arguments.client;
    if (!arguments.tier.empty()) request.modelTier = core::parse_enum<events::ModelTier>(arguments.tier).value();
    if (arguments.reason.size() > 500) throw UsageError("--reason has at most 500 characters");
    request.reason = arguments.reason;
    auto const local = [&](workers::Runtime& runtime, auto const&) {
        return api::change_oauth_client(runtime, request);
    };
    run_where_served(config, "/internal/oauth-clients", request, local, api::kKeyTrust);
    return 0;
}

}  // namespace

void add_oauth_clients(CommandLine& line) {
    auto const arguments = std::make_shared<ClientArguments>();
    auto* command =
        line.app.add_subcommand("oauth-clients", "Programs that people let act for them: list, tier, remove");
    command->require_subcommand(1);
    auto* listed = command->add_subcommand("list", "Show registered clients, those used last first");
    listed->add_flag("--json", arguments->json, "As JSON");
    listed->add_option("--limit", arguments->limit, "How many at most")
        ->check(CLI::Range(1, kMostClients, "NUMBER"))
        ->capture_default_str();
    listed->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return list_clients(loaded.config, *arguments); };
    });
    auto const changing = [&](char const* name, char const* help) {
        auto* verb = command->add_subcommand(name, help);
        verb->add_option("CLIENT", arguments->client, "Its client_id")->required();
        verb->callback([&line, arguments] {
            line.run = [arguments](core::LoadedConfig const& loaded) {
                return change_client(loaded.config, *arguments);
            };
        });
        return verb;
    };
    changing("tier", "Say as which grade of model a client calls tools")
        ->add_option("TIER", arguments->tier, "basic, standard or advanced")
        ->required()
        ->check(CLI::IsMember({"basic", "standard", "advanced"}));
    changing("remove", "End a client and all of its tokens")
        ->add_option("--reason", arguments->reason, "Why, for the audit log")
        ->required();
}

}  // namespace workforce::cli
