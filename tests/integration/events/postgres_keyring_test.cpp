// The keyring in Postgres: persistence, conflicts between processes, destruction.
#include "events/postgres_keyring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <memory>
#include <pqxx/result>

#include "core/crypto.hpp"
#include "core/database.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::events {
namespace {

class PostgresKeyringTest : public testing::Test {
   protected:
    std::unique_ptr<PostgresKeyring> open(std::string const& role = "workforce_writer") {
        return std::make_unique<PostgresKeyring>(PostgresKeyringOptions{database_.url(), role, master_, 2});
    }
    pqxx::result query(std::string const& sql) { return database_.query(sql); }

    tests::TestDatabase database_;
    std::string master_ = core::random_bytes(32);
};

TEST_F(PostgresKeyringTest, KeysLastOnceStored) {
    auto const keyring = open();
    auto const key = keyring->key_to_seal("staff/1");
    EXPECT_EQ(key.size(), 32U);
    EXPECT_EQ(keyring->key_to_seal("staff/1"), key);
    EXPECT_NE(keyring->key_to_seal("staff/2"), key);
    EXPECT_TRUE(keyring->has_unstored());
    EXPECT_FALSE(open()->key_to_open("staff/1"));
    keyring->persist();
    EXPECT_FALSE(keyring->has_unstored());
    auto const other = open();
    EXPECT_EQ(other->key_to_open("staff/1"), key);
    EXPECT_EQ(other->key_to_seal("staff/1"), key);
    EXPECT_FALSE(other->has_unstored());
    EXPECT_EQ(other->key_to_open("staff/3"), std::nullopt);
    EXPECT_EQ(open("workforce_projector")->key_to_open("staff/1"), key);
}

TEST_F(PostgresKeyringTest, KeysStandSealedForTheirPerson) {
    auto const keyring = open();
    auto const key = keyring->key_to_seal("staff/1");
    keyring->persist();
    auto const stored = query("SELECT sealed_key FROM vault.person_key")[0][0];
    auto const sealed = core::read_bytes(stored);
    EXPECT_EQ(sealed.find(key), std::string::npos);
    EXPECT_EQ(core::aes_gcm_open(master_, sealed, "staff/1"), key);
    query("UPDATE vault.person_key SET person = 'staff/2'");
    EXPECT_THROW(open(), std::runtime_error) << "a key was moved to another person";
}

TEST_F(PostgresKeyringTest, WrongMasterKeyIsRefusedAtOnce) {
    auto const early = [&] {
        PostgresKeyringOptions const options{database_.url(), "workforce_writer", core::random_bytes(32), 1};
        return std::make_unique<PostgresKeyring>(options);
    }();
    auto const keyring = open();
    keyring->key_to_seal("staff/1");
    keyring->persist();
    EXPECT_THROW(early->key_to_open("staff/1"), std::runtime_error);
    master_ = core::random_bytes(32);
    EXPECT_THROW(open(), std::runtime_error);
    master_ = "short";
    EXPECT_THROW(open(), std::invalid_argument);
}

TEST_F(PostgresKeyringTest, PrefetchTakesAllAtOnce) {
    auto const keyring = open();
    std::vector<std::string> persons;
    for (int i = 0; i < 500; ++i) persons.push_back("staff/{\"" + std::to_string(i));
    for (auto const& person : persons) keyring->key_to_seal(person);
    keyring->persist();
    auto const other = open();
    other->prefetch(persons);
    query("ALTER TABLE vault.person_key RENAME TO hidden");
    for (auto const& person : persons) EXPECT_EQ(other->key_to_open(person), keyring->key_to_seal(person));
}

TEST_F(PostgresKeyringTest, ConflictIsReportedAndTheStoredKeyAdopted) {
    auto const first = open();
    auto const second = open();
    auto const key = first->key_to_seal("staff/1");
    auto const lost = second->key_to_seal("staff/1");
    auto const unharmed = second->key_to_seal("staff/2");
    ASSERT_NE(key, lost);
    first->persist();
    EXPECT_EQ(second->conflicts(), 0U);
    EXPECT_THROW(second->persist(), KeyConflict);
    EXPECT_EQ(second->conflicts(), 1U);
    EXPECT_EQ(second->key_to_seal("staff/1"), key);
    EXPECT_FALSE(second->has_unstored());
    second->persist();
    auto const third = open();
    EXPECT_EQ(third->key_to_open("staff/1"), key);
    EXPECT_EQ(third->key_to_open("staff/2"), unharmed);
}

TEST_F(PostgresKeyringTest, DestroyedKeysNeverComeBack) {
    auto const keyring = open();
    auto const other = open();
    keyring->key_to_seal("staff/1");
    keyring->persist();
    ASSERT_TRUE(other->key_to_open("staff/1"));
    keyring->destroy("staff/1");
    keyring->destroy("staff/1");
    EXPECT_EQ(keyring->key_to_open("staff/1"), std::nullopt);
    EXPECT_THROW(keyring->key_to_seal("staff/1"), std::runtime_error);
    EXPECT_TRUE(query("SELECT sealed_key FROM vault.person_key")[0][0].is_null());
    EXPECT_TRUE(other->key_to_open("staff/1")) << "not told yet";
    other->forget("staff/1");
    EXPECT_EQ(other->key_to_open("staff/1"), std::nullopt);
    EXPECT_THROW(other->key_to_seal("staff/1"), std::runtime_error);
}

TEST_F(PostgresKeyringTest, ForgottenKeysWaitForTheirDestruction) {
    auto const keyring = open();
    auto const key = keyring->key_to_seal("staff/1");
    keyring->key_to_seal("staff/2");
    keyring->persist();
    auto const other = open();
    std::vector<std::string> const both{"staff/1", "staff/2"};
    other->prefetch(both);
    keyring->forget("staff/1");
    EXPECT_EQ(keyring->key_to_open("staff/1"), std::nullopt);
    EXPECT_THAT(keyring->undestroyed(), testing::ElementsAre("staff/1"));
    EXPECT_EQ(open()->key_to_open("staff/1"), key) << "its row is there";
    other->forget_destroyed();
    EXPECT_EQ(other->key_to_open("staff/1"), key);
    keyring->destroy(keyring->undestroyed());
    EXPECT_THAT(keyring->undestroyed(), testing::IsEmpty());
    other->forget_destroyed();
    EXPECT_EQ(other->key_to_open("staff/1"), std::nullopt);
    EXPECT_TRUE(other->key_to_open("staff/2"));
    EXPECT_THAT(other->undestroyed(), testing::IsEmpty());
    auto const later = open();
    later->prefetch(both);
    later->forget("staff/1");
    EXPECT_THAT(later->undestroyed(), testing::IsEmpty()) << "it is known to be destroyed";
}

TEST_F(PostgresKeyringTest, ReleasedKeysAreAskedForAnew) {
    auto const keyring = open();
    auto const key = keyring->key_to_seal("staff/1");
    keyring->release("staff/1");
    EXPECT_TRUE(keyring->has_unstored()) << "what is stored nowhere stays";
    keyring->persist();
    keyring->release("staff/1");
    EXPECT_EQ(keyring->key_to_open("staff/1"), key);
    keyring->release("staff/1");
    open()->destroy("staff/1");
    EXPECT_EQ(keyring->key_to_open("staff/1"), std::nullopt);
    keyring->release("staff/1");
    EXPECT_THROW(keyring->key_to_seal("staff/1"), std::runtime_error);
}

TEST_F(PostgresKeyringTest, KeyDestroyedElsewhereIsNotMadeAgain) {
    open()->destroy("staff/1");  // never made
    auto const keyring = open();
    keyring->key_to_seal("staff/1");
    EXPECT_THROW(keyring->persist(), KeyConflict);
    EXPECT_THROW(keyring->key_to_seal("staff/1"), std::runtime_error);
    EXPECT_EQ(open()->key_to_open("staff/1"), std::nullopt);
}

TEST_F(PostgresKeyringTest, KeysStayUnstoredWhileTheDatabaseFails) {
    auto const keyring = open();
    auto const key = keyring->key_to_seal("staff/1");
    query("ALTER TABLE vault.person_key RENAME TO hidden");
    EXPECT_THROW(keyring->persist(), core::DatabaseUnavailable);
    EXPECT_TRUE(keyring->has_unstored());
    query("ALTER TABLE vault.hidden RENAME TO person_key");
    keyring->persist();
    EXPECT_EQ(open()->key_to_open("staff/1"), key);
}

// The answer to an insert is lost, and it is done again.
TEST_F(PostgresKeyringTest, StoringTwiceIsNoConflict) {
    auto const keyring = open();
    auto const key = keyring->key_to_seal("staff/1");
    auto const sealed = core::hex_encode(core::aes_gcm_seal(master_, key, "staff/1"));
    query("INSERT INTO vault.person_key (person, sealed_key) VALUES ('staff/1', decode('" + sealed + "', 'hex'))");
    keyring->persist();
    EXPECT_EQ(keyring->conflicts(), 0U);
}

TEST_F(PostgresKeyringTest, ThreadsOfTwoProcessesAgreeOnEveryKey) {
    std::array const keyrings{open(), open()};
    std::vector<std::future<void>> work;
    for (int thread = 0; thread < 4; ++thread) {
        work.push_back(std::async(std::launch::async, [&, thread] {
            auto& keyring = *keyrings[static_cast<std::size_t>(thread % 2)];
            for (int i = 0; i < 50; ++i) {
                auto const conflicts = keyring.conflicts();
                auto const person = "staff/" + std::to_string(i);
                auto key = keyring.key_to_seal(person);
                try {
                    keyring.persist();
                } catch (KeyConflict const&) {
                }
                if (keyring.conflicts() != conflicts) key = keyring.key_to_seal(person);  // sealed again
                EXPECT_EQ(keyring.key_to_open(person), key);
            }
        }));
    }
    for (auto& each : work) each.get();
    auto const other = open();
    for (int i = 0; i < 50; ++i) {
        auto const key = other->key_to_open("staff/" + std::to_string(i));
        ASSERT_TRUE(key);
        for (auto const& keyring : keyrings) EXPECT_EQ(keyring->key_to_open("staff/" + std::to_string(i)), key);
    }
}

TEST_F(PostgresKeyringTest, KeysThatWereNotUsedOfLateAreFetchedAgain) {
    constexpr std::size_t kRemembered = 8;
    PostgresKeyring keyring({database_.url(), "workforce_writer", master_, 2, kRemembered});
    auto const person = [](int i) { return "staff/" + std::to_string(i); };
    std::vector<std::string> keys;
    for (int i = 0; i < 100; ++i) {
        keys.push_back(keyring.key_to_seal(person(i)));
        if (i % 10 == 9) keyring.persist();
    }
    auto const held = [&] {
        std::size_t count = 0;
        for (int i = 0; i < 100; ++i) count += keyring.holds(person(i)) ? 1U : 0U;
        return count;
    };
    EXPECT_LE(held(), kRemembered + 10) << "and the last ten, which were only just stored";
    EXPECT_FALSE(keyring.holds(person(0)));
    keyring.prefetch(std::vector{person(0)});
    EXPECT_TRUE(keyring.holds(person(0)));
    EXPECT_EQ(keyring.key_to_seal(person(0)), keys[0]) << "no second key";
    for (int i = 0; i < 100; ++i) EXPECT_EQ(keyring.key_to_open(person(i)), keys[static_cast<std::size_t>(i)]);
    EXPECT_FALSE(keyring.has_unstored());
    EXPECT_LE(held(), kRemembered + 1);
}

// What one thread has just fetched may leave while another fetches: not in memory is not destroyed.
TEST_F(PostgresKeyringTest, KeysThatLeaveMeanwhileAreStillThere) {
    PostgresKeyring keyring({database_.url(), "workforce_writer", master_, 4, 1});
    auto const person = [](int i) { return "staff/" + std::to_string(i); };
    std::vector<std::string> keys;
    for (int i = 0; i < 8; ++i) keys.push_back(keyring.key_to_seal(person(i)));
    keyring.persist();
    std::vector<std::future<int>> readers;
    for (int reader = 0; reader < 4; ++reader) {
        readers.push_back(std::async(std::launch::async, [&, reader] {
            int wrong = 0;
            for (int i = 0; i < 400; ++i) {
                auto const who = (i * 3 + reader) % 8;
                wrong += keyring.key_to_open(person(who)) == keys[static_cast<std::size_t>(who)] ? 0 : 1;
            }
            return wrong;
        }));
    }
    for (auto& reader : readers) EXPECT_EQ(reader.get(), 0);
}

TEST_F(PostgresKeyringTest, WhoWasForgottenStaysSo) {
    PostgresKeyring keyring({database_.url(), "workforce_writer", master_, 2, 2});
    for (int i = 0; i < 20; ++i) keyring.key_to_seal("staff/" + std::to_string(i));
    keyring.persist();
    keyring.key_to_open("staff/3");
    keyring.forget("staff/3");   // read of in the log; not destroyed yet
    keyring.destroy("staff/4");  // for good
    for (int i = 5; i < 20; ++i) keyring.key_to_open("staff/" + std::to_string(i));
    EXPECT_EQ(keyring.key_to_open("staff/3"), std::nullopt);
    EXPECT_EQ(keyring.key_to_open("staff/4"), std::nullopt);
    EXPECT_THAT(keyring.undestroyed(), testing::ElementsAre("staff/3"));
    keyring.prefetch(std::vector<std::string>{"staff/4"});
    EXPECT_THROW(keyring.key_to_seal("staff/4"), std::runtime_error);
}

}  // namespace
}  // namespace workforce::events
