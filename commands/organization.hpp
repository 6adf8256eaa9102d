// Organizations and users, as far as the command line makes them.
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

/// A new user, active at once, whose address and user name nobody else on the platform has. System callers only.
struct CreateUser : events::UserDetails {
    using Answer = events::User;
};
BOOST_DESCRIBE_STRUCT(CreateUser, (events::UserDetails), ())
Result<Decision> decide(View const& view, CreateUser const& command, Context const& context);
events::User answer(View const& view, CreateUser const& command, Decision const& decision);

}  // namespace workforce::commands
