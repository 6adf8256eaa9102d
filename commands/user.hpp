// Commands on users.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// POST /api/users. A new user whose address and user name nobody else on the platform has: active at once where the
/// system makes one or there is a password, else invited. FORBIDDEN for a role above the caller's.
struct CreateUser : events::UserDetails {
    using Answer = events::User;
    bool has_password = false;  ///< one is stored beside the log
};
BOOST_DESCRIBE_STRUCT(CreateUser, (events::UserDetails), ())
Result<Decision> decide(View const& view, CreateUser const& command, Context const& context);
events::User answer(View const& view, CreateUser const& command, Decision const& decision);

/// PUT or PATCH /api/users/{id}. FORBIDDEN where the user or the new role is above the caller; LAST_SUPER_ADMIN where
/// no active one would be left; FACILITY_SCOPE_VIOLATION where a caller bound to facilities reaches beyond these.
/// `isActive` stands for the commands deactivate and reactivate.
struct UpdateUser : events::UserChanges {
    using Answer = events::User;
    Id id = 0;
    std::optional<bool> isActive;
};
BOOST_DESCRIBE_STRUCT(UpdateUser, (events::UserChanges), (isActive))
Result<Decision> decide(View const& view, UpdateUser const& command, Context const& context);
events::User answer(View const& view, UpdateUser const& command, Decision const& decision);

/// How high the caller's own role stands (events::rank_of), wherever the caller acts: nobody gives or takes a higher
/// one, nor stands for somebody who has it. Of the system's it is the highest.
int highest_rank(View const& view, Context const& context);

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

/// POST /api/users/{id}/reset-invite. Somebody who may change the user has a link sent to them.
/// INVALID_STATE_TRANSITION for one who is deactivated.
struct InviteUser {
    using Answer = events::User;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(InviteUser, (), ())
Result<Decision> decide(View const& view, InviteUser const& command, Context const& context);
events::User answer(View const& view, InviteUser const& command, Decision const& decision);

/// POST /api/users/{id}/reset-mfa: signing in as the user takes no one-time code any more. Of one who has no second
/// factor nothing is recorded. Errors: NOT_FOUND; FORBIDDEN for everybody but super admins, and of oneself.
struct ResetUserMfa {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ResetUserMfa, (), ())
Result<Decision> decide(View const& view, ResetUserMfa const& command, Context const& context);

/// POST /api/users/{id}/reactivate. Takes a deactivation back: the user is active then. Of one who is not deactivated
/// nothing is recorded. INVALID_STATE_TRANSITION for one who was erased.
struct ReactivateUser {
    using Answer = events::User;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ReactivateUser, (), ())
Result<Decision> decide(View const& view, ReactivateUser const& command, Context const& context);
events::User answer(View const& view, ReactivateUser const& command, Decision const& decision);

}  // namespace workforce::commands
