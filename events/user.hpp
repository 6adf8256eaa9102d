// Users: the resource, its events, and how they fold.
#pragma once

#include <variant>

#include "events/resource.hpp"

namespace workforce::events {

enum class Role : std::uint8_t {
    super_admin,
    admin,
    manager,
    facility_admin,
    scheduler,
    payroll_manager,
    sales_rep,
    viewer,
    staff
};
BOOST_DESCRIBE_ENUM(Role, super_admin, admin, manager, facility_admin, scheduler, payroll_manager, sales_rep, viewer,
                    staff)

/// How high the role stands: 0 is the highest. Nobody grants a role above their own (domain 1.2).
int rank_of(Role role);

enum class UserStatus : std::uint8_t { invited, active, locked, deactivated };
BOOST_DESCRIBE_ENUM(UserStatus, invited, active, locked, deactivated)

struct UserDetails {
    core::Personal<core::Email> email;
    core::Personal<core::ShortText> username;  ///< empty: the e-mail address
    core::Personal<core::Name> firstName;
    core::Personal<core::Name> lastName;
    Role role = Role::viewer;
    std::vector<Id> facilityIds;  ///< empty: every facility of the organization
    core::Nullable<Id> staffId;

    static constexpr std::array<std::string_view, 4> kRequired{"email", "firstName", "lastName", "role"};
};
BOOST_DESCRIBE_STRUCT(UserDetails, (), (email, username, firstName, lastName, role, facilityIds, staffId))

/// The fields of an update: absent means unchanged.
struct UserChanges {
    std::optional<core::Personal<core::Email>> email;
    std::optional<core::Personal<core::ShortText>> username;
    std::optional<core::Personal<core::Name>> firstName;
    std::optional<core::Personal<core::Name>> lastName;
    std::optional<Role> role;
    std::optional<std::vector<Id>> facilityIds;
    std::optional<core::Nullable<Id>> staffId;
};
BOOST_DESCRIBE_STRUCT(UserChanges, (), (email, username, firstName, lastName, role, facilityIds, staffId))

struct UserFlags {
    UserStatus status = UserStatus::active;
};
BOOST_DESCRIBE_STRUCT(UserFlags, (), (status))

/// How the user signs in.
struct UserSignIn {
    bool mfaEnabled = false;
    core::Nullable<Timestamp> lastLoginAt;
    core::Nullable<Timestamp> lockedUntil;  ///< null unless the status is locked
};
BOOST_DESCRIBE_STRUCT(UserSignIn, (), (mfaEnabled, lastLoginAt, lockedUntil))

struct User : Identified, UserDetails, UserFlags, UserSignIn, Stamped {
    static constexpr Kind kKind = Kind::user;
};
BOOST_DESCRIBE_STRUCT(User, (Identified, UserDetails, UserFlags, UserSignIn, Stamped), ())

/// Whether the user's credentials open what they may: a lock keeps from signing in alone, so that strangers who guess
/// passwords end nobody's work.
inline bool is_usable(UserFlags const& user) {
    return user.status == UserStatus::active || user.status == UserStatus::locked;
}

/// Since version 2 with the status that the user begins with.
struct UserCreated : UserDetails, UserFlags {
    static constexpr std::string_view kType = "user.created";
    static constexpr std::int32_t kVersion = 2;
};
BOOST_DESCRIBE_STRUCT(UserCreated, (UserDetails, UserFlags), ())

struct UserUpdated : UserChanges {
    static constexpr std::string_view kType = "user.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserUpdated, (UserChanges), ())

/// The user signs in no more, and no credential of theirs is taken, until they are reactivated.
struct UserDeactivated {
    static constexpr std::string_view kType = "user.deactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserDeactivated, (), ())

struct UserReactivated {
    static constexpr std::string_view kType = "user.reactivated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserReactivated, (), ())

/// As StaffErased.
struct UserErased : ErasureDetails {
    static constexpr std::string_view kType = "user.erased";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kErases = true;
};
BOOST_DESCRIBE_STRUCT(UserErased, (ErasureDetails), ())

/// The user is sent another link to set a password by.
struct UserInvited {
    static constexpr std::string_view kType = "user.invited";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserInvited, (), ())

/// The user, who was invited, has a password.
struct UserActivated {
    static constexpr std::string_view kType = "user.activated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserActivated, (), ())

/// Too many attempts to sign in failed.
struct UserLocked {
    static constexpr std::string_view kType = "user.locked";
    static constexpr std::int32_t kVersion = 1;
    Timestamp lockedUntil;
};
BOOST_DESCRIBE_STRUCT(UserLocked, (), (lockedUntil))

struct UserUnlocked {
    static constexpr std::string_view kType = "user.unlocked";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserUnlocked, (), ())

/// How a session is presented.
enum class SessionKind : std::uint8_t { cookie, jwt };
BOOST_DESCRIBE_ENUM(SessionKind, cookie, jwt)

struct SessionDetails {
    Id sessionId = 0;
    SessionKind kind = SessionKind::cookie;
};
BOOST_DESCRIBE_STRUCT(SessionDetails, (), (sessionId, kind))

struct UserSignedIn : SessionDetails {
    static constexpr std::string_view kType = "user.signed_in";
    static constexpr std::int32_t kVersion = 1;
    Timestamp signedInAt;
};
BOOST_DESCRIBE_STRUCT(UserSignedIn, (SessionDetails), (signedInAt))

struct UserSignedOut : SessionDetails {
    static constexpr std::string_view kType = "user.signed_out";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserSignedOut, (SessionDetails), ())

/// An attempt to sign in failed. In logs of before it stands for some, of which it was the first.
struct UserSignInFailed {
    static constexpr std::string_view kType = "user.sign_in_failed";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserSignInFailed, (), ())

struct UserPasswordChanged {
    static constexpr std::string_view kType = "user.password_changed";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserPasswordChanged, (), ())

/// Signing in takes a one-time code from now on; no more; no more because a super admin said so.
struct UserMfaEnabled {
    static constexpr std::string_view kType = "user.mfa_enabled";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserMfaEnabled, (), ())
struct UserMfaDisabled {
    static constexpr std::string_view kType = "user.mfa_disabled";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserMfaDisabled, (), ())
struct UserMfaReset {
    static constexpr std::string_view kType = "user.mfa_reset";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(UserMfaReset, (), ())

using UserEvent = std::variant<UserCreated, UserUpdated, UserErased, UserDeactivated, UserReactivated, UserInvited,
                               UserActivated, UserLocked, UserUnlocked, UserSignedIn, UserSignedOut, UserSignInFailed,
                               UserPasswordChanged, UserMfaEnabled, UserMfaDisabled, UserMfaReset>;

/// Folds one event into the user.
void evolve(User& user, UserEvent const& event, Envelope const& meta);

/// What stands for a text that somebody signs in by.
UniqueText login_name(std::string_view text);

/// Who signs in names the address or the user name, so these are one sort of text. Empty where the user was erased.
std::vector<UniqueText> login_names(UserDetails const& user);

template <>
struct Aggregate<Kind::user> : Declared<User, UserEvent> {
    static std::vector<UniqueText> unique_texts(User const& user) { return login_names(user); }
    static constexpr Residence kResidence = Residence::with_organization;
    static constexpr bool kSandboxed = false;
    static constexpr bool kInActivity = false;
};

}  // namespace workforce::events
