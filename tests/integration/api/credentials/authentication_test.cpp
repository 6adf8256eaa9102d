// From API keys to callers: how many look-ups there are, that each token gets its own, and what opens nothing any more.
#include "api/credentials/authentication.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <thread>

#include "events/revocations.hpp"
#include "tests/integration/api/credentials/authentication_fixture.hpp"

namespace workforce::tests {
namespace {

namespace asio = boost::asio;
using api::Authenticator;

TEST_F(AuthenticatorTest, TokensThatNobodyKnowsShareFewLookUps) {
    std::vector<std::string> headers;
    for (int i = 0; i < 200; ++i) headers.insert(headers.end(), 2, header(0, 0));
    for (auto const& outcome : authenticate(headers)) {
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code, core::Code::invalid_api_key);
    }
    EXPECT_LE(pool_.stats().jobs, 1U + 2 * api::kKeySessions);
}

TEST_F(AuthenticatorTest, EachTokenOfManyGetsItsOwnCaller) {
    for (core::Id const organization : {7, 8}) {
        events::OrganizationCreated created;
        created.name = "Org";
        add(organization, events::Kind::organization, organization, created);
        events::ApiKeyCreated key;
        key.name = "key";
        add(organization, events::Kind::api_key, organization + 100, key);
    }
    writer_.append();
    fold();
    std::string const seven = header(7, 107), eight = header(8, 108), unseen = header(7, 999), unknown = header(0, 0);
    std::vector<std::string> headers(api::kKeySessions, unknown);  // a look-up each, behind which the others wait
    headers.insert(headers.end(), {eight, unknown, seven, unseen, eight, seven});
    auto const outcomes = authenticate(headers);
    auto const keys = std::vector<core::Id>{0, 0, 108, 0, 107, 0, 108, 107};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(outcomes[i] ? (*outcomes[i])->credential_id : 0, keys[i]) << i;
        if (outcomes[i]) {
            EXPECT_EQ((*outcomes[i])->organization, keys[i] - 100) << i;
        }
    }
}

// What read models tell of a key decides nothing once its secret is marked.
TEST_F(AuthenticatorTest, AMarkedSecretOpensNothingWhateverReadModelsSay) {
    events::OrganizationCreated created;
    created.name = "Org";
    add(7, events::Kind::organization, 7, created);
    events::ApiKeyCreated key;
    key.name = "key";
    for (core::Id const id : {107, 108}) add(7, events::Kind::api_key, id, key);
    writer_.append();
    fold();
    std::vector<std::string> const headers{header(7, 107), header(7, 108), header(7, 999)};
    core::Connection connection({.url = database_.url(), .role = "workforce_projector"});
    events::mark_ends(connection, {.revoked = {107, 999}});
    auto const outcomes = authenticate(headers);
    EXPECT_TRUE(outcomes[1]);
    for (auto const* ended : {&outcomes[0], &outcomes[2]}) {
        ASSERT_FALSE(*ended);
        EXPECT_EQ(ended->error().message, "The API key was revoked.");
    }
}

// Nor do they decide for whom credentials stand once the log says that an account is not active.
TEST_F(AuthenticatorTest, AnAccountThatIsMarkedOpensNothingWhateverReadModelsSay) {
    for (core::Id const organization : {7, 8}) {
        events::OrganizationCreated created;
        created.name = "Org";
        add(organization, events::Kind::organization, organization, created);
        events::ApiKeyCreated key;
        key.name = "key";
        add(organization, events::Kind::api_key, organization + 100, key);
    }
    events::UserCreated user;
    user.email = core::Email("kay@example.test");
    user.role = events::Role::admin;
    add(8, events::Kind::user, 31, user);
    events::ApiKeyCreated bound;
    bound.name = "bound";
    bound.userId = 31;
    add(8, events::Kind::api_key, 109, bound);
    writer_.append();
    fold();
    core::Connection writes({.url = database_.url(), .role = "workforce_writer"});
    auto const token = "Bearer " + *api::mint_person_token(writes, std::string(32, 's'), {31, 8});
    core::Connection marks({.url = database_.url(), .role = "workforce_projector"});
    std::vector<std::string> const headers{header(7, 107), header(8, 108), header(8, 109), token};
    auto const opened = [&] {
        Authenticator fresh(pool_, pool_, kCredentialBytes);
        std::string all;
        for (auto const& each : headers) {
            asio::io_context io;
            auto answer = asio::co_spawn(io, fresh.authenticate({.authorization = each}), asio::use_future);
            io.run();
            auto const outcome = answer.get();
            all += outcome ? "+" : outcome.error().code == core::Code::unauthenticated ? "-" : "?";
        }
        return all;
    };
    auto const mark = [&](core::Id organization, core::Id account, std::int64_t number, bool active) {
        events::SecretEnds ends;
        ends.add_account(organization, account, number, active);
        events::mark_ends(marks, ends);
    };
    EXPECT_EQ(opened(), "++++");
    mark(7, 0, 2, false);
    mark(8, 31, 2, false);
    EXPECT_EQ(opened(), "-+--");
    mark(7, 0, 3, true);
    mark(8, 31, 3, true);
    EXPECT_EQ(opened(), "+++-") << "the session ended for good";
    mark(8, 0, 2, false);
    EXPECT_EQ(opened(), "+---");
}

