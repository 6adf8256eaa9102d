// OAuth grants and clients: one of a user and a client, theirs alone; and what ends with a user.
#include "commands/oauth_grant.hpp"

#include <gtest/gtest.h>

#include "commands/erasure.hpp"
#include "commands/oauth_client.hpp"
#include "tests/support/given.hpp"

namespace workforce::commands {
namespace {

using events::Kind;
using tests::Given;

constexpr Id kGranter = 3;  // who Given's caller is
constexpr Id kAnotherUser = 4;

Given given_two_users() {
    Given given;
    given.organization();
    for (Id const id : {kGranter, kAnotherUser}) {
        events::UserCreated user;
        user.email = core::Email("user" + std::to_string(id) + "@example.test");
        user.status = events::UserStatus::active;
        given.event({Kind::user, id}, events::UserEvent(user));
    }
    return given;
}

Given& granted(Given& given, Id id, Id user, std::string client, std::vector<core::ShortText> scopes) {
    events::OAuthGrantApproved const approved{{user, std::move(client), "Planner", std::move(scopes)}};
    return given.event({Kind::oauth_grant, id}, events::OAuthGrantEvent(approved));
}

ApproveOAuthGrant approving(std::string client, std::vector<core::ShortText> scopes) {
    return {std::move(client), "Planner", std::move(scopes)};
}

TEST(FaultOfCredential, IsAClientsWhoseGrantHasEnded) {
    auto given = given_two_users();
    granted(given, 7, kGranter, "a", {"staff:read"});
    granted(given, 8, kAnotherUser, "b", {"staff:read"});
    auto const fault = [&given](std::string client) {
        auto context = given.context;
        context.actor = {events::ActorType::oauth, 31, kGranter};
        context.cause.client_id = std::move(client);
        return std::string(fault_of_credential(given.view(), context));
    };
    EXPECT_EQ(fault("a"), "");
    EXPECT_EQ(fault("b"), "The user lets the client act no more.") << "it is another user's grant";
    given.event({Kind::oauth_grant, 7}, events::OAuthGrantEvent(events::OAuthGrantRevoked{}));
    EXPECT_EQ(fault("a"), "The user lets the client act no more.");
    given.context.sandbox = true;
    EXPECT_EQ(fault("a"), "The user lets the client act no more.") << "grants have no sandbox";
    given.context.sandbox = false;
    granted(given, 9, kGranter, "a", {"staff:read"});
    for (bool const sandbox : {false, true}) {
        given.context.sandbox = sandbox;
        EXPECT_EQ(fault("a"), "");
    }
}

TEST(ApproveOAuthGrant, IsOneOfAUserAndAClient) {
    auto given = given_two_users();
    auto const first = given.when(approving("a", {"staff:read"}));
    EXPECT_EQ(first.summary(), "oauth_grant.approved");
    EXPECT_EQ(first.event<events::OAuthGrantApproved>().userId, kGranter);
    EXPECT_EQ(first.result->events.front().subject, (events::AggregateRef{Kind::oauth_grant, 101}));

    granted(given, 7, kGranter, "a", {"staff:read"});
    granted(given, 8, kAnotherUser, "b", {"staff:read"});
    auto const more = given.when(approving("a", {"shifts:read"}));
    EXPECT_EQ(more.result->events.front().subject.id, 7);
    EXPECT_EQ(more.event<events::OAuthGrantApproved>().scopes,
              (std::vector<core::ShortText>{"shifts:read", "staff:read"}));
    EXPECT_EQ(given.when(approving("b", {"staff:read"})).result->events.front().subject.id, 101);

    given.event({Kind::oauth_grant, 7}, events::OAuthGrantEvent(events::OAuthGrantRevoked{}));
    auto const anew = given.when(approving("a", {"crm:read"}));
    EXPECT_EQ(anew.result->events.front().subject.id, 101);
    EXPECT_EQ(anew.event<events::OAuthGrantApproved>().scopes, (std::vector<core::ShortText>{"crm:read"}));
}

TEST(ApproveOAuthGrant, IsAUsersOfTheOrganization) {
    auto given = given_two_users();
    given.context.actor.user = 0;
    EXPECT_EQ(given.when(approving("a", {"staff:read"})).summary(), "FORBIDDEN");
    given.context.actor.user = 99;
    EXPECT_EQ(given.when(approving("a", {"staff:read"})).summary(), "FORBIDDEN");
}

TEST(DenyOAuthGrant, IsRecordedAndGivesNothing) {
    auto given = given_two_users();
    DenyOAuthGrant const denying{"a", "Planner", {"staff:read"}};
    auto const denied = given.when(denying);
    EXPECT_EQ(denied.summary(), "oauth_grant.denied");
    EXPECT_EQ(denied.event<events::OAuthGrantDenied>().userId, kGranter);
    given.event({Kind::oauth_grant, 101},
                events::OAuthGrantEvent(events::OAuthGrantDenied{{kGranter, "a", "Planner", {"staff:read"}}}));
    given.context.new_ids = {102};
    EXPECT_EQ(given.when(denying).result->events.front().subject.id, 102) << "each time";
    auto const approved = given.when(approving("a", {"shifts:read"}));
    EXPECT_EQ(approved.result->events.front().subject.id, 102) << "what was denied is no grant";
    EXPECT_EQ(approved.event<events::OAuthGrantApproved>().scopes, (std::vector<core::ShortText>{"shifts:read"}));
    given.context.actor.user = 99;
    EXPECT_EQ(given.when(denying).summary(), "FORBIDDEN");
}

TEST(RevokeOAuthGrant, EndsOnesOwn) {
    auto given = given_two_users();
    granted(given, 7, kGranter, "a", {"staff:read"});
    granted(given, 8, kAnotherUser, "a", {"staff:read"});
    EXPECT_EQ(given.when(RevokeOAuthGrant{8}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(RevokeOAuthGrant{9}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(RevokeOAuthGrant{7}).summary(), "oauth_grant.revoked");
    given.event({Kind::oauth_grant, 7}, events::OAuthGrantEvent(events::OAuthGrantRevoked{}));
    EXPECT_EQ(given.when(RevokeOAuthGrant{7}).summary(), "nothing");
}

TEST(OAuthGrants, EndWithTheirUser) {
    auto given = given_two_users();
    granted(given, 7, kAnotherUser, "a", {"staff:read"});
    granted(given, 8, kAnotherUser, "b", {"staff:read"});
    granted(given, 9, kGranter, "a", {"staff:read"});
    given.event({Kind::oauth_grant, 8}, events::OAuthGrantEvent(events::OAuthGrantRevoked{}));
    given.context.actor.type = events::ActorType::system;
    ErasePerson command;
    command.person = {Kind::user, kAnotherUser};
    command.reason = "asked";
    EXPECT_EQ(given.when(command).summary(), "oauth_grant.revoked user.erased");
}

TEST(OAuthClients, AreRemovedOnce) {
    auto given = given_two_users();
    RegisterOAuthClient command;
    command.clientId = "svc_client_x";
    command.clientName = "Planner";
    auto const registered = given.when(command);
    EXPECT_EQ(registered.summary(), "oauth_client.registered");
    given.event({Kind::oauth_client, 5}, events::OAuthClientEvent(events::OAuthClientRegistered{command}));
    EXPECT_EQ(given.when(UpdateOAuthClient{5, events::ModelTier::standard}).summary(), "nothing");
    EXPECT_EQ(given.when(UpdateOAuthClient{5, events::ModelTier::advanced}).summary(), "oauth_client.updated");
    EXPECT_EQ(given.when(RemoveOAuthClient{5, "unused"}).summary(), "oauth_client.removed");
    given.event({Kind::oauth_client, 5}, events::OAuthClientEvent(events::OAuthClientRemoved{"unused"}));
    EXPECT_EQ(given.when(RemoveOAuthClient{5, "unused"}).summary(), "nothing");
    EXPECT_EQ(given.when(RemoveOAuthClient{6, "unused"}).summary(), "NOT_FOUND");
    for (Id const id : {5, 6}) {
        EXPECT_EQ(given.when(UpdateOAuthClient{id, events::ModelTier::basic}).summary(), "NOT_FOUND");
    }
}

}  // namespace
}  // namespace workforce::commands
