// Codes and devices, in the database: what is let by a session ends with it, however both race.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pqxx/connection>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <pqxx/transaction>
#include <set>
#include <thread>

#include "events/revocations.hpp"
#include "tests/integration/commands/fixture.hpp"
#include "workers/store/device_store.hpp"
#include "workers/store/oauth_store.hpp"
#include "workers/store/password_store.hpp"
#include "workers/store/session_store.hpp"

namespace workforce::tests {
namespace {

constexpr workers::AccountRef kEve{7, 32};

class OAuthStoresTest : public CommandsTest {
   protected:
    std::string seen(std::string const& sql) { return database_.query(sql)[0][0].c_str(); }
    core::Id open() {
        return await(sessions_.open({kEve, events::SessionKind::cookie, workers::make_session_secret(), origin_}))
            .value()
            .id;
    }
    static workers::NewCode code(core::Id session) {
        return {{kEve.organization, kEve.user, 5, "client", "staff:read", ""}, "a code", "", "challenge", session};
    }
    /// A device whose user code that is.
    workers::Kept begin(std::string const& user_code, std::uint64_t source = 1) {
        return await(devices_.add({"device " + user_code, user_code, "client", "staff:read", "", "192.0.2.9", source}));
    }
    /// Has so many devices of the source wait that one more may.
    void fill_source_but_one(int source) {
        tamper(
            fmt::format("INSERT INTO auth.oauth_device (digest, user_digest, client_id, scope, resource, address, "
                        "ends_at, source) SELECT sha256(n::text::bytea), sha256(n::text::bytea), 'client', '', '', "
                        "'', now() + interval '1 minute', {} FROM generate_series(1, {}) n",
                        source, workers::kMostWaiting - 1));
    }
    static workers::Consent consent(core::Id grant = 5) {
        return {kEve.organization, kEve.user, grant, "", "staff:read", ""};
    }
    /// Returns once so many statements wait for locks of others.
    void await_blocked(int count) {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (seen("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                    "AND wait_event_type = 'Lock'") != std::to_string(count)) {
            if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("they do not wait");
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    void change_password() { await(passwords_.change(kEve, "another hash", 0, origin_)); }
    std::string codes() { return seen("SELECT count(*) FROM auth.oauth_code"); }

    boost::asio::thread_pool threads_{2};
    core::Database writes_{{.connection = {.url = database_.url(), .role = "workforce_writer"}, .threads = 3}};
    workers::SessionStore sessions_{writes_};
    workers::PasswordStore passwords_{writes_, "secret"};
    workers::OAuthStore oauth_{writes_, writes_, std::chrono::seconds(0)};
    workers::DeviceStore devices_{writes_};
    workers::Origin const origin_{"192.0.2.1", "Browser", "req_2"};
};

TEST_F(OAuthStoresTest, ACodeIsOfASessionThatHolds) {
    auto const session = open();
    EXPECT_FALSE(await(oauth_.add_code(code(0))));
    EXPECT_FALSE(await(oauth_.add_code(code(session + 1))));
    auto others = code(session);
    others.consent.user = 33;
    EXPECT_FALSE(await(oauth_.add_code(others)));
    EXPECT_EQ(codes(), "0");
    EXPECT_TRUE(await(oauth_.add_code(code(session))));
    change_password();
    EXPECT_EQ(codes(), "0");
    EXPECT_FALSE(await(oauth_.add_code(code(session))));
}

TEST_F(OAuthStoresTest, ACodeThatRacesANewPasswordEnds) {
    auto const session = open();
    tamper("INSERT INTO auth.oauth_client (client_id, id) VALUES ('client', 9)");
    pqxx::connection other(database_.url());
    pqxx::work holder(other);
    holder.exec("SELECT FROM auth.oauth_client FOR UPDATE");  // where adding the code waits, past the session
    auto added = boost::asio::co_spawn(threads_, oauth_.add_code(code(session)), boost::asio::use_future);
    await_blocked(1);
    auto changed =
        boost::asio::co_spawn(threads_, passwords_.change(kEve, "another hash", 0, origin_), boost::asio::use_future);
    await_blocked(2);
    holder.commit();
    EXPECT_TRUE(added.get());
    changed.get();
    EXPECT_EQ(codes(), "0");
}

TEST_F(OAuthStoresTest, ACodeThatRacesADeactivationEnds) {
    auto const session = open();
    tamper("INSERT INTO auth.oauth_client (client_id, id) VALUES ('client', 9)");
    pqxx::connection other(database_.url());
    pqxx::work holder(other);
    holder.exec("SELECT FROM auth.oauth_client FOR UPDATE");
    auto added = boost::asio::co_spawn(threads_, oauth_.add_code(code(session)), boost::asio::use_future);
    await_blocked(1);
    auto marked = std::async(std::launch::async, [&] {
        core::Connection connection({.url = database_.url(), .role = "workforce_writer"});
        events::SecretEnds ends;
        ends.add_account(kEve.organization, kEve.user, 4, false);
        events::mark_ends(connection, ends);
        events::mark_ends(connection, ends);
    });
    await_blocked(2);
    holder.commit();
    EXPECT_TRUE(added.get());
    marked.get();
    EXPECT_EQ(codes() + seen("SELECT count(*) FROM auth.session"), "00");
}

TEST_F(OAuthStoresTest, ADeviceIsLetByASessionThatHolds) {
    using enum workers::Settled;
    auto const session = open();
    ASSERT_EQ(begin("BCDFGHJK"), workers::Kept::kept);
    for (core::Id const grant : {0, 5}) {
        EXPECT_EQ(await(devices_.settle("BCDFGHJK", consent(grant), session + 1)), session_ended);
    }
    EXPECT_EQ(seen("SELECT count(*) FROM auth.oauth_device WHERE NOT denied AND user_id IS NULL"), "1");
    EXPECT_EQ(await(devices_.settle("BBBBBBBB", consent(), session)), waits_no_more);
    EXPECT_EQ(await(devices_.settle("BCDFGHJK", consent(), session)), settled);
    EXPECT_EQ(await(devices_.settle("BCDFGHJK", consent(), session)), waits_no_more);
    change_password();
    EXPECT_EQ(seen("SELECT count(*) FROM auth.oauth_device"), "0");
    ASSERT_EQ(begin("BCDFGHJL"), workers::Kept::kept);
    EXPECT_EQ(await(devices_.settle("BCDFGHJL", consent(), session)), session_ended);
}

TEST_F(OAuthStoresTest, SoManyDevicesWaitAtASource) {
    using enum workers::Kept;
    fill_source_but_one(17);
    EXPECT_EQ(begin("BCDFGHJK", 17), kept);
    EXPECT_EQ(begin("BCDFGHJL", 17), too_many);
    EXPECT_EQ(begin("BCDFGHJK", 18), code_taken);
    EXPECT_EQ(begin("BCDFGHJL", 0xffff'0000'0001), kept) << "at another";
    tamper("UPDATE auth.oauth_device SET denied = true WHERE user_digest = sha256('1')");
    EXPECT_EQ(begin("BCDFGHJN", 17), kept) << "one waits no more";
}

TEST_F(OAuthStoresTest, DevicesThatComeAtOnceAreCountedOneAfterTheOther) {
    fill_source_but_one(17);
    pqxx::connection other(database_.url());
    pqxx::work holder(other);
    holder.exec("LOCK TABLE auth.oauth_device IN EXCLUSIVE MODE");  // both have counted before either can add
    auto const add = [this](std::string const& user_code) {
        workers::NewDevice device{"device " + user_code, user_code, "client", "", "", "192.0.2.9", 17};
        return boost::asio::co_spawn(threads_, devices_.add(std::move(device)), boost::asio::use_future);
    };
    auto first = add("BCDFGHJK");
    auto second = add("BCDFGHJL");
    await_blocked(2);
    holder.commit();
    using enum workers::Kept;
    EXPECT_EQ(std::multiset({first.get(), second.get()}), std::multiset({kept, too_many}));
}

TEST_F(OAuthStoresTest, ASessionIsAsOldAsTheDatabaseSays) {
    using namespace std::chrono_literals;
    auto const session = open();
    EXPECT_TRUE(await(sessions_.opened_within(kEve, session, 10min)));
    EXPECT_FALSE(await(sessions_.opened_within({7, 31}, session, 10min)));
    tamper("UPDATE auth.session SET created_at = now() - interval '601 seconds'");
    EXPECT_FALSE(await(sessions_.opened_within(kEve, session, 10min)));
    EXPECT_TRUE(await(sessions_.opened_within(kEve, session, workers::kSessionLife)));
    tamper("DELETE FROM auth.session");
    EXPECT_FALSE(await(sessions_.opened_within(kEve, session, workers::kSessionLife)));
}

}  // namespace
}  // namespace workforce::tests
