// Sessions, attempts and links, in the database.
#include <gtest/gtest.h>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>
#include <thread>

#include "core/crypto.hpp"
#include "events/revocations.hpp"
#include "operations/accounts.hpp"
#include "tests/integration/commands/fixture.hpp"
#include "workers/jobs/sign_in_records.hpp"
#include "workers/store/password_store.hpp"
#include "workers/store/session_store.hpp"

namespace workforce::tests {
namespace {

using workers::AccountRef;

constexpr AccountRef kAda{7, 31};

class SignInStoresTest : public CommandsTest {
   protected:
    std::string value(std::string const& sql) { return database_.query(sql)[0][0].c_str(); }
    /// What the log is to be told.
    std::string records() {
        return value("SELECT coalesce(string_agg(operation, ' ' ORDER BY id), '') FROM auth.sign_in_record");
    }
    /// Returns once so many statements wait for locks of others.
    void await_waiting(int count) {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                     "AND wait_event_type = 'Lock'") != std::to_string(count)) {
            if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("they do not wait");
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    workers::Session open(AccountRef whom = kAda) { return await(open_by("", whom)).value(); }
    /// By a password of that hash.
    boost::asio::awaitable<std::optional<workers::Session>> open_by(
        std::string hash, AccountRef whom = kAda, events::SessionKind kind = events::SessionKind::cookie) {
        return sessions_.open(
            {whom, kind, workers::make_session_secret(), {"192.0.2.1", "Browser", "req_1"}, std::move(hash)});
    }
    static std::string times(int count, std::string const& text) {
        std::string all;
        for (int i = 0; i < count; ++i) all += text;
        return all;
    }
    std::size_t live() { return await(sessions_.list(kAda)).size(); }
    void name_ada(std::string const& digest) {
        tamper("INSERT INTO ops.reservation (digest, kind, subject_id, organization_id) VALUES ('\\x" +
               core::hex_encode(digest) + "', 'user', 31, 7)");
    }

    boost::asio::thread_pool threads_{1};  // outlives the sessions that resume what waits here
    core::Database writes_{{.connection = {.url = database_.url(), .role = "workforce_writer"}, .threads = 2}};
    workers::SessionStore sessions_{writes_};
    workers::PasswordStore passwords_{writes_, "secret"};
    workers::Origin const origin_{"192.0.2.1", "Browser", "req_2"};
};

TEST_F(SignInStoresTest, ASessionEndsByItselfAndByItsUser) {
    auto const session = open();
    EXPECT_EQ(session.userId, 31);
    EXPECT_EQ(session.ip, "192.0.2.1");
    EXPECT_NEAR(static_cast<double>(session.expiresAt.ms - session.createdAt.ms), 12 * 3'600'000.0, 1.0);
    EXPECT_EQ(live(), 1U);
    tamper("UPDATE auth.session SET last_seen_at = now() - interval '11 h 59 min'");
    EXPECT_EQ(live(), 1U);
    tamper("UPDATE auth.session SET last_seen_at = now() - interval '12 h 1 s'");
    EXPECT_EQ(live(), 0U);
    await(sessions_.note_uses({session.id}));
    EXPECT_EQ(live(), 1U);
    tamper("UPDATE auth.session SET ends_at = now()");
    EXPECT_EQ(live(), 0U);
    auto const second = open();
    EXPECT_FALSE(await(sessions_.end({7, 32}, second.id, origin_)));
    EXPECT_FALSE(await(sessions_.end({8, 31}, second.id, origin_)));
    EXPECT_TRUE(await(sessions_.end(kAda, second.id, origin_)));
    EXPECT_FALSE(await(sessions_.end(kAda, second.id, origin_)));
    EXPECT_EQ(live(), 0U);
    EXPECT_EQ(records(), "users.record_sign_in users.record_sign_in users.record_sign_out");
}

TEST_F(SignInStoresTest, AUserHasSoManySessions) {
    for (int i = 0; i < workers::kMostSessions + 3; ++i) open();
    EXPECT_EQ(live(), static_cast<std::size_t>(workers::kMostSessions));
}

// A program that takes a token for each of its runs ends nobody's session in a browser.
TEST_F(SignInStoresTest, SessionsOfOneKindEndNoneOfTheOther) {
    auto const cookie = open();
    for (int i = 0; i < workers::kMostSessions; ++i) ASSERT_TRUE(await(open_by("", kAda, events::SessionKind::jwt)));
    EXPECT_EQ(live(), static_cast<std::size_t>(workers::kMostSessions) + 1);
    tamper("UPDATE auth.session SET ends_at = now() WHERE kind = 'jwt'");
    ASSERT_TRUE(await(open_by("", kAda, events::SessionKind::jwt)));
    EXPECT_EQ(live(), 2U);
    for (int i = 0; i < workers::kMostSessions - 1; ++i) open();
    EXPECT_TRUE(await(sessions_.end(kAda, cookie.id, origin_))) << "the hundredth ended none";
}

TEST_F(SignInStoresTest, SecretsAreKnownByTheirForm) {
    auto const secret = workers::make_session_secret();
    EXPECT_TRUE(workers::is_session_secret(secret));
    EXPECT_FALSE(workers::is_session_secret(""));
    EXPECT_FALSE(workers::is_session_secret(secret.substr(1)));
    auto changed = secret;
    changed[5] = changed[5] == 'a' ? 'b' : 'a';
    EXPECT_FALSE(workers::is_session_secret(changed));
}

TEST_F(SignInStoresTest, TheSixthAttemptMeetsALock) {
    name_ada("ada");
    for (int i = 0; i < workers::kMostFailures; ++i) {
        auto const attempt = await(passwords_.begin_attempt("ada"));
        EXPECT_FALSE(attempt.locked) << i;
        EXPECT_EQ(attempt.whom.user, 31);
        await(passwords_.fail(attempt, origin_));
    }
    EXPECT_EQ(records(), times(workers::kMostFailures, "users.record_sign_in_failure ") + "users.lock");
    EXPECT_EQ(value("SELECT address || ' ' || agent FROM auth.request_origin"), "192.0.2.1 Browser");
    EXPECT_TRUE(await(passwords_.begin_attempt("ada")).locked);
    EXPECT_TRUE(await(passwords_.begin_attempt(kAda)).locked) << "of one account, however it is named";
    tamper("UPDATE auth.sign_in_failure SET locked_until = now()");
    EXPECT_FALSE(await(passwords_.begin_attempt("ada")).locked);
}

TEST_F(SignInStoresTest, ANameThatNobodyHasIsLockedAlike) {
    for (int i = 0; i < workers::kMostFailures; ++i)
        await(passwords_.fail(await(passwords_.begin_attempt("x")), origin_));
    auto const attempt = await(passwords_.begin_attempt("x"));
    EXPECT_TRUE(attempt.locked);
    EXPECT_EQ(attempt.whom.user, 0);
}

// A commit that writes nothing waits for no flush: its time would tell that there is no such account.
TEST_F(SignInStoresTest, AFailureWritesTheSameWhoeverTheAccountIsOf) {
    name_ada("ada");
    auto const written = [&](std::string const& name) {
        std::string rows;
        for (int i = 0; i < workers::kMostFailures; ++i) {
            tamper("DELETE FROM auth.sign_in_record");
            tamper("DELETE FROM auth.request_origin");
            await(passwords_.fail(await(passwords_.begin_attempt(name)), origin_));
            rows += records() + ' ' + value("SELECT count(*) FROM auth.request_origin") + ", ";
        }
        return rows;
    };
    auto const of_ada = written("ada");
    EXPECT_EQ(of_ada, times(workers::kMostFailures - 1, "users.record_sign_in_failure 1, ") +
                          "users.record_sign_in_failure users.lock 1, ");
    EXPECT_EQ(written("nobody"), of_ada);
    int asked = 0;
    await(workers::tell_sign_ins(
        writes_, {0},
        [&](workers::OperationRequest const&) -> boost::asio::awaitable<core::Result<workers::OperationAnswer>> {
            ++asked;
            co_return workers::OperationAnswer{};
        }));
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(records() + value("SELECT count(*) FROM auth.request_origin"), "0") << "and nobody is told of them";
}

TEST_F(SignInStoresTest, WhatIsNotJudgedAndWhatSucceedsCountsNot) {
    name_ada("ada");
    for (int i = 0; i < 10; ++i) await(passwords_.undo(await(passwords_.begin_attempt("ada"))));
    for (int i = 0; i < 4; ++i) await(passwords_.fail(await(passwords_.begin_attempt("ada")), origin_));
    EXPECT_FALSE(await(passwords_.begin_attempt("ada")).locked);
    open();
    for (int i = 0; i < 4; ++i) await(passwords_.fail(await(passwords_.begin_attempt("ada")), origin_));
    EXPECT_FALSE(await(passwords_.begin_attempt("ada")).locked);
    tamper("UPDATE auth.sign_in_failure SET began_at = now() - interval '16 min'");
    EXPECT_FALSE(await(passwords_.begin_attempt("ada")).locked) << "failures of before the window";
}

TEST_F(SignInStoresTest, AttemptsInParallelAreAsFew) {
    name_ada("ada");
    int judged = 0;
    for (int i = 0; i < 20; ++i) judged += await(passwords_.begin_attempt("ada")).locked ? 0 : 1;
    EXPECT_EQ(judged, workers::kMostFailures);
}

// Whether there is a lock is known once those are judged that began before.
TEST_F(SignInStoresTest, WhoBeginsWhileOthersAreJudgedMayComeLater) {
    name_ada("ada");
    std::vector<workers::Attempt> begun(workers::kMostFailures);
    for (auto& attempt : begun) attempt = await(passwords_.begin_attempt("ada"));
    auto const expect = [&](bool locked, bool crowded) {
        auto const attempt = await(passwords_.begin_attempt("ada"));
        EXPECT_EQ(attempt.locked, locked);
        EXPECT_EQ(attempt.crowded, crowded);
    };
    expect(true, true);
    await(passwords_.undo(begun[0]));
    expect(false, false);
    expect(true, true);
    open();
    await(passwords_.fail(begun[1], origin_));
    EXPECT_EQ(records(), "users.record_sign_in users.record_sign_in_failure") << "also past a success";
    expect(false, false);
    for (int i = 0; i < workers::kMostFailures - 1; ++i) begun[0] = await(passwords_.begin_attempt("ada"));
    expect(true, true);
    await(passwords_.fail(begun[0], origin_));
    expect(true, false);
}

TEST_F(SignInStoresTest, AnAttemptThatTroubleEndsDoesNotCount) {
    auto const trouble = []() -> boost::asio::awaitable<int> {
        throw core::DatabaseUnavailable("away");
        co_return 0;
    };
    for (int i = 0; i < 10; ++i) {
        auto const attempt = await(passwords_.begin_attempt(kAda));
        ASSERT_FALSE(attempt.locked) << i;
        EXPECT_THROW(await(operations::undone_by_trouble(passwords_, attempt, trouble())), core::DatabaseUnavailable);
    }
}

TEST_F(SignInStoresTest, ALinkWorksOnce) {
    name_ada("ada");
    open();
    await(passwords_.make_link(kAda));
    auto const id = value("SELECT id FROM auth.link");
    EXPECT_FALSE(await(passwords_.find_link(workers::LinkPurpose::reset, passwords_.token_of(id))));
    EXPECT_FALSE(await(passwords_.find_link(workers::LinkPurpose::invite, "x")));
    auto const link = await(passwords_.find_link(workers::LinkPurpose::invite, passwords_.token_of(id)));
    ASSERT_TRUE(link);
    EXPECT_EQ(link->whom.user, 31);
    EXPECT_TRUE(await(passwords_.use_link(*link, "hash", origin_)));
    EXPECT_FALSE(await(passwords_.use_link(*link, "hash", origin_)));
    EXPECT_EQ(live(), 0U);
    EXPECT_EQ(await(passwords_.begin_attempt("ada")).hash, "hash");
    EXPECT_EQ(records(), "users.record_sign_in users.record_password_change users.unlock");
    await(passwords_.make_reset("ada"));
    await(passwords_.make_reset("ada"));
    await(passwords_.make_reset("nobody"));
    EXPECT_EQ(value("SELECT count(*) FROM auth.link WHERE user_id = 31"), "1") << "one a minute";
    EXPECT_EQ(value("SELECT count(*) FROM auth.link WHERE user_id = 0"), "2") << "which are mailed to nobody";
    tamper("DELETE FROM auth.link WHERE user_id = 0");
    tamper("UPDATE auth.link SET ends_at = now()");
    EXPECT_FALSE(await(
        passwords_.find_link(workers::LinkPurpose::reset, passwords_.token_of(value("SELECT id FROM auth.link")))));
}

// Whatever came between the event and the rest of its request: a mark ends the link, and a retry sends another.
TEST_F(SignInStoresTest, ALinkEndsWithItsAddress) {
    core::Connection marks({.url = database_.url(), .role = "workforce_projector"});
    auto const moved = [&](std::int64_t number) {
        events::SecretEnds ends;
        ends.moved_organizations = {7};
        ends.moved_users = {31};
        ends.moved_numbers = {number};
        ends.moved_at = {core::now()};
        events::mark_ends(marks, ends);
    };
    auto const links = [&] {
        return value(
            "SELECT coalesce(string_agg(user_version || CASE WHEN moved_at IS NULL THEN '' ELSE ' ended' END, ', '), "
            "'')"
            " FROM auth.link");
    };
    await(passwords_.make_link(kAda, 3));
    auto const token = passwords_.token_of(value("SELECT id FROM auth.link"));
    moved(3);
    await(passwords_.move_links(kAda, 4));
    EXPECT_EQ(links(), "3") << "the address is that of its version";
    moved(5);
    EXPECT_EQ(links(), "3 ended");
    EXPECT_FALSE(await(passwords_.find_link(workers::LinkPurpose::invite, token)));
    for (int retry = 0; retry < 2; ++retry) await(passwords_.move_links(kAda, 5));
    EXPECT_EQ(links(), "5");
    moved(5);  // folded once more
    EXPECT_EQ(links(), "5");
    await(passwords_.make_link(kAda, 4));
    EXPECT_EQ(links(), "5") << "whoever is late makes none to a former address";
    name_ada("ada");
    tamper("DELETE FROM auth.link");
    await(passwords_.make_reset("ada"));
    moved(6);
    EXPECT_EQ(links(), "0 ended");
    await(passwords_.move_links(kAda, 6));
    EXPECT_EQ(links(), "") << "a reset is not sent anew";
}

TEST_F(SignInStoresTest, ARetryOfAnInvitationMakesOneLink) {
    await(passwords_.make_link(kAda, 3, true));
    auto const first = value("SELECT id FROM auth.link");
    await(passwords_.make_link(kAda, 3, true));
    EXPECT_EQ(value("SELECT id FROM auth.link"), first);
    await(passwords_.make_link(kAda, 3));
    EXPECT_NE(value("SELECT id FROM auth.link"), first) << "another request";
    auto const link = await(
        passwords_.find_link(workers::LinkPurpose::invite, passwords_.token_of(value("SELECT id FROM auth.link"))));
    ASSERT_TRUE(link);
    await(passwords_.use_link(*link, "hash", origin_));
    await(passwords_.make_link(kAda, 3, true));
    EXPECT_EQ(value("SELECT count(*) FROM auth.link"), "0") << "it was used";
}

// The hash takes its time: what was right when it began may be no more.
TEST_F(SignInStoresTest, WhatChangedMeanwhileOpensNothing) {
    await(passwords_.put(kAda, "old"));
    EXPECT_TRUE(await(open_by("old")));
    await(passwords_.put(kAda, "new"));
    EXPECT_FALSE(await(open_by("old")));
    EXPECT_TRUE(await(open_by("new")));
    tamper("INSERT INTO auth.account_standing (organization_id, user_id, number, active) VALUES (7, 31, 5, false)");
    EXPECT_FALSE(await(open_by("new")));
    EXPECT_FALSE(await(open_by("")));
}

// A reset does not see a session that is not committed, so it waits for that; a sign-in waits for a reset that is
// first.
TEST_F(SignInStoresTest, NoSessionOfTheOldPasswordOutlivesAReset) {
    await(passwords_.put(kAda, "old"));
    await(passwords_.begin_attempt(kAda));
    auto const begin = [&](auto work) {
        return boost::asio::co_spawn(threads_, std::move(work), boost::asio::use_future);
    };
    pqxx::connection connection(database_.url());
    {
        pqxx::work held(connection);
        held.exec("SELECT FROM auth.sign_in_failure FOR UPDATE");  // which a sign-in deletes once its session is there
        auto session = begin(open_by("old"));
        await_waiting(1);
        auto changed = begin(passwords_.change(kAda, "new", 0, origin_));
        await_waiting(2);
        held.commit();
        EXPECT_TRUE(session.get());
        changed.get();
        EXPECT_EQ(live(), 0U);
    }
    pqxx::work held(connection);
    held.exec("UPDATE auth.password SET hash = 'newer'");
    auto session = begin(open_by("new"));
    await_waiting(1);
    held.commit();
    EXPECT_FALSE(session.get());
}

TEST_F(SignInStoresTest, AnEndAmongOthersEndsSessions) {
    core::Connection marks({.url = database_.url(), .role = "workforce_projector"});
    open();
    events::SecretEnds quick;
    quick.add_account(7, 31, 5, false);
    quick.add_account(7, 31, 6, true);
    events::mark_ends(marks, quick);
    EXPECT_EQ(live(), 0U);
    open();
    events::mark_ends(marks, quick);
    EXPECT_EQ(live(), 1U) << "what is folded again ends nothing of after it";
    events::SecretEnds all;
    all.add_account(7, 0, 9, false);
    events::mark_ends(marks, all);
    EXPECT_EQ(live(), 0U);
}

TEST_F(SignInStoresTest, ALockThatEndedIsTold) {
    name_ada("ada");
    for (int i = 0; i < workers::kMostFailures; ++i)
        await(passwords_.fail(await(passwords_.begin_attempt("ada")), origin_));
    tamper("UPDATE auth.sign_in_failure SET locked_until = now()");
    await(passwords_.begin_attempt("ada"));
    EXPECT_TRUE(records().ends_with("users.record_sign_in_failure users.lock users.unlock")) << records();
}

TEST_F(SignInStoresTest, AnotherPasswordEndsOtherSessions) {
    auto const mine = open();
    open();
    await(passwords_.change(kAda, "hash", mine.id, origin_));
    auto const left = await(sessions_.list(kAda));
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left.front().id, mine.id);
}

}  // namespace
}  // namespace workforce::tests
