// The last uses of keys, as several processes write them.
#include "api/credentials/key_uses.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "core/connection.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"
#include "workers/store/erasures.hpp"

namespace workforce::tests {
namespace {

using core::Id;

class KeyUsesTest : public testing::Test {
   protected:
    static operations::Caller key(Id id, Id user = 0) {
        operations::Caller caller;
        caller.credential_id = id;
        caller.organization = 7;
        caller.user.id = user;
        return caller;
    }
    std::string ask(std::string const& sql) {
        auto const rows = owner_.execute_sql(sql);
        return rows.empty() || rows[0][0].is_null() ? "" : rows[0][0].c_str();
    }
    std::string rows() {
        return ask(
            "SELECT string_agg(key_id || ' ' || coalesce(address, '-'), ', ' ORDER BY key_id) FROM auth.api_key_use");
    }

    /// Returns once so many sessions wait for a lock, or the other work is done.
    void wait_for_waiting(int count, std::future<void> const& other) {
        constexpr std::string_view kWaiting =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while (other.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
            if (std::stoi(ask(std::string(kWaiting))) >= count) return;
        }
    }
    std::future<void> write_meanwhile() {
        return std::async(std::launch::async, [this] { await(uses_.write()); });
    }

    TestDatabase test_database_;
    core::Connection owner_{{.url = test_database_.url()}};
    core::Database writes_{{.connection = {.url = test_database_.url(), .role = "workforce_writer"}, .threads = 1}};
    api::KeyUses uses_{writes_};
    api::KeyUses elsewhere_{writes_};
};

TEST_F(KeyUsesTest, TheLastOfEachKeyIsWritten) {
    for (auto const* address : {"192.0.2.1", "192.0.2.2"}) uses_.note(key(5), address);
    uses_.note(key(6), "2001:db8::1");
    auto person = key(31, 31);
    person.credential_type = events::ActorType::user;
    uses_.note(person, "192.0.2.9");
    EXPECT_EQ(rows(), "") << "no request writes";
    await(uses_.write());
    EXPECT_EQ(rows(), "5 192.0.2.2, 6 2001:db8::1");
    auto const before = ask("SELECT xmin FROM auth.api_key_use WHERE key_id = 5");
    await(uses_.write());
    EXPECT_EQ(ask("SELECT xmin FROM auth.api_key_use WHERE key_id = 5"), before) << "nothing is written twice";
}

TEST_F(KeyUsesTest, WhatIsLaterStaysWhoeverWritesFirst) {
    elsewhere_.note(key(5), "192.0.2.1");
    ask("SELECT pg_sleep(0.01)");
    uses_.note(key(5), "192.0.2.2");
    await(uses_.write());
    await(elsewhere_.write());
    EXPECT_EQ(rows(), "5 192.0.2.2");
}

TEST_F(KeyUsesTest, WhatCouldNotBeWrittenIsWrittenLater) {
    uses_.note(key(5), "192.0.2.1");
    uses_.note(key(6), "192.0.2.1");
    ask("ALTER TABLE auth.api_key_use RENAME TO away");
    EXPECT_ANY_THROW(await(uses_.write()));
    await(uses_.write_rest());
    uses_.note(key(6), "192.0.2.2");
    ask("ALTER TABLE auth.away RENAME TO api_key_use");
    await(uses_.write());
    EXPECT_EQ(rows(), "5 192.0.2.1, 6 192.0.2.2");
}

// An erasure empties what is there; what a process still remembers must not come back.
TEST_F(KeyUsesTest, NoAddressOfAUserWhoseKeyIsDestroyed) {
    ask("INSERT INTO vault.person_key (person, destroyed_at) VALUES ('user/31', now()), ('staff/32', now())");
    uses_.note(key(5, 31), "192.0.2.1");
    uses_.note(key(6, 32), "192.0.2.2");
    uses_.note(key(7), "192.0.2.3");
    await(uses_.write());
    EXPECT_EQ(rows(), "6 192.0.2.2, 7 192.0.2.3");
}

// The writer waits between two rows, having looked at who was erased.
TEST_F(KeyUsesTest, NoAddressOfAUserWhoIsErasedMeanwhile) {
    uses_.note(key(5), "192.0.2.1");
    uses_.note(key(6, 31), "192.0.2.1");
    await(uses_.write());
    core::Connection holder({.url = test_database_.url()});
    core::Database writes({.connection = {.url = test_database_.url(), .role = "workforce_writer"}, .threads = 1});
    events::PostgresKeyring keyring({test_database_.url(), "workforce_writer", std::string(32, 'k'), 1});
    keyring.key_to_seal("user/31");
    keyring.persist();
    keyring.forget("user/31");
    uses_.note(key(5), "192.0.2.2");
    uses_.note(key(6, 31), "192.0.2.2");
    std::future<void> written, erased;
    holder.transaction([&] {
        holder.execute_sql("SELECT FROM auth.api_key_use WHERE key_id = 5 FOR UPDATE");
        written = write_meanwhile();
        wait_for_waiting(1, written);
        erased = std::async(std::launch::async, [&] { await(workers::finish_erasures(writes, keyring)); });
        wait_for_waiting(2, erased);
    });
    written.get();
    erased.get();
    EXPECT_EQ(rows(), "5 192.0.2.2, 6 -");
    uses_.note(key(6, 31), "192.0.2.3");
    await(uses_.write());
    EXPECT_EQ(rows(), "5 192.0.2.2, 6 -");
    writes.stop();
}

// Ids come in blocks, whose first ones are far apart.
TEST_F(KeyUsesTest, KeysAreBounded) {
    auto const count = static_cast<Id>(api::KeyUses::kMostKeys);
    for (Id id = 1; id <= count + 5; ++id) uses_.note(key(id * 1600), "192.0.2.1");
    uses_.note(key(1600), "192.0.2.1");
    EXPECT_EQ(uses_.dropped(), 5U);
    await(uses_.write());
    EXPECT_EQ(ask("SELECT count(*) FROM auth.api_key_use"), std::to_string(count));
    uses_.note(key(5), "192.0.2.1");
    EXPECT_EQ(uses_.dropped(), 5U) << "there is room again";
}

TEST_F(KeyUsesTest, KeysAreBoundedWhereAWriteFails) {
    for (Id const id : {1, 2, 3}) uses_.note(key(id), "192.0.2.1");
    core::Connection holder({.url = test_database_.url()});
    holder.transaction([&] {
        holder.execute_sql("LOCK TABLE auth.api_key_use");
        auto written = write_meanwhile();
        wait_for_waiting(1, written);
        auto const count = static_cast<Id>(api::KeyUses::kMostKeys);
        for (Id id = 3; id < count + 2; ++id) uses_.note(key(id), "192.0.2.2");
        EXPECT_EQ(uses_.dropped(), 0U);
        ask("SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'");
        EXPECT_ANY_THROW(written.get());
    });
    EXPECT_EQ(uses_.dropped(), 1U) << "of the first three one is there with a later use, and one found room";
}

}  // namespace
}  // namespace workforce::tests
