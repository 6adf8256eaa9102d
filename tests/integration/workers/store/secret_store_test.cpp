// Secrets beside the log: shown again for a day, and gone where nothing was appended.
#include "workers/store/secret_store.hpp"

#include <gtest/gtest.h>

#include "tests/integration/commands/fixture.hpp"
#include "workers/jobs/settlement.hpp"

namespace workforce::tests {
namespace {

class SecretStoreTest : public CommandsTest {
   protected:
    events::KeySecret put(Id key) {
        auto secret = events::make_key_secret(events::ApiKeyType::live);
        await(secrets_.put(secret, kOrganization, key));
        return secret;
    }
    Submission creation(Id id, events::KeySecret const& secret) {
        commands::CreateApiKey command;
        command.name = "integration";
        command.scopes = {core::ShortText("staff:read")};
        command.secret_id = secret.id;
        command.hint = secret.hint;
        caller_.new_ids = {id};
        return make(std::move(command));
    }
    std::string value(std::string const& sql) { return database_.query(sql)[0][0].c_str(); }
    /// The keys whose secrets are there, and how many of these stand for good.
    std::string stored() {
        return value(
            "SELECT coalesce(string_agg(key_id::text, ' ' ORDER BY key_id), '') || ', ' || count(settled_at)"
            " FROM auth.api_key_secret");
    }
    void settle() { await(workers::settle(first_->processor, first_->reservations, secrets_, signing_secrets_)); }
    void age(std::string const& interval) {
        for (auto const* table : {"api_key_secret", "shown_secret"}) {
            tamper(std::string("UPDATE auth.") + table + " SET created_at = created_at - interval '" + interval + "'");
        }
    }

    core::Database writes_{{.connection = {.url = database_.url(), .role = "workforce_writer"}, .threads = 1}};
    workers::SecretStore secrets_{writes_, std::string(32, 'k')};
    workers::SigningSecretStore signing_secrets_{writes_, std::string(32, 'k')};
};

TEST_F(SecretStoreTest, IsShownAgainForADay) {
    auto const secret = put(55);
    EXPECT_EQ(await(secrets_.shown(secret.id)), secret.token);
    EXPECT_EQ(await(secrets_.shown("another")), std::nullopt);
    EXPECT_EQ(value("SELECT position('" + secret.token + "'::bytea IN sealed) FROM auth.shown_secret"), "0");
    workers::SecretStore stranger(writes_, std::string(32, 'x'));
    EXPECT_EQ(await(stranger.shown(secret.id)), std::nullopt) << "it is sealed";
    age("24 hours 2 minutes");
    EXPECT_EQ(await(secrets_.shown(secret.id)), std::nullopt);
    EXPECT_EQ(value("SELECT count(*) FROM auth.shown_secret"), "1");
    age("1 hour");
    settle();
    EXPECT_EQ(value("SELECT count(*) FROM auth.shown_secret"), "0");
}

TEST_F(SecretStoreTest, WhatWasNotAppendedIsDeleted) {
    auto const kept = put(55);
    auto const lost = put(56);
    ASSERT_EQ(ask(creation(55, kept)).status, 200);
    first_->log.inject({InjectedFault::request_lost});
    ASSERT_EQ(ask(creation(56, lost)).status, 503);
    restart();
    settle();
    EXPECT_EQ(stored(), "55 56, 0") << "it may be on its way yet";
    age("2 minutes");
    settle();
    EXPECT_EQ(stored(), "55, 1");
    EXPECT_EQ(await(secrets_.shown(kept.id)), kept.token);
    EXPECT_EQ(await(secrets_.shown(lost.id)), std::nullopt);
    await(secrets_.forget(kept.id));
    EXPECT_EQ(stored(), "55, 1") << "what stands is not forgotten";
}

TEST_F(SecretStoreTest, WhatAnOlderProcessStoredStandsWithItsKey) {
    for (auto const* key : {"55", "56"}) {
        tamper("INSERT INTO auth.api_key_secret (digest, key_id, organization_id) VALUES (sha256('" + std::string(key) +
               "'), " + key + ", 7)");
    }
    ASSERT_EQ(ask(creation(55, {})).status, 200);
    age("2 minutes");
    settle();
    EXPECT_EQ(stored(), "55, 1");
}

}  // namespace
}  // namespace workforce::tests
