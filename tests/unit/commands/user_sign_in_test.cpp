// What the log is told of how users sign in.
#include "commands/user_sign_in.hpp"

#include <gtest/gtest.h>

#include "commands/user.hpp"
#include "events/oauth_grant.hpp"
#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

using events::UserStatus;

constexpr Id kInvitedAda = 31;

Given world(UserStatus status = UserStatus::active) {
    Given given;
    given.organization();
    events::UserCreated user;
    user.email = core::Email("ada@example.test");
    user.status = status;
    given.event({events::Kind::user, kInvitedAda}, events::UserEvent(user));
    given.context.actor = {};
    return given;
}

commands::RecordSignIn sign_in() {
    commands::RecordSignIn command;
    command.sessionId = 5;
    command.signedInAt = at("2026-07-24T09:59:59Z");
    command.id = kInvitedAda;
    return command;
}

TEST(CreateUser, WithAPasswordIsActive) {
    Given given;
    given.organization();
    given.context.actor = {events::ActorType::api_key, 9, 0};
    commands::CreateUser command;
    command.email = core::Email("kay@example.test");
    EXPECT_EQ(given.when(command).event<events::UserCreated>().status, UserStatus::invited);
    command.has_password = true;
    EXPECT_EQ(given.when(command).event<events::UserCreated>().status, UserStatus::active);
}

TEST(ActivateUser, TheInvitedAlone) {
    auto given = world(UserStatus::invited);
    EXPECT_EQ(given.when(commands::ActivateUser{kInvitedAda}).summary(), "user.activated");
    EXPECT_EQ(given.after(commands::ActivateUser{kInvitedAda}).status, UserStatus::active);
    EXPECT_EQ(given.when(commands::ActivateUser{kInvitedAda}).summary(), "nothing");
    given.after(commands::DeactivateUser{kInvitedAda});
    EXPECT_EQ(given.when(commands::ActivateUser{kInvitedAda}).summary(), "INVALID_STATE_TRANSITION");
    EXPECT_EQ(given.when(commands::ActivateUser{99}).summary(), "NOT_FOUND");
}

TEST(LockUser, AndUnlock) {
    auto given = world();
    EXPECT_EQ(given.when(commands::UnlockUser{kInvitedAda}).summary(), "nothing");
    commands::LockUser const lock{at("2026-07-24T10:15:00Z"), kInvitedAda};
    EXPECT_EQ(given.when(lock).summary(), "user.locked");
    given.event({events::Kind::user, kInvitedAda}, events::UserEvent(events::UserLocked{lock.lockedUntil}));
    auto const& locked = *given.view().get<events::User>(kInvitedAda);
    EXPECT_EQ(locked.status, UserStatus::locked);
    EXPECT_EQ(locked.lockedUntil.value, lock.lockedUntil);
    EXPECT_TRUE(events::is_usable(locked));
    EXPECT_EQ(given.when(commands::UnlockUser{kInvitedAda}).summary(), "user.unlocked");
    EXPECT_EQ(given.when(sign_in()).summary(), "user.unlocked user.signed_in");
    given.event({events::Kind::user, kInvitedAda}, events::UserEvent(events::UserUnlocked{}));
    EXPECT_EQ(given.view().get<events::User>(kInvitedAda)->status, UserStatus::active);
    EXPECT_FALSE(given.view().get<events::User>(kInvitedAda)->lockedUntil.value);
}

TEST(LockUser, NotWhoWasInvited) {
    auto given = world(UserStatus::invited);
    EXPECT_EQ(given.when(commands::LockUser{at("2026-07-24T10:15:00Z"), kInvitedAda}).summary(), "nothing");
}

TEST(RecordSignIn, TellsWhen) {
    auto given = world();
    EXPECT_EQ(given.when(sign_in()).summary(), "user.signed_in");
    given.event({events::Kind::user, kInvitedAda},
                events::UserEvent(given.when(sign_in()).event<events::UserSignedIn>()));
    EXPECT_EQ(given.view().get<events::User>(kInvitedAda)->lastLoginAt.value, at("2026-07-24T09:59:59Z"));
    auto const changed = given.view().get<events::User>(kInvitedAda)->updatedAt;
    given.context.now = at("2026-07-24T11:00:00Z");
    given.event({events::Kind::user, kInvitedAda}, events::UserEvent(events::UserSignInFailed{}));
    EXPECT_EQ(given.view().get<events::User>(kInvitedAda)->updatedAt, changed) << "a guess is no change of the user";
    EXPECT_EQ(given.when(commands::RecordSignInFailure{kInvitedAda}).summary(), "user.sign_in_failed");
    EXPECT_EQ(given.when(commands::RecordPasswordChange{kInvitedAda}).summary(), "user.password_changed");
    EXPECT_EQ(given.when(commands::RecordSignOut{{5}, kInvitedAda}).summary(), "user.signed_out");
}

TEST(RecordPasswordChange, EndsWhatClientsWereLetDoBefore) {
    auto given = world();
    auto const allow = [&given](Id id, Id user, core::Timestamp when) {
        given.context.now = when;
        events::OAuthGrantApproved const approved{{user, "a", "Planner", {{"staff:read"}}}};
        given.event({events::Kind::oauth_grant, id}, events::OAuthGrantEvent(approved));
    };
    auto const changed = at("2026-07-24T12:00:00Z");
    allow(7, kInvitedAda, changed);
    allow(8, kInvitedAda, at("2026-07-24T12:00:01Z"));
    allow(9, 99, at("2026-07-24T11:00:00Z"));
    auto const outcome = given.when(commands::RecordPasswordChange{kInvitedAda, changed});
    EXPECT_EQ(outcome.summary(), "user.password_changed oauth_grant.revoked");
    EXPECT_EQ(outcome.result->events.at(1).subject, (events::AggregateRef{events::Kind::oauth_grant, 7}));
    EXPECT_EQ(given.when(commands::DeactivateUser{kInvitedAda}).summary(),
              "user.deactivated oauth_grant.revoked oauth_grant.revoked");
    given.after(commands::DeactivateUser{kInvitedAda});
    EXPECT_EQ(given.when(commands::RecordPasswordChange{kInvitedAda, changed}).summary(), "nothing");
}

TEST(RecordSignIn, NothingOfWhoIsDeactivatedOrNobody) {
    auto given = world();
    given.after(commands::DeactivateUser{kInvitedAda});
    EXPECT_EQ(given.when(sign_in()).summary(), "nothing");
    EXPECT_EQ(given.when(commands::LockUser{at("2026-07-24T10:15:00Z"), kInvitedAda}).summary(), "nothing");
    EXPECT_EQ(given.when(commands::RecordSignInFailure{kInvitedAda}).summary(), "nothing");
    EXPECT_EQ(given.when(commands::RecordSignOut{{5}, 99}).summary(), "nothing");
}

TEST(InviteUser, WhoeverMayChangeTheUser) {
    auto given = world(UserStatus::invited);
    EXPECT_EQ(given.when(commands::InviteUser{kInvitedAda}).summary(), "user.invited");
    EXPECT_EQ(given.when(commands::InviteUser{99}).summary(), "NOT_FOUND");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(commands::InviteUser{kInvitedAda}).summary(), "NOT_FOUND");
    given.context.facilities = {};
    given.after(commands::DeactivateUser{kInvitedAda});
    EXPECT_EQ(given.when(commands::InviteUser{kInvitedAda}).summary(), "INVALID_STATE_TRANSITION");
}

}  // namespace
}  // namespace workforce::tests
