// From tokens of people to callers: each stands for its user, with the rights that the log says, and none is forged.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <jwt/jwt.hpp>
#include <memory>
#include <string>
#include <vector>

#include "api/credentials/access_tokens.hpp"
#include "api/credentials/authentication.hpp"
#include "api/credentials/signing_key.hpp"
#include "core/crypto.hpp"
#include "events/revocations.hpp"
#include "tests/integration/api/credentials/authentication_fixture.hpp"

namespace workforce::tests {
namespace {

namespace asio = boost::asio;
using api::Authenticator;

// A token stands for its user as the read models have them now.
TEST_F(AuthenticatorTest, ATokenStandsForItsUser) {
    events::OrganizationCreated created;
    created.name = "Org";
    created.type = events::OrganizationType::internal;
    add(7, events::Kind::organization, 7, created);
    events::UserCreated user;
    user.email = core::Email("kay@example.test");
    user.firstName = core::Name("Kay");
    user.lastName = core::Name("Low");
    user.role = events::Role::admin;
    user.facilityIds = {12};
    add(7, events::Kind::user, 31, user);
    writer_.append();
    fold();
    core::Connection connection({.url = database_.url(), .role = "workforce_writer"});
    std::string const sealing_key(32, 's');
    auto const mint = [&](api::Person person) {
        return "Bearer " + *api::mint_person_token(connection, sealing_key, person);
    };
    auto const ended = mint({31, 7});
    connection.execute_sql("UPDATE auth.session SET ends_at = now()");
    auto const token = mint({31, 7});
    std::vector<std::future<Outcome>> answers;
    asio::io_context io;
    std::vector<std::string> const headers{token, mint({31, 8}), mint({32, 7}), ended,
                                           token.substr(0, token.size() - 8) + "AAAAAAAA"};
    for (auto const& each : headers) {
        answers.push_back(asio::co_spawn(io, authenticator_.authenticate({.authorization = each}), asio::use_future));
    }
    io.run();
    std::vector<Outcome> outcomes;
    for (auto& each : answers) outcomes.push_back(each.get());
    ASSERT_TRUE(outcomes[0]) << outcomes[0].error().message;
    auto const& caller = **outcomes[0];
    EXPECT_EQ(caller.user.id, 31);
    EXPECT_EQ(caller.organization, 7);
    EXPECT_EQ(caller.facilities, std::vector<core::Id>{12});
    EXPECT_EQ(caller.lineage(), "user/31");
    EXPECT_TRUE(caller.permits("api_keys.manage"));
    for (std::size_t i = 1; i < outcomes.size(); ++i) {
        ASSERT_FALSE(outcomes[i]) << i;
        EXPECT_EQ(outcomes[i].error().code, core::Code::unauthenticated) << i;
    }
    EXPECT_THROW(api::mint_person_token(connection, std::string(32, 'x'), {31, 7}), std::runtime_error);
}

TEST_F(AuthenticatorTest, EachSessionOfManyGetsItsOwnPerson) {
    events::OrganizationCreated created;
    created.name = "Org";
    add(7, events::Kind::organization, 7, created);
    core::Connection connection({.url = database_.url(), .role = "workforce_writer"});
    for (core::Id const id : {31, 32}) {
        events::UserCreated user;
        user.email = core::Email(fmt::format("u{}@example.test", id));
        add(7, events::Kind::user, id, user);
    }
    writer_.append();
    fold();
    auto const mint = [&](core::Id user) {
        return "Bearer " + *api::mint_person_token(connection, std::string(32, 's'), {user, 7});
    };
    auto const one = mint(31), other = mint(32);
    for (auto const& token : {one, other}) {  // signatures are known from here on
        asio::io_context io(1);
        auto answer = asio::co_spawn(io, authenticator_.authenticate({.authorization = token}), asio::use_future);
        io.run();
        ASSERT_TRUE(answer.get());
    }
    authenticator_.forget(31);
    authenticator_.forget(32);
    // A look-up each of the first, behind which the others wait for one together.
    auto const outcomes = authenticate({one, other, other, one, one, other});
    auto const people = std::vector<core::Id>{31, 32, 32, 31, 31, 32};
    for (std::size_t i = 0; i < people.size(); ++i) {
        ASSERT_TRUE(outcomes[i]) << i;
        EXPECT_EQ((*outcomes[i])->user.id, people[i]) << i;
    }
    EXPECT_EQ(*outcomes[3], *outcomes[4]) << "they share what was read";
}

// Its end is what it says, by the database's clock, whatever its chain is good for.
TEST_F(AuthenticatorTest, AnAccessTokenEndsOnTime) {
    events::OrganizationCreated created;
    created.name = "Org";
    add(7, events::Kind::organization, 7, created);
    events::UserCreated user;
    user.email = core::Email("kay@example.test");
    user.role = events::Role::admin;
    add(7, events::Kind::user, 31, user);
    writer_.append();
    fold();
    core::Connection connection({.url = database_.url(), .role = "workforce_writer"});
    auto const key = api::token_key(api::signing_key(connection, std::string(32, 's')));
    connection.execute_sql(
        "INSERT INTO auth.oauth_chain (organization_id, user_id, grant_id, client_id, scope, resource, ends_at) "
        "VALUES (7, 31, 5, 'svc_client_x', 'staff:read', '', now() + interval '1 day')");
    auto const chain = core::read<core::Id>(connection.execute_sql("SELECT max(id) FROM auth.oauth_chain")[0][0]);
    auto const token = [&](std::int64_t seconds, core::Id of) {
        auto const now = core::now();
        api::AccessClaims const claims{.user = 31,
                                       .organization = 7,
                                       .chain = of,
                                       .client_id = "svc_client_x",
                                       .scope = "staff:read",
                                       .audience = {"https://a.test"},
                                       .issued_at = now,
                                       .ends_at = {now.ms + seconds * 1000}};
        return "Bearer " + api::sign_access_token(key, "https://a.test", claims);
    };
    Authenticator authenticator(pool_, pool_, kCredentialBytes, {"https://a.test", {"https://a.test"}});
    auto const ask = [&](std::string const& header) {
        asio::io_context io(1);
        auto answer = asio::co_spawn(io, authenticator.authenticate({.authorization = header}), asio::use_future);
        io.run();
        return answer.get();
    };
    auto const holds = ask(token(60, chain));
    ASSERT_TRUE(holds) << holds.error().message;
    EXPECT_TRUE((*holds)->is_client());
    EXPECT_TRUE((*holds)->permits("staff.view"));
    EXPECT_FALSE((*holds)->permits("shifts.view")) << "the role alone gives that";
    EXPECT_FALSE(ask(token(0, chain)));
    EXPECT_FALSE(ask(token(60, chain + 1)));
    auto const brief = token(3, chain);
    EXPECT_TRUE(ask(brief));
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (ask(brief) && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_FALSE(ask(brief)) << "it was known before, and has ended";
    authenticator.stop();
}

/// A key pair of a test, as PEM.
struct TestKey {
    std::string secret, open;

    TestKey() {
        std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
        std::unique_ptr<BIO, decltype(&BIO_free)> const bio(BIO_new(BIO_s_mem()), &BIO_free);
        auto const take = [&] {
            char* data = nullptr;
            auto const size = BIO_get_mem_data(bio.get(), &data);
            std::string text(data, static_cast<std::size_t>(size));
            BIO_reset(bio.get());
            return text;
        };
        PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        secret = take();
        PEM_write_bio_PUBKEY(bio.get(), key.get());
        open = take();
    }
};

/// A token that is as ours but for what a test changes.
struct Forgery {
    std::string algorithm = "ES256";
    std::string key_id = "known";
    std::string type = "JWT";
    std::string audience = "dashboard";
    std::string subject = "31";
    std::int64_t ends_in = 60;
    std::string signs{};

    [[nodiscard]] std::string token() const {
        jwt::jwt_object token{jwt::params::algorithm(algorithm), jwt::params::secret(signs)};
        token.header().add_header("kid", key_id);
        token.header().add_header("typ", type);
        token.add_claim("sub", subject);
        token.add_claim("org", 7);
        token.add_claim("aud", audience);
        token.add_claim("exp", core::now().ms / 1000 + ends_in);
        std::error_code fault;
        return "Bearer " + std::string(token.signature(fault));
    }
};

// The trick of each token is all that is wrong with it: the first, without one, is taken.
TEST_F(AuthenticatorTest, ForgedTokensOpenNothing) {
    events::OrganizationCreated created;
    created.name = "Org";
    add(7, events::Kind::organization, 7, created);
    events::UserCreated user;
    user.email = core::Email("kay@example.test");
    add(7, events::Kind::user, 31, user);
    writer_.append();
    fold();
    TestKey const key, stranger;
    static constexpr core::Statement kStore{
        "test_store_signing_key",
        "INSERT INTO auth.signing_key (id, public_key, sealed_private_key, master_key) VALUES ($1, $2, '', '')"};
    core::Connection({.url = database_.url()}).execute(kStore, "known", key.open);
    core::Connection writes({.url = database_.url(), .role = "workforce_writer"});
    auto const taken = [&](std::string const& header) {
        workers::open_session(writes, {{7, 31}, events::SessionKind::jwt, header.substr(sizeof("Bearer")), {}});
        Authenticator fresh(pool_, pool_, kCredentialBytes);
        asio::io_context io;
        auto answer = asio::co_spawn(io, fresh.authenticate({.authorization = header}), asio::use_future);
        io.run();
        auto const outcome = answer.get();
        writes.execute_sql("DELETE FROM auth.session");
        if (!outcome) EXPECT_EQ(outcome.error().code, core::Code::unauthenticated);
        return outcome.has_value();
    };
    EXPECT_TRUE(taken(Forgery{.signs = key.secret}.token()));
    EXPECT_FALSE(taken(Forgery{.signs = stranger.secret}.token()));
    EXPECT_FALSE(taken(Forgery{.algorithm = "HS256", .signs = key.open}.token())) << "the open key as a shared secret";
    EXPECT_FALSE(taken(Forgery{.audience = "https://mcp.example.test", .signs = key.secret}.token()));
    EXPECT_FALSE(taken(Forgery{.type = "at+jwt", .signs = key.secret}.token()));
    EXPECT_FALSE(taken(Forgery{.subject = "31 OR true", .signs = key.secret}.token()));
    EXPECT_TRUE(taken(Forgery{.ends_in = -1, .signs = key.secret}.token())) << "its session's row has its end";
    for (auto const* id : {"", "unknown", "known ", "known' OR 'a' = 'a", "../known", "/dev/null"}) {
        EXPECT_FALSE(taken(Forgery{.key_id = id, .signs = key.secret}.token())) << id;
    }
    auto const good = Forgery{.signs = key.secret}.token();
    auto const dot = good.find('.');
    auto const unsigned_head = core::base64url_encode(R"({"alg":"none","typ":"JWT","kid":"known"})");
    auto const claims = good.substr(dot, good.rfind('.') - dot);
    EXPECT_FALSE(taken("Bearer " + unsigned_head + claims + ".")) << "none";
    EXPECT_FALSE(taken("Bearer " + unsigned_head + good.substr(dot))) << "none, beside a signature";
    EXPECT_FALSE(taken(good.substr(0, good.rfind('.')) + "."));
    EXPECT_FALSE(taken(good + "A"));
    core::Connection({.url = database_.url()}).execute_sql("DELETE FROM auth.signing_key");
    EXPECT_FALSE(taken(good)) << "of a key that was retired";
}

// What was taken from a user, and what was given, holds before the read model shows it; an older mark than its row says
// nothing.
TEST_F(AuthenticatorTest, RightsAreThoseOfTheLog) {
    events::OrganizationCreated created;
    created.name = "Org";
    created.type = events::OrganizationType::internal;
    add(7, events::Kind::organization, 7, created);
    events::UserCreated user;
    user.email = core::Email("kay@example.test");
    user.role = events::Role::admin;
    user.staffId = core::Id{481};
    add(7, events::Kind::user, 31, user);
    events::ApiKeyCreated bound;
    bound.name = "bound";
    bound.userId = 31;
    bound.acrossOrganizations = true;
    add(7, events::Kind::api_key, 107, bound);
    writer_.append();
    fold();
    core::Connection writes({.url = database_.url(), .role = "workforce_writer"});
    auto const token = "Bearer " + *api::mint_person_token(writes, std::string(32, 's'), {31, 7});
    auto const mark = [&](std::int64_t number, core::Nullable<core::Id> staff = {}) {
        events::UserChanges changes;
        changes.role = events::Role::viewer;
        changes.facilityIds = {12};
        changes.staffId = staff;
        events::SecretEnds ends;
        ends.rights.add(7, 31, number, changes);
        core::Connection marks({.url = database_.url(), .role = "workforce_projector"});
        events::mark_ends(marks, ends);
    };
    auto const caller = [&](std::string const& header) {
        Authenticator fresh(pool_, pool_, kCredentialBytes);
        asio::io_context io;
        auto answer = asio::co_spawn(io, fresh.authenticate({.authorization = header}), asio::use_future);
        io.run();
        return *answer.get().value();
    };
    mark(1);
    EXPECT_TRUE(caller(token).permits("users.edit"));
    EXPECT_TRUE(caller(token).across_organizations);
    EXPECT_TRUE(caller(header(7, 107)).across_organizations);
    EXPECT_EQ(caller(token).user.staffId.value, 481);
    mark(2);
    auto const person = caller(token);
    EXPECT_FALSE(person.permits("users.edit"));
    EXPECT_FALSE(person.across_organizations);
    EXPECT_EQ(person.facilities, std::vector<core::Id>{12});
    auto const key = caller(header(7, 107));
    EXPECT_EQ(key.user.role, events::Role::viewer);
    EXPECT_FALSE(key.across_organizations);
    EXPECT_FALSE(person.user.staffId.value) << "nobody's own rows";
    EXPECT_FALSE(key.user.staffId.value);
    mark(3, core::Id{482});
    EXPECT_EQ(caller(token).user.staffId.value, 482);
    EXPECT_EQ(caller(header(7, 107)).user.staffId.value, 482);
}

}  // namespace
}  // namespace workforce::tests
