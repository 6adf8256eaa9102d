// Notifications: who is told, and who reads what.
#include "commands/notification.hpp"

#include <gtest/gtest.h>

#include "tests/support/given.hpp"

namespace workforce::commands {
namespace {

using tests::Given;

constexpr Id kReader = 3;  // who Given's caller is
constexpr Id kOther = 4;

Given given_users() {
    Given given;
    given.organization();
    for (Id const id : {kReader, kOther}) {
        events::UserCreated user;
        user.email = core::Email("user" + std::to_string(id) + "@example.test");
        user.status = events::UserStatus::active;
        given.event({events::Kind::user, id}, events::UserEvent(user));
    }
    return given;
}

CreateNotification telling(Id user) {
    CreateNotification command;
    command.userId = user;
    command.type = events::NotificationType::shift_assigned;
    command.title = "You are assigned to a shift";
    command.resource = "shift:5";
    return command;
}

Given& told(Given& given, Id id, Id user) {
    return given.event({events::Kind::notification, id},
                       events::NotificationEvent(events::NotificationCreated{telling(user)}));
}

TEST(CreateNotification, TellsAUserWhoIsThere) {
    auto given = given_users();
    auto const outcome = given.when(telling(kOther));
    EXPECT_EQ(outcome.summary(), "notification.created");
    EXPECT_EQ(outcome.event<events::NotificationCreated>().userId, kOther);
    EXPECT_EQ(outcome.result->events.front().subject, (events::AggregateRef{events::Kind::notification, 101}));
    EXPECT_EQ(outcome.result->events.front().facility, 0);
    EXPECT_EQ(given.when(telling(99)).summary(), "nothing");
    given.event({events::Kind::user, kOther}, events::UserEvent(events::UserDeactivated{}));
    EXPECT_EQ(given.when(telling(kOther)).summary(), "nothing");
    given.event({events::Kind::user, kReader}, events::UserEvent(events::UserErased{}));
    EXPECT_EQ(given.when(telling(kReader)).summary(), "nothing");
}

TEST(ReadNotification, IsDoneOnceAndOfOnesOwnAlone) {
    auto given = given_users();
    told(given, 11, kReader);
    told(given, 12, kOther);
    auto const read = given.after(ReadNotification{11});
    EXPECT_TRUE(read.isRead);
    EXPECT_EQ(read.readAt.value, given.context.now);
    EXPECT_EQ(given.when(ReadNotification{11}).summary(), "nothing");
    EXPECT_TRUE(given.after(ReadNotification{11}).isRead);
    EXPECT_EQ(given.when(ReadNotification{12}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(ReadNotification{13}).summary(), "NOT_FOUND");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(ReadNotification{11}).summary(), "nothing") << "it is of no facility";
    given.context.actor = {events::ActorType::api_key, 8, kOther};
    EXPECT_EQ(given.when(ReadNotification{12}).summary(), "notification.read") << "by a key of the user";
    given.context.actor.user = 0;
    EXPECT_EQ(given.when(ReadNotification{12}).summary(), "NOT_FOUND");
}

TEST(ReadNotification, KeepsTheSandboxApart) {
    auto given = given_users();
    told(given, 11, kReader);
    given.context.sandbox = true;
    EXPECT_EQ(given.when(telling(kReader)).summary(), "notification.created") << "users are those of live data";
    EXPECT_EQ(given.when(ReadNotification{11}).summary(), "NOT_FOUND");
}

TEST(ReadNotifications, CountsWhatWasUnreadAndOnesOwn) {
    auto given = given_users();
    for (Id const id : {11, 12, 13}) told(given, id, kReader);
    told(given, 14, kOther);
    given.after(ReadNotification{12});
    ReadNotifications const all{{11, 12, 13, 14, 15}, 200};
    EXPECT_EQ(given.when(all).summary(), "notification.read notification.read");
    EXPECT_EQ(given.after(all).count, 202);
    EXPECT_EQ(given.after(all).count, 200);
    EXPECT_EQ(given.after(ReadNotifications{}).count, 0);
}

}  // namespace
}  // namespace workforce::commands
