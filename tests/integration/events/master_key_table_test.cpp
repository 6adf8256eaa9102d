#include "events/master_key_table.hpp"

#include <gtest/gtest.h>

#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <stdexcept>

#include "core/crypto.hpp"
#include "events/postgres_keyring.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

using core::Connection;
using events::MasterKeys;
using events::PostgresKeyring;

class MasterKeyTableTest : public testing::Test {
   protected:
    std::unique_ptr<PostgresKeyring> keyring(MasterKeys const& keys) {
        return std::make_unique<PostgresKeyring>(
            events::PostgresKeyringOptions{database_.url(), "workforce_writer", keys, 1});
    }
    void replace(MasterKeys const& keys) {
        owner_.transaction([&] { events::replace_master_key(owner_, keys, events::master_key_id(new_)); });
    }
    std::int64_t reseal(MasterKeys const& keys) {
        std::int64_t rows = 0;
        events::reseal(owner_, keys, [&](std::int64_t more) { rows += more; });
        return rows;
    }
    std::string store(PostgresKeyring& keyring, std::string const& person) {
        auto key = keyring.key_to_seal(person);
        keyring.persist();
        return key;
    }

    TestDatabase database_;
    Connection owner_{{.url = database_.url()}};
    std::string const old_ = core::random_bytes(32);
    std::string const new_ = core::random_bytes(32);
};

TEST_F(MasterKeyTableTest, SealsAllAnewAndKeepsWhatIsGone) {
    MasterKeys const keys({old_, new_});
    events::record_master_key(owner_, keys);
    auto const before = keyring(keys);
    auto const first = store(*before, "staff/1");
    for (int i = 2; i <= 1200; ++i) before->key_to_seal("staff/" + std::to_string(i));
    before->persist();
    before->destroy("staff/7");
    owner_.execute_sql("UPDATE vault.person_key SET master_key = NULL");  // as the program of before wrote them
    replace(keys);
    EXPECT_EQ(events::count_sealed_by_others(owner_, keys), 1199);
    EXPECT_EQ(reseal(keys), 1199);
    EXPECT_EQ(reseal(keys), 0) << "again there is nothing to do";
    events::end_former_master_key(owner_);
    auto const after = keyring(new_);
    EXPECT_EQ(after->key_to_open("staff/1"), first);
    EXPECT_EQ(after->key_to_open("staff/7"), std::nullopt);
    EXPECT_THROW(keyring(old_), std::runtime_error);
}

TEST_F(MasterKeyTableTest, NothingIsSealedUnderTheFormerKeyOnceAnotherIsInUse) {
    MasterKeys const mine({old_, new_});
    events::record_master_key(owner_, mine);
    auto const behind = keyring(MasterKeys({old_, new_}));  // a process that has not noticed yet
    auto const ignorant = keyring(old_);
    replace(mine);
    auto const key = store(*behind, "staff/1");
    EXPECT_EQ(keyring(new_)->key_to_open("staff/1"), key);
    ignorant->key_to_seal("staff/2");
    EXPECT_THROW(ignorant->persist(), std::runtime_error);
    EXPECT_EQ(keyring(new_)->key_to_open("staff/2"), std::nullopt);
}

TEST_F(MasterKeyTableTest, WhoHoldsTheKeyInUseIsWaitedFor) {
    MasterKeys const keys({old_, new_});
    events::record_master_key(owner_, keys);
    Connection holder({.url = database_.url(), .role = "workforce_writer"});
    owner_.execute_sql("SET lock_timeout = '100ms'");
    holder.transaction([&] {
        events::hold_master_key(holder, keys);
        EXPECT_ANY_THROW(replace(MasterKeys({old_, new_})));
    });
    replace(keys);
    MasterKeys const late({old_, new_});
    holder.transaction([&] { events::hold_master_key(holder, late); });
    EXPECT_EQ(late.in_use(), new_);
    EXPECT_THROW(holder.transaction([&] { events::hold_master_key(holder, old_); }), std::runtime_error);
}

TEST_F(MasterKeyTableTest, WhatIsKeptIsReadWithTheNewKeyAlone) {
    MasterKeys const keys({old_, new_});
    events::record_master_key(owner_, keys);
    auto const signer = keys.public_keys().front();
    auto const cursors = keys.kept("cursors");
    replace(keys);
    Connection reader({.url = database_.url(), .role = "workforce_projector"});
    MasterKeys const later(new_);
    events::load_kept(reader, later);
    EXPECT_EQ(later.kept("cursors"), cursors);
    EXPECT_EQ(later.public_keys().back(), signer);
    EXPECT_THROW(events::load_kept(reader, core::random_bytes(32)), std::runtime_error);
}

TEST_F(MasterKeyTableTest, TheFirstOneRecordedHasToOpenWhatIsStored) {
    store(*keyring(old_), "staff/1");
    EXPECT_THROW(events::record_master_key(owner_, new_), std::runtime_error);
    events::record_master_key(owner_, old_);
    EXPECT_EQ(events::read_master_key_ids(owner_).in_use, events::master_key_id(old_));
    events::record_master_key(owner_, new_);
    EXPECT_EQ(events::read_master_key_ids(owner_).in_use, events::master_key_id(old_)) << "one is recorded";
}

}  // namespace
}  // namespace workforce::tests