// A secret whose event was never appended is none of the key's; one that was rotated is, until its end.
TEST_F(AuthenticatorTest, ASecretOpensWhatItsKeySaysItHas) {
    events::OrganizationCreated created;
    created.name = "Org";
    add(7, events::Kind::organization, 7, created);
    events::ApiKeyCreated key;
    key.name = "key";
    key.secretId = "first";
    add(7, events::Kind::api_key, 107, key);
    core::Timestamp const later{core::now().ms + 3'600'000};
    add(7, events::Kind::api_key, 107, events::ApiKeyRotated{"second", "wxyz", "first", later});
    writer_.append();
    fold();
    auto const first = header(7, 107, "first");
    auto const outcomes = authenticate({first, header(7, 107, "second"), header(7, 107, "lost"), header(7, 107)});
    EXPECT_TRUE(outcomes[0]);
    EXPECT_TRUE(outcomes[1]);
    for (std::size_t const i : {2, 3}) EXPECT_EQ(outcomes[i].error().code, core::Code::read_model_behind) << i;
    core::Connection connection({.url = database_.url(), .role = "workforce_projector"});
    events::mark_ends(connection, {.rotated = {107}, .secrets = {"first"}, .until = {core::now()}});
    Authenticator other(pool_, pool_, kCredentialBytes);
    asio::io_context io;
    auto ended = asio::co_spawn(io, other.authenticate({.authorization = first}), asio::use_future);
    io.run();
    EXPECT_EQ(ended.get().error().code, core::Code::unauthenticated);
}

// A look-up brings documents again only where a row was written anew.
TEST_F(AuthenticatorTest, WhatDidNotChangeIsNotReadAgain) {
    events::OrganizationCreated created;
    created.name = "Org";
    add(7, events::Kind::organization, 7, created);
    events::UserCreated user;
    user.email = core::Email("kay@example.test");
    add(7, events::Kind::user, 31, user);
    events::ApiKeyCreated key;
    key.name = "key";
    key.userId = 31;
    add(7, events::Kind::api_key, 107, key);
    key.expiresAt = core::Timestamp{core::now().ms + 10'000};
    add(7, events::Kind::api_key, 108, key);
    writer_.append();
    fold();
    std::array const headers{header(7, 107), header(7, 108)};
    asio::io_context io;
    auto const callers = [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(450));  // past what is used without a look
        std::vector<Outcome> outcomes;
        for (auto const& each : headers) {
            std::future<Outcome> answer;
            for (int i = 0; i < 2; ++i) {  // the first may go on with what is known while that is refreshed
                answer = asio::co_spawn(io, authenticator_.authenticate({.authorization = each}), asio::use_future);
                io.restart();
                io.run();
            }
            outcomes.push_back(answer.get());
        }
        return outcomes;
    };
    core::Connection connection({.url = database_.url()});
    auto known = callers();
    ASSERT_TRUE(known[0] && known[1]);
    auto again = callers();
    ASSERT_TRUE(again[0] && again[1]);
    EXPECT_EQ(*again[0], *known[0]);
    EXPECT_EQ(*again[1], *known[1]);
    for (auto const* table : {"api_key", "user_account", "organization"}) {
        connection.execute_sql(fmt::format("UPDATE read.{} SET doc = doc", table));
        again = callers();
        ASSERT_TRUE(again[0]);
        EXPECT_NE(*again[0], *known[0]) << table;
        known = again;
    }
    while (again[1]) again = callers();  // until it expires, though nothing changes
    EXPECT_EQ(again[1].error().code, core::Code::unauthenticated);
    core::Connection marks({.url = database_.url(), .role = "workforce_projector"});
    events::mark_ends(marks, {.revoked = {107}});
    EXPECT_FALSE(callers()[0]) << "nothing but the mark changed";
}

// A key that is used before read models have it: refused then, and taken as soon as they do.
TEST_F(AuthenticatorTest, AKeyThatIsNotFoldedYetIsNotRefusedForLong) {
    auto const early = header(7, 107);
    EXPECT_EQ(authenticate({early})[0].error().code, core::Code::read_model_behind);
    events::OrganizationCreated created;
    created.name = "Org";
    add(7, events::Kind::organization, 7, created);
    events::ApiKeyCreated key;
    key.name = "key";
    add(7, events::Kind::api_key, 107, key);
    writer_.append();
    fold();
    EXPECT_TRUE(authenticate({early})[0]);
}

TEST_F(AuthenticatorTest, AllThatWaitHearThatTheDatabaseIsAway) {
    core::Database nowhere({.connection = {.url = "postgresql://127.0.0.1:1/none"}, .threads = 1});
    Authenticator authenticator(nowhere, nowhere, kCredentialBytes);
    auto const token = header(0, 0);
    asio::io_context io(1);
    std::vector<std::future<Outcome>> answers;
    for (int i = 0; i < 20; ++i) {
        answers.push_back(asio::co_spawn(io, authenticator.authenticate({.authorization = token}), asio::use_future));
    }
    io.run();
    for (auto& each : answers) EXPECT_THROW(each.get(), core::DatabaseUnavailable);
}

}  // namespace
}  // namespace workforce::tests
