// Commands of the installation on users: what the log is told of how they sign in. Of a user who is deactivated or was
// erased meanwhile nothing is recorded.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"

namespace workforce::commands {

/// A user who was invited has a password now. Of one who is active nothing is recorded; INVALID_STATE_TRANSITION for
/// one who is deactivated.
struct ActivateUser {
    using Answer = events::User;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(ActivateUser, (), ())
Result<Decision> decide(View const& view, ActivateUser const& command, Context const& context);
events::User answer(View const& view, ActivateUser const& command, Decision const& decision);

/// Nobody signs in as the user until then: too many attempts failed.
struct LockUser {
    using Answer = Nothing;
    Timestamp lockedUntil;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(LockUser, (), (lockedUntil))
Result<Decision> decide(View const& view, LockUser const& command, Context const& context);

/// The lock has ended.
struct UnlockUser {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(UnlockUser, (), ())
Result<Decision> decide(View const& view, UnlockUser const& command, Context const& context);

/// Somebody signed in as the user, which ends a lock.
struct RecordSignIn : events::SessionDetails {
    using Answer = Nothing;
    Timestamp signedInAt;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(RecordSignIn, (events::SessionDetails), (signedInAt))
Result<Decision> decide(View const& view, RecordSignIn const& command, Context const& context);

/// The user ended a session.
struct RecordSignOut : events::SessionDetails {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(RecordSignOut, (events::SessionDetails), ())
Result<Decision> decide(View const& view, RecordSignOut const& command, Context const& context);

/// An attempt to sign in as the user failed.
struct RecordSignInFailure {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(RecordSignInFailure, (), ())
Result<Decision> decide(View const& view, RecordSignInFailure const& command, Context const& context);

/// The user has another password, which ends what they let clients do until then.
struct RecordPasswordChange {
    using Answer = Nothing;
    Id id = 0;
    std::optional<Timestamp> changedAt{};  ///< nothing: processes of before did not say
};
BOOST_DESCRIBE_STRUCT(RecordPasswordChange, (), (changedAt))
Result<Decision> decide(View const& view, RecordPasswordChange const& command, Context const& context);

/// Signing in as the user takes a one-time code now, or no more.
struct RecordMfaEnabled {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(RecordMfaEnabled, (), ())
Result<Decision> decide(View const& view, RecordMfaEnabled const& command, Context const& context);
struct RecordMfaDisabled {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(RecordMfaDisabled, (), ())
Result<Decision> decide(View const& view, RecordMfaDisabled const& command, Context const& context);

}  // namespace workforce::commands
