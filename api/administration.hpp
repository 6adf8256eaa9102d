// What only the command line and the platform itself may do: organizations, users, API keys.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/authentication.hpp"
#include "api/runtime.hpp"
#include "commands/organization.hpp"

namespace workforce::api {

/// A command of the system, answered by its resource.
template <class Command>
boost::asio::awaitable<core::Result<typename Command::Answer>> run_as_system(Runtime& runtime, Command command,
                                                                             commands::Context context) {
    auto problem = std::make_shared<core::Problem>();
    auto submission = commands::make_submission(std::move(command), std::move(context));
    submission.render_problem = [problem](core::Problem const& p) {
        *problem = p;
        return std::string{};
    };
    auto const reply = co_await runtime.processor.submit(std::move(submission));
    if (reply.refused) co_return tl::unexpected(*problem);
    co_return core::from_stored_json<typename Command::Answer>(reply.body);
}

/// The context of a system command in an organization.
commands::Context system_context(core::Id organization);

/// A new organization with its home partition. Errors: the command's.
boost::asio::awaitable<core::Result<events::Organization>> create_organization(Runtime& runtime,
                                                                               events::OrganizationDetails details);

/// A new user; the e-mail address is reserved across the platform before (DUPLICATE_RESOURCE), released on refusal.
boost::asio::awaitable<core::Result<events::User>> create_user(Runtime& runtime, core::Id organization,
                                                               events::UserDetails details);

/// What a key's creator is shown, once.
struct CreatedKey {
    core::Id id = 0;
    std::string key;
    int partition = 0;
    std::int64_t position = -1;
};
BOOST_DESCRIBE_STRUCT(CreatedKey, (), (id, key, partition, position))

/// A new key. The secret's digest is stored before the append, so that a key that exists can be used.
boost::asio::awaitable<core::Result<CreatedKey>> create_api_key(Runtime& runtime, core::Id organization,
                                                                events::ApiKeyDetails details);

/// Revokes a key of the organization.
boost::asio::awaitable<core::Result<events::ApiKey>> revoke_api_key(Runtime& runtime, core::Id organization,
                                                                    core::Id key);

}  // namespace workforce::api
