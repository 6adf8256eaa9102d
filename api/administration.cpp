// Commands of the command line.
#include "api/administration.hpp"

#include "core/crypto.hpp"
#include "core/ids.hpp"

namespace workforce::api {
namespace {

using core::Id;

constexpr core::Statement kNextOrganization{"next_organization_id", "SELECT nextval('ops.organization_id')"};
constexpr core::Statement kReserveEmail{
    "reserve_user_email",
    "INSERT INTO ops.user_email (email_digest, user_id) VALUES ($1, $2) ON CONFLICT (email_digest) DO NOTHING"};
constexpr core::Statement kReleaseEmail{"release_user_email",
                                        "DELETE FROM ops.user_email WHERE email_digest = $1 AND user_id = $2"};
constexpr core::Statement kStoreSecret{
    "store_api_key_secret", "INSERT INTO auth.api_key_secret (digest, key_id, organization_id) VALUES ($1, $2, $3)"};

/// Nothing when there is such an organization, else the refusal.
boost::asio::awaitable<std::optional<core::Problem>> unknown_organization(Runtime& runtime, Id organization) {
    if (co_await runtime.processor.homes().find(organization) >= 0) co_return std::nullopt;
    co_return core::Problem{core::Code::not_found, "There is no organization " + std::to_string(organization) + "."};
}

}  // namespace

commands::Context system_context(Id organization) {
    commands::Context context;
    context.organization = organization;
    context.may_assign = true;
    context.may_override = true;
    context.request_id = core::request_id();
    return context;
}

boost::asio::awaitable<core::Result<events::Organization>> create_organization(Runtime& runtime,
                                                                               events::OrganizationDetails details) {
    Id const id = co_await runtime.writes.run(
        [](core::Connection& connection) { return connection.execute(kNextOrganization)[0][0].as<Id>(); });
    co_await runtime.processor.homes().reserve(id);
    co_return co_await run_as_system(runtime, commands::CreateOrganization{std::move(details)}, system_context(id));
}

boost::asio::awaitable<core::Result<events::User>> create_user(Runtime& runtime, Id organization,
                                                               events::UserDetails details) {
    auto context = system_context(organization);
    context.new_ids = co_await runtime.processor.ids().take(events::Kind::user, 1);
    Id const id = context.new_ids.front();
    // Keyed, so that the table alone does not tell whether an address is there.
    auto const digest = core::hmac_sha256(runtime.derived_key("user e-mail"), details.email.value.value);
    bool const reserved = co_await runtime.writes.run([digest, id](core::Connection& connection) {
        return connection.execute(kReserveEmail, core::Bytes{core::bytes(digest)}, id).affected_rows() == 1;
    });
    if (!reserved) co_return core::refuse(core::Code::duplicate_resource, "A user has this e-mail address already.");
    auto user = co_await run_as_system(runtime, commands::CreateUser{std::move(details)}, std::move(context));
    if (!user) {
        co_await runtime.writes.run([digest, id](core::Connection& connection) {
            connection.execute(kReleaseEmail, core::Bytes{core::bytes(digest)}, id);
        });
    }
    co_return user;
}

boost::asio::awaitable<core::Result<CreatedKey>> create_api_key(Runtime& runtime, Id organization,
                                                                events::ApiKeyDetails details) {
    if (auto problem = co_await unknown_organization(runtime, organization))
        co_return tl::unexpected(*std::move(problem));
    auto context = system_context(organization);
    context.new_ids = co_await runtime.processor.ids().take(events::Kind::api_key, 1);
    Id const id = context.new_ids.front();
    auto const secret = make_key_secret(details.type);
    co_await runtime.writes.run([digest = secret.digest, id, organization](core::Connection& connection) {
        connection.execute(kStoreSecret, core::Bytes{digest}, id, organization);
    });
    auto problem = std::make_shared<core::Problem>();
    auto submission =
        commands::make_submission(commands::CreateApiKey{std::move(details), secret.hint}, std::move(context));
    submission.render_problem = [problem](core::Problem const& p) {
        *problem = p;
        return std::string{};
    };
    auto const reply = co_await runtime.processor.submit(std::move(submission));
    if (reply.refused) co_return tl::unexpected(*problem);
    co_return CreatedKey{id, secret.token, reply.partition, reply.position};
}

boost::asio::awaitable<core::Result<events::ApiKey>> revoke_api_key(Runtime& runtime, Id organization, Id key) {
    if (auto problem = co_await unknown_organization(runtime, organization))
        co_return tl::unexpected(*std::move(problem));
    commands::RevokeApiKey command;
    command.id = key;
    co_return co_await run_as_system(runtime, command, system_context(organization));
}

}  // namespace workforce::api
