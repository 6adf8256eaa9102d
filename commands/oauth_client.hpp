// Commands on OAuth clients, in the organization that runs the installation.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/oauth_client.hpp"

namespace workforce::commands {

/// Of the installation, for POST /oauth/register, which has judged it (operations/oauth/registration.cpp).
struct RegisterOAuthClient : events::OAuthClientDetails {
    using Answer = events::OAuthClient;
};
BOOST_DESCRIBE_STRUCT(RegisterOAuthClient, (events::OAuthClientDetails), ())
Result<Decision> decide(View const& view, RegisterOAuthClient const& command, Context const& context);
events::OAuthClient answer(View const& view, RegisterOAuthClient const& command, Decision const& decision);

/// Of the installation: says as which grade of model a client calls tools. NOT_FOUND for one that has ended.
struct UpdateOAuthClient {
    using Answer = events::OAuthClient;
    Id id = 0;
    events::ModelTier modelTier = events::ModelTier::standard;
};
BOOST_DESCRIBE_STRUCT(UpdateOAuthClient, (), (modelTier))
Result<Decision> decide(View const& view, UpdateOAuthClient const& command, Context const& context);
events::OAuthClient answer(View const& view, UpdateOAuthClient const& command, Decision const& decision);

/// Of the installation: ends a client, for a reason. Of one that has ended nothing is recorded.
struct RemoveOAuthClient {
    using Answer = events::OAuthClient;
    Id id = 0;
    core::ShortText reason;
};
BOOST_DESCRIBE_STRUCT(RemoveOAuthClient, (), (reason))
Result<Decision> decide(View const& view, RemoveOAuthClient const& command, Context const& context);
events::OAuthClient answer(View const& view, RemoveOAuthClient const& command, Decision const& decision);

}  // namespace workforce::commands
