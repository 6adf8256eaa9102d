// What only the command line and the platform itself may do: organizations, users, API keys.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/credentials/authentication.hpp"
#include "commands/api_key.hpp"
#include "commands/erasure.hpp"
#include "commands/oauth_client.hpp"
#include "commands/organization.hpp"
#include "commands/sandbox.hpp"
#include "commands/user.hpp"
#include "workers/runtime.hpp"

namespace workforce::api {

/// Submits a command of the system. Errors: its refusal.
boost::asio::awaitable<core::Result<commands::Reply>> submit_as_system(workers::Runtime& runtime,
                                                                       commands::Submission submission);

/// What makes retries of one request of the command line recognisable: they have the same `request_key`. Nothing
/// where it is empty, for what is not retried.
std::optional<commands::Idempotency> idempotency_of_system(workers::Runtime& runtime, std::string const& request_key,
                                                           bool sandbox = false);

/// A command of the system, answered by its resource.
template <class Command>
boost::asio::awaitable<core::Result<typename Command::Answer>> run_as_system(
    workers::Runtime& runtime, Command command, commands::Context context,
    std::optional<commands::Idempotency> idempotency = std::nullopt) {
    auto submission = commands::make_submission(std::move(command), std::move(context));
    submission.idempotency = std::move(idempotency);
    auto const reply = co_await submit_as_system(runtime, std::move(submission));
    if (!reply) co_return tl::unexpected(reply.error());
    co_return core::from_stored_json<typename Command::Answer>(reply->body);
}

/// The context of a system command in an organization.
commands::Context system_context(core::Id organization);

/// A new organization with its home partition. Errors: the command's.
boost::asio::awaitable<core::Result<events::Organization>> create_organization(workers::Runtime& runtime,
                                                                               events::OrganizationDetails details);

/// A new user. Errors: the command's.
boost::asio::awaitable<core::Result<events::User>> create_user(workers::Runtime& runtime, core::Id organization,
                                                               events::UserDetails details,
                                                               std::string const& request_key = {});

/// A user who is to be there and able to sign in.
struct SetUpUserRequest {
    core::Id organizationId = 0;
    events::UserDetails user;
    core::Typed<12> password;  ///< operations::NewPassword
};
BOOST_DESCRIBE_STRUCT(SetUpUserRequest, (), (organizationId, user, password))

/// Whom that became.
struct SetUpUser {
    core::Id id = 0;
    bool passwordIsSet = false;  ///< false: there was one before, which stays
};
BOOST_DESCRIBE_STRUCT(SetUpUser, (), (id, passwordIsSet))

/// Makes the user, unless somebody has the address, and gives them the password, unless they have one. Errors: the
/// command's; ORG_SCOPE_VIOLATION where the address is of a user of another organization.
boost::asio::awaitable<core::Result<SetUpUser>> set_up_user(workers::Runtime& runtime, SetUpUserRequest request,
                                                            std::string const& request_key = {});

/// What a key's creator is shown, once.
struct CreatedKey {
    core::Id id = 0;
    std::string key;
    int partition = 0;
    std::int64_t position = -1;
};
BOOST_DESCRIBE_STRUCT(CreatedKey, (), (id, key, partition, position))

/// A new key. Its secret is stored before the append, so that a key that exists can be used. A retry shows the first
/// one again.
boost::asio::awaitable<core::Result<CreatedKey>> create_api_key(workers::Runtime& runtime, core::Id organization,
                                                                events::ApiKeyDetails details,
                                                                std::string const& request_key = {});

/// Revokes a key of the organization, for a reason or none. Once it is answered, no process takes the key any more
/// that looks it up, and those that did look it up no later than kKeyTrust from now.
boost::asio::awaitable<core::Result<events::ApiKey>> revoke_api_key(workers::Runtime& runtime, core::Id organization,
                                                                    core::Id key,
                                                                    core::Nullable<core::ShortText> reason = {});

/// Ends an OAuth grant of the organization, if there is one that holds.
boost::asio::awaitable<core::Result<bool>> end_oauth_grant(workers::Runtime& runtime, core::Id organization,
                                                           core::Id grant);

/// Which account is to be active or not: a user, or the organization itself where none is named.
struct AccountRequest {
    core::Id organizationId = 0;
    core::Nullable<core::Id> userId;
    bool active = false;
};
BOOST_DESCRIBE_STRUCT(AccountRequest, (), (organizationId, userId, active))

/// Deactivates or reactivates the account. Returns its record as JSON. Once a deactivation is answered, no process
/// takes a credential of the account any more that looks it up, and those that did look it up no later than kKeyTrust
/// from now. Errors: the command's.
boost::asio::awaitable<core::Result<std::string>> set_account(workers::Runtime& runtime, AccountRequest request);

/// A change of a registered OAuth client: it calls tools as another grade of model, or (null) it ends.
struct OAuthClientRequest {
    core::Id organizationId = 0;  ///< operations::kInstallation
    std::string clientId;
    core::Nullable<events::ModelTier> modelTier;
    core::ShortText reason;
};
BOOST_DESCRIBE_STRUCT(OAuthClientRequest, (), (organizationId, clientId, modelTier, reason))

/// Does that; once it is answered, no token of one that ended opens anything at a process that looks it up. Errors:
/// NOT_FOUND for one that is not registered; the command's.
boost::asio::awaitable<core::Result<events::OAuthClient>> change_oauth_client(workers::Runtime& runtime,
                                                                              OAuthClientRequest request);

/// Which sandbox to reset.
struct ResetSandboxRequest {
    core::Id organizationId = 0;
    core::Id facilityId = 0;
    events::SandboxSeed seed = 1;
    bool firstOnly = false;  ///< nothing happens where it was ever reset
};
BOOST_DESCRIBE_STRUCT(ResetSandboxRequest, (), (organizationId, facilityId, seed, firstOnly))

/// Empties the sandbox of a facility and fills it anew. Errors: the command's; CONCURRENT_MODIFICATION while another
/// reset of it runs.
boost::asio::awaitable<core::Result<commands::SandboxResetAnswer>> reset_sandbox(workers::Runtime& runtime,
                                                                                 ResetSandboxRequest request,
                                                                                 std::string const& request_key = {});

/// Whom to forget, and why.
struct ErasePersonRequest : events::ErasureDetails {
    core::Id organizationId = 0;
    bool sandbox = false;
    std::string person;  ///< "staff/42" or "user/7"
};
BOOST_DESCRIBE_STRUCT(ErasePersonRequest, (events::ErasureDetails), (organizationId, sandbox, person))

/// What became of it.
struct ErasedPerson : commands::Erasure {
    int partition = 0;
    std::int64_t position = -1;  ///< of the erasure; -1 when it was on record before
};
BOOST_DESCRIBE_STRUCT(ErasedPerson, (commands::Erasure), (partition, position))

/// Records the person's erasure, then destroys their key. Errors: the command's; SERVICE_UNAVAILABLE when it is
/// recorded and the key is still to be destroyed, which whoever serves the partition goes on trying.
boost::asio::awaitable<core::Result<ErasedPerson>> erase_person(workers::Runtime& runtime, ErasePersonRequest request);

}  // namespace workforce::api
