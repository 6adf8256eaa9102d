// Commands of the command line.
#include "api/admin/administration.hpp"

#include "api/rest/idempotency.hpp"
#include "commands/oauth_grant.hpp"
#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "core/password_hasher.hpp"
#include "operations/accounts.hpp"
#include "operations/sandbox.hpp"
#include "workers/jobs/oauth_clients.hpp"
#include "workers/store/erasures.hpp"

namespace workforce::api {
namespace {

using core::Id;

/// Nothing when there is such an organization, else the refusal.
boost::asio::awaitable<std::optional<core::Problem>> unknown_organization(workers::Runtime& runtime, Id organization) {
    if (co_await runtime.processor.homes().find(organization) >= 0) co_return std::nullopt;
    co_return core::Problem{core::Code::not_found, "There is no organization " + std::to_string(organization) + "."};
}

}  // namespace

boost::asio::awaitable<core::Result<commands::Reply>> submit_as_system(workers::Runtime& runtime,
                                                                       commands::Submission submission) {
    auto const problem = std::make_shared<core::Problem>();
    submission.store_refusal = false;
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

std::optional<commands::Idempotency> idempotency_of_system(workers::Runtime& runtime, std::string const& request_key,
                                                           bool sandbox) {
    if (request_key.empty()) return std::nullopt;
    return idempotency_of(request_key, "", {"command line", sandbox}, runtime.master_keys.kept(kIdempotencyPurpose))
        .value();
}

boost::asio::awaitable<core::Result<events::Organization>> create_organization(workers::Runtime& runtime,
                                                                               events::OrganizationDetails details) {
    Id const id = co_await runtime.processor.homes().take_new({});
    co_return co_await run_as_system(runtime, commands::CreateOrganization{std::move(details)}, system_context(id));
}

boost::asio::awaitable<core::Result<events::User>> create_user(workers::Runtime& runtime, Id organization,
                                                               events::UserDetails details,
                                                               std::string const& request_key) {
    auto context = system_context(organization);
    context.new_ids = co_await runtime.processor.ids().take(events::Kind::user, 1);
    co_return co_await run_as_system(runtime, commands::CreateUser{std::move(details)}, std::move(context),
                                     idempotency_of_system(runtime, request_key));
}

boost::asio::awaitable<core::Result<SetUpUser>> set_up_user(workers::Runtime& runtime, SetUpUserRequest request,
                                                            std::string const& request_key) {
    auto const fit = operations::check_password("password", request.password, operations::names_of(request.user));
    if (!fit) co_return tl::unexpected(fit.error());
    auto const name = events::login_name(request.user.email.value.value);
    auto known = co_await runtime.passwords.find(runtime.reservations.digest(name));
    if (!known) {
        auto made = co_await create_user(runtime, request.organizationId, request.user, request_key);
        if (!made) co_return tl::unexpected(made.error());
        known = workers::KnownAccount{{made->organizationId, made->id}};
    }
    if (known->whom.organization != request.organizationId) {
        co_return core::refuse(core::Code::org_scope_violation, "The address is of a user of another organization.");
    }
    SetUpUser result{known->whom.user, !known->has_password};
    if (result.passwordIsSet) co_await runtime.passwords.put(known->whom, core::hash_password(request.password.value));
    co_return result;
}

boost::asio::awaitable<core::Result<CreatedKey>> create_api_key(workers::Runtime& runtime, Id organization,
                                                                events::ApiKeyDetails details,
                                                                std::string const& request_key) {
    if (auto problem = co_await unknown_organization(runtime, organization))
        co_return tl::unexpected(*std::move(problem));
    auto context = system_context(organization);
    context.new_ids = co_await runtime.processor.ids().take(events::Kind::api_key, 1);
    Id const id = context.new_ids.front();
    auto const secret = events::make_key_secret(details.type);
    commands::CreateApiKey command{
        {std::move(details)}, {secret.id, secret.hint}, {runtime.config.pat_max_rate_limit}, {}, {}};
    auto submission = commands::make_submission(std::move(command), std::move(context));
    submission.idempotency = idempotency_of_system(runtime, request_key);
    co_await runtime.secrets.put(secret, organization, id);
    auto const made = co_await submit_as_system(runtime, std::move(submission));
    // Where the outcome is unknown the key may be there; else settling finds that it is not.
    bool const unknown = !made && made.error().code == core::Code::log_unavailable;
    if (!unknown && (!made || made->replayed)) co_await runtime.secrets.forget(secret.id);
    if (!made) co_return tl::unexpected(made.error());
    if (!made->replayed) co_return CreatedKey{id, secret.token, made->partition, made->position};
    auto const first = core::from_stored_json<commands::ShownApiKey>(made->body);
    auto const token = co_await runtime.secrets.shown(first.key.value.value_or(""));
    if (!token) {
        co_return core::refuse(core::Code::not_found, "Key " + std::to_string(first.id) +
                                                          " was made, but its secret can't be shown again: revoke it.");
    }
    co_return CreatedKey{first.id, *token, made->partition, made->position};
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

boost::asio::awaitable<core::Result<bool>> end_oauth_grant(workers::Runtime& runtime, Id organization, Id grant) {
    auto submission = commands::make_submission(commands::RevokeOAuthGrant{grant}, system_context(organization));
    auto const done = co_await submit_as_system(runtime, std::move(submission));
    if (!done) co_return tl::unexpected(done.error());
    co_return true;
}

boost::asio::awaitable<core::Result<std::string>> set_account(workers::Runtime& runtime, AccountRequest request) {
    if (auto problem = co_await unknown_organization(runtime, request.organizationId))
        co_return tl::unexpected(*std::move(problem));
    auto const submission = [&](auto command) {
        return commands::make_submission(std::move(command), system_context(request.organizationId));
    };
    auto const of_user = [&](core::Id user) {
        return request.active ? submission(commands::ReactivateUser{user}) : submission(commands::DeactivateUser{user});
    };
    auto const of_all = [&] {
        return request.active ? submission(commands::ReactivateOrganization{request.organizationId})
                              : submission(commands::DeactivateOrganization{request.organizationId});
    };
    auto const done =
        co_await submit_as_system(runtime, request.userId.value ? of_user(*request.userId.value) : of_all());
    if (!done) co_return tl::unexpected(done.error());
    co_return done->body;
}

boost::asio::awaitable<core::Result<events::OAuthClient>> change_oauth_client(workers::Runtime& runtime,
                                                                              OAuthClientRequest request) {
    auto const& name = request.clientId;
    auto const id =
        co_await runtime.writes.run([&](core::Connection& c) { return workers::find_oauth_client(c, name); });
    if (!id) co_return core::refuse(core::Code::not_found, "There is no registered OAuth client " + name + ".");
    auto const context = system_context(request.organizationId);
    if (auto const& tier = request.modelTier.value) {
        co_return co_await run_as_system(runtime, commands::UpdateOAuthClient{*id, *tier}, context);
    }
    auto ended = co_await run_as_system(runtime, commands::RemoveOAuthClient{*id, request.reason}, context);
    if (ended) co_await runtime.writes.run([&](core::Connection& c) { workers::forget_oauth_client(c, name); });
    co_return ended;
}

boost::asio::awaitable<core::Result<commands::SandboxResetAnswer>> reset_sandbox(workers::Runtime& runtime,
                                                                                 ResetSandboxRequest request,
                                                                                 std::string const& request_key) {
    if (auto problem = co_await unknown_organization(runtime, request.organizationId))
        co_return tl::unexpected(*std::move(problem));
    auto context = system_context(request.organizationId);
    context.sandbox = true;
    auto const idempotency = idempotency_of_system(runtime, request_key, true);
    core::Result<commands::SandboxResetAnswer> result;
    auto const attempt = [&](events::SandboxCounts before,
                             std::vector<Id> new_ids) -> boost::asio::awaitable<std::optional<core::Problem>> {
        auto own = context;
        own.new_ids = std::move(new_ids);
        commands::ResetSandbox const command{request.facilityId, request.seed, before, request.firstOnly};
        result = co_await run_as_system(runtime, command, std::move(own), idempotency);
        co_return result ? std::nullopt : std::optional(result.error());
    };
    if (auto refused = co_await operations::run_reset(
            runtime.processor, {context, request.facilityId, request.seed, idempotency}, attempt))
        co_return tl::unexpected(*std::move(refused));
    co_return result;
}

boost::asio::awaitable<core::Result<ErasedPerson>> erase_person(workers::Runtime& runtime, ErasePersonRequest request) {
    if (auto problem = co_await unknown_organization(runtime, request.organizationId))
        co_return tl::unexpected(*std::move(problem));
    auto const person = events::parse_aggregate(request.person);
    if (!person || !is_person(person->kind)) {
        co_return tl::unexpected(
            core::validation_problem({{"person", "enum", "must be one of: " + std::string(events::person_names())}}));
    }
    auto context = system_context(request.organizationId);
    context.sandbox = request.sandbox;
    auto const ask = [&] {
        return submit_as_system(runtime, commands::make_submission(commands::ErasePerson{{request}, *person}, context));
    };
    auto done = co_await ask();
    while (done && core::from_stored_json<commands::Erasure>(done->body).more) done = co_await ask();
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
        co_return core::refuse(core::Code::service_unavailable,
                               "The erasure of " + request.person +
                                   " is recorded, but the key is not destroyed yet; the service goes on trying: " +
                                   fault.substr(0, fault.find('\n')));
    }
    co_return ErasedPerson{{erasure}, done->partition, done->position};
}

}  // namespace workforce::api
