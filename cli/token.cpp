// `workforce token`: signs a person in on the command line.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "api/credentials/person_tokens.hpp"
#include "cli/command_line.hpp"
#include "core/session_pool.hpp"
#include "events/master_key_table.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

constexpr core::Statement kFind{"token_find_user",
                                "SELECT id, organization_id FROM read.user_account WHERE email = $1 AND NOT erased"};

/// Prints a first-party token of the user with that e-mail address, for an hour.
int mint(core::Config const& config, std::string const& email) {
    auto const rows = core::SessionPool(workers::session(config, "workforce_projector", "workforce token"), 1)
                          .run([&](core::Connection& connection) { return connection.execute(kFind, email); });
    if (rows.empty()) throw std::runtime_error(fmt::format("there is no user with the address {}", email));
    api::Person const person{core::read<core::Id>(rows[0][0]), core::read<core::Id>(rows[0][1])};
    auto const token = core::SessionPool(workers::session(config, "workforce_writer", "workforce token"), 1)
                           .run([&](core::Connection& connection) {
                               auto const keys = events::load_master_keys(config, connection);
                               return api::mint_person_token(connection, keys, person);
                           });
    if (!token) throw std::runtime_error(fmt::format("the account of {} is not active", email));
    fmt::print("{}\n", *token);
    return 0;
}

}  // namespace

void add_token(CommandLine& line) {
    auto const email = std::make_shared<std::string>();
    auto* command = line.app.add_subcommand("token", "Print a token that acts for a user for an hour");
    command->add_option("EMAIL", *email, "The user's e-mail address")->required();
    command->callback([&line, email] {
        line.run = [email](core::LoadedConfig const& loaded) { return mint(loaded.config, *email); };
    });
}

}  // namespace workforce::cli
