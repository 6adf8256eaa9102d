// Commands of the command line.
#include "api/admin/administration.hpp"

#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "workers/jobs/erasures.hpp"

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
boost::asio::awaitable<std::optional<core::Problem>> unknown_organization(workers::Runtime& runtime, Id organization) {
    if (co_await runtime.processor.homes().find(organization) >= 0) co_return std::nullopt;
    co_return core::Problem{core::Code::not_found, "There is no organization " + std::to_string(organization) + "."};
}

}  // namespace

boost::asio::awaitable<core::Result<commands::Reply>> submit_as_system(workers::Runtime& runtime,
                                                                       commands::Submission submission) {
    auto const problem = std::make_shared<core::Problem>();
    submission.render_problem = [problem](core::Problem const& p) {
        *problem = p;
        return std::string{};
    };
    auto reply = co_await runtime.processor.submit(std::move(submission));
    if (reply.refused) co_return tl::unexpected(*problem);
    co_return reply;
}

commands::Context system_context(Id organization) {
    commands::Context context;
    context.organization = organization;
    context.may_assign = true;
    context.may_override = true;
    context.request_id = core::request_id();
    return context;
}

boost::asio::awaitable<core::Result<events::Organization>> create_organization(workers::Runtime& runtime,
                                                                               events::OrganizationDetails details) {
    Id const id = co_await runtime.writes.run(
        [](core::Connection& connection) { return connection.execute(kNextOrganization)[0][0].as<Id>(); });
    co_await runtime.processor.homes().reserve(id);
    co_return co_await run_as_system(runtime, commands::CreateOrganization{std::move(details)}, system_context(id));
}

boost::asio::awaitable<core::Result<events::User>> create_user(workers::Runtime& runtime, Id organization,
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
    // Where the outcome may be unknown the user may be there, and then the address is theirs.
    if (!user && user.error().code != core::Code::log_unavailable) {
        co_await runtime.writes.run([digest, id](core::Connection& connection) {
            connection.execute(kReleaseEmail, core::Bytes{core::bytes(digest)}, id);
        });
    }
    co_return user;
}

boost::asio::awaitable<core::Result<CreatedKey>> create_api_key(workers::Runtime& runtime, Id organization,
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
    auto const made = co_await submit_as_system(
        runtime,
        commands::make_submission(commands::CreateApiKey{std::move(details), secret.hint}, std::move(context)));
    if (!made) co_return tl::unexpected(made.error());
    co_return CreatedKey{id, secret.token, made->partition, made->position};
}

boost::asio::awaitable<core::Result<events::ApiKey>> revoke_api_key(workers::Runtime& runtime, Id organization, Id key,
                                                                    core::Nullable<core::ShortText> reason) {
    if (auto problem = co_await unknown_organization(runtime, organization))
        co_return tl::unexpected(*std::move(problem));
    commands::RevokeApiKey command;
    command.id = key;
    command.reason = std::move(reason);
    co_return co_await run_as_system(runtime, command, system_context(organization));
}

boost::asio::awaitable<core::Result<ErasedPerson>> erase_person(workers::Runtime& runtime, ErasePersonRequest request) {
    if (auto problem = co_await unknown_organization(runtime, request.organizationId))
        co_return tl::unexpected(*std::move(problem));
    auto const person = events::parse_aggregate(request.person);
    if (!person || !is_person(person->kind)) {
        co_return core::refuse(core::Code::validation_error,
                               "A person is one of: " + std::string(events::person_names()) + ".");
    }
    auto context = system_context(request.organizationId);
    context.sandbox = request.sandbox;
    auto submission = commands::make_submission(commands::ErasePerson{{request}, *person}, std::move(context));
    auto const done = co_await submit_as_system(runtime, std::move(submission));
    if (!done) co_return tl::unexpected(done.error());
    auto const erasure = core::from_stored_json<commands::Erasure>(done->body);
    std::string fault;
    try {
        runtime.keyring.forget(request.person);  // only now, for the event is durable
        co_await workers::finish_erasures(runtime.writes, runtime.keyring);
    } catch (std::exception const& error) {
        fault = error.what();
    }
    if (!fault.empty()) {
        co_return core::refuse(core::Code::log_unavailable,
                               "The erasure of " + request.person +
                                   " is recorded, but the key is not destroyed yet; the service goes on trying: " +
                                   fault.substr(0, fault.find('\n')));
    }
    co_return ErasedPerson{{erasure}, done->partition, done->position};
}

}  // namespace workforce::api
