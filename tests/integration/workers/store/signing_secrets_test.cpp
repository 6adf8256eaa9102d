// What signs webhooks: shown again for a day, read for as long as its subscription names it, gone where none does.
#include "workers/store/signing_secrets.hpp"

#include <gtest/gtest.h>

#include "commands/webhook.hpp"
#include "events/master_key_table.hpp"
#include "tests/integration/commands/fixture.hpp"
#include "workers/jobs/settlement.hpp"

namespace workforce::tests {
namespace {

using events::MasterKeys;
using Ids = std::vector<std::string>;

class SigningSecretsTest : public CommandsTest {
   protected:
    std::string put(Id webhook, std::string const& secret = "whsec_c2VjcmV0") {
        return await(secrets_.put(secret, kOrganization, webhook));
    }
    std::map<std::string, std::string> read(Ids const& ids) { return read(secrets_, ids); }
    std::map<std::string, std::string> read(workers::SigningSecretStore const& store, Ids const& ids) {
        core::Connection session({.url = database_.url(), .role = "workforce_writer"});
        return store.read(session, ids);
    }
    Submission creation(Id id, std::string const& secret_id) {
        commands::CreateWebhook command;
        command.name = "Mirror";
        command.url = "https://hooks.example.test/in";
        command.events = {"*"};
        command.secret_id = secret_id;
        command.rights = {"user/3", true, {"*"}};
        caller_.new_ids = {id};
        return make(std::move(command));
    }
    Submission rotation(Id id, std::string const& secret_id) {
        commands::RotateWebhookSecret command;
        command.id = id;
        command.secret_id = secret_id;
        command.rights = {"user/3", true, {"*"}};
        return make(std::move(command), {Kind::webhook, id});
    }
    std::string value(std::string const& sql) { return database_.query(sql)[0][0].c_str(); }
    /// The subscriptions whose secrets are there, and how many of these stand for good.
    std::string stored() {
        return value(
            "SELECT coalesce(string_agg(webhook_id::text, ' ' ORDER BY webhook_id, created_at), '') || ', ' ||"
            " count(settled_at) FROM auth.signing_secret");
    }
    void settle() { await(workers::settle(first_->processor, first_->reservations, shown_, secrets_)); }
    void age(std::string const& interval) {
        tamper("UPDATE auth.signing_secret SET created_at = created_at - interval '" + interval + "'");
    }

    core::Database writes_{{.connection = {.url = database_.url(), .role = "workforce_writer"}, .threads = 1}};
    workers::SecretStore shown_{writes_, std::string(32, 'k')};
    workers::SigningSecretStore secrets_{writes_, std::string(32, 'k')};
};

TEST_F(SigningSecretsTest, IsShownForADayAndReadForEver) {
    auto const id = put(55);
    auto const other = put(56, "whsec_b3RoZXI=");
    EXPECT_EQ(await(secrets_.shown(id)), "whsec_c2VjcmV0");
    EXPECT_EQ(await(secrets_.shown("another")), std::nullopt);
    EXPECT_EQ(value("SELECT count(*) FROM auth.signing_secret WHERE encode(sealed, 'escape') LIKE '%whsec%'"), "0");
    age("24 hours 2 minutes");
    EXPECT_EQ(await(secrets_.shown(id)), std::nullopt);
    EXPECT_EQ(read({id, other, "another"}),
              (std::map<std::string, std::string>{{id, "whsec_c2VjcmV0"}, {other, "whsec_b3RoZXI="}}));
    EXPECT_TRUE(read({}).empty());
}

TEST_F(SigningSecretsTest, IsSealedForItsPlace) {
    auto const id = put(55);
    auto const other = put(56);
    workers::SigningSecretStore const stranger(writes_, std::string(32, 'x'));
    EXPECT_THROW(read(stranger, {id}), std::runtime_error);
    tamper("UPDATE auth.signing_secret SET sealed = (SELECT sealed FROM auth.signing_secret WHERE id = '" + other +
           "') WHERE id = '" + id + "'");
    EXPECT_THROW(read({id}), std::runtime_error) << "what was sealed for another row";
}

TEST_F(SigningSecretsTest, WhatNoEventNamesIsDeleted) {
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
    EXPECT_EQ(read({kept, lost}).size(), 1U);
    await(secrets_.forget(kept));
    EXPECT_EQ(stored(), "55, 1") << "what stands is not forgotten";
}

TEST_F(SigningSecretsTest, WhatWasRefusedIsForgotten) {
    auto const id = put(55);
    await(secrets_.forget(id));
    EXPECT_EQ(stored(), ", 0");
    await(secrets_.forget(id));
}

TEST_F(SigningSecretsTest, ThatWhichWaitsToTakeOverStandsToo) {
    auto const first = put(55);
    ASSERT_EQ(ask(creation(55, first)).status, 200);
    auto const next = put(55);
    ASSERT_EQ(ask(rotation(55, next)).status, 200);
    auto const never = put(55);
    age("2 minutes");
    settle();
    EXPECT_EQ(stored(), "55 55, 2");
    EXPECT_EQ(read({first, next, never}).size(), 2U);
}

TEST_F(SigningSecretsTest, AnotherMasterKeyTakesItOver) {
    auto const old_key = core::random_bytes(32);
    auto const new_key = core::random_bytes(32);
    MasterKeys const keys({old_key, new_key});
    core::Connection owner({.url = database_.url()});
    tamper("DELETE FROM vault.person_key");  // of the fixture, under a key of its own
    events::record_master_key(owner, keys);
    workers::SigningSecretStore store(writes_, keys);
    auto const id = await(store.put("whsec_c2VjcmV0", kOrganization, 55));
    owner.transaction([&] { events::replace_master_key(owner, keys, events::master_key_id(new_key)); });
    EXPECT_EQ(read(store, {id}).at(id), "whsec_c2VjcmV0") << "both open it meanwhile";
    auto const later = await(store.put("whsec_bGF0ZXI=", kOrganization, 56));
    EXPECT_EQ(events::count_sealed_by_others(owner, keys), 1);
    events::reseal(owner, keys, [](std::int64_t) {});
    EXPECT_EQ(events::count_sealed_by_others(owner, keys), 0);
    events::end_former_master_key(owner);
    workers::SigningSecretStore const after(writes_, new_key);
    EXPECT_EQ(read(after, {id, later}),
              (std::map<std::string, std::string>{{id, "whsec_c2VjcmV0"}, {later, "whsec_bGF0ZXI="}}));
    workers::SigningSecretStore const before(writes_, old_key);
    EXPECT_THROW(read(before, {id}), std::runtime_error);
}

}  // namespace
}  // namespace workforce::tests
