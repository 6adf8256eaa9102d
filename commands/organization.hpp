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

/// Whether the user is the only active super admin: nobody else may do all.
bool is_last_super_admin(View const& view, events::User const& user);

/// Nobody signs in as the user any more, and no key that is bound to them opens anything. LAST_SUPER_ADMIN where the
/// installation would be left without an active one. Of one who is deactivated nothing is recorded.
struct DeactivateUser {
    using Answer = events::User;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DeactivateUser, (), ())
Result<Decision> decide(View const& view, DeactivateUser const& command, Context const& context);
events::User answer(View const& view, DeactivateUser const& command, Decision const& decision);

/// Takes a deactivation back; of a user who is active nothing is recorded. INVALID_STATE_TRANSITION for one who was
/// erased, or who never was active.
struct ReactivateUser {
    using Answer = events::User;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ReactivateUser, (), ())
Result<Decision> decide(View const& view, ReactivateUser const& command, Context const& context);
events::User answer(View const& view, ReactivateUser const& command, Decision const& decision);

/// No credential of context.organization opens anything any more. LAST_SUPER_ADMIN for the internal organization, whose
/// super admins would go with it.
struct DeactivateOrganization {
    using Answer = events::Organization;
};
BOOST_DESCRIBE_STRUCT(DeactivateOrganization, (), ())
Result<Decision> decide(View const& view, DeactivateOrganization const& command, Context const& context);
events::Organization answer(View const& view, DeactivateOrganization const& command, Decision const& decision);

/// Takes a deactivation back.
struct ReactivateOrganization {
    using Answer = events::Organization;
};
BOOST_DESCRIBE_STRUCT(ReactivateOrganization, (), ())
Result<Decision> decide(View const& view, ReactivateOrganization const& command, Context const& context);
events::Organization answer(View const& view, ReactivateOrganization const& command, Decision const& decision);

}  // namespace workforce::commands
