// Organizations, users and API keys, as far as the command line makes them.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// A new organization; its id is context.organization, its home partition is reserved before. System callers only.
struct CreateOrganization : events::OrganizationDetails {
    using Answer = events::Organization;
};
BOOST_DESCRIBE_STRUCT(CreateOrganization, (events::OrganizationDetails), ())
Result<Decision> decide(View const& view, CreateOrganization const& command, Context const& context);
events::Organization answer(View const& view, CreateOrganization const& command, Decision const& decision);

/// A new user, active at once. E-mail uniqueness across organizations is reserved before. System callers only.
struct CreateUser : events::UserDetails {
    using Answer = events::User;
};
BOOST_DESCRIBE_STRUCT(CreateUser, (events::UserDetails), ())
Result<Decision> decide(View const& view, CreateUser const& command, Context const& context);
events::User answer(View const& view, CreateUser const& command, Decision const& decision);

/// A new API key; its secret's hash is stored beside the log before this. The scopes must be of the catalogue.
struct CreateApiKey : events::ApiKeyDetails, events::ApiKeySecretHint {
    using Answer = events::ApiKey;
};
BOOST_DESCRIBE_STRUCT(CreateApiKey, (events::ApiKeyDetails, events::ApiKeySecretHint), ())
Result<Decision> decide(View const& view, CreateApiKey const& command, Context const& context);
events::ApiKey answer(View const& view, CreateApiKey const& command, Decision const& decision);

/// Ends a key for good; of one that has ended nothing is recorded.
struct RevokeApiKey {
    using Answer = events::ApiKey;
    Id id = 0;
    core::Nullable<core::ShortText> reason{};
};
BOOST_DESCRIBE_STRUCT(RevokeApiKey, (), ())
Result<Decision> decide(View const& view, RevokeApiKey const& command, Context const& context);
events::ApiKey answer(View const& view, RevokeApiKey const& command, Decision const& decision);

}  // namespace workforce::commands
