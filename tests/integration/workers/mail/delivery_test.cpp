// Delivery over real rows: what is claimed by whom, what becomes of a mail, and what holds all of them.
#include "workers/mail/delivery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "core/json.hpp"
#include "tests/support/await.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/test_database.hpp"
#include "workers/engine/standing.hpp"
#include "workers/mail/outbox.hpp"

namespace workforce::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using workers::Sending;

/// What channels of one server sent, and what the server says next; `sent` where nothing is left to say.
struct Server {
    std::mutex mutex;
    std::vector<std::string> sent;
    std::vector<core::Timestamp> written;
    std::deque<Sending> answers;
    int rests = 0;
};

class TestChannel final : public workers::MailChannel {
   public:
    explicit TestChannel(Server& server) : server_(server) {}
    workers::MailAttempt send(workers::Mail const& mail, core::Timestamp written, std::stop_token const&) override {
        std::lock_guard const lock(server_.mutex);
        auto const answer = server_.answers.empty() ? Sending::sent : server_.answers.front();
        if (!server_.answers.empty()) server_.answers.pop_front();
        if (answer != Sending::sent) return {answer, "said no"};
        server_.sent.push_back(mail.text.to);
        server_.written.push_back(written);
        return {Sending::sent, {}};
    }
    void rest() override { ++server_.rests; }

   private:
    Server& server_;
};

class MailDeliveryTest : public testing::Test {
   protected:
    MailDeliveryTest() : sessions_(workers::reactor_session({.url = database_.url()}), 4) {}

    /// Writes a mail to that person; its id ends with the person's.
    std::string write(int person, bool leaves = true) {
        auto const name = "staff/" + std::to_string(person);
        keyring_.key_to_seal(name);
        workers::Mail const mail{.id = "0190e0c2-0000-7000-8000-00000000000" + std::to_string(person),
                                 .organization = 7,
                                 .person = name,
                                 .text = {to(person), "A subject", "A text"}};
        workers::Outbox(sessions_, keyring_, leaves).send({&mail, 1});
        return mail.id;
    }
    static std::string to(int person) { return "p" + std::to_string(person) + "@example.test"; }
    workers::MailDelivery delivery() {
        return {sessions_, keyring_, std::make_unique<TestChannel>(server_), "test", metrics_};
    }
    /// A round of a process of its own.
    void round() { delivery().round(); }
    std::string ask(std::string const& sql) { return database_.query(sql).at(0)[0].c_str(); }
    void run(std::string const& sql) { database_.query(sql); }
    std::string states() { return ask("SELECT string_agg(state, ' ' ORDER BY id) FROM ops.outbox"); }
    double counted(std::string const& outcome) {
        return metrics_
            .counter("workforce_mails_total", "Attempts to send a mail, by what came of them",
                     {{"channel", "test"}, {"outcome", outcome}})
            .Value();
    }

    TestDatabase database_;
    core::SessionPool sessions_;
    MemoryKeyring keyring_;
    core::Metrics metrics_;
    Server server_;
};

TEST_F(MailDeliveryTest, WhatLeftIsSentOnceAndItsTextIsGone) {
    write(1);
    write(1);  // again
    round();
    write(1);  // by who does not know that it left
    round();
    EXPECT_THAT(server_.sent, ElementsAre(to(1)));
    EXPECT_EQ(states(), "sent");
    EXPECT_EQ(ask("SELECT length(sealed) FROM ops.outbox"), "0");
    auto connection = core::Connection(workers::reactor_session({.url = database_.url()}));
    auto const mails = workers::list_outbox(connection, keyring_, 10);
    ASSERT_EQ(mails.size(), 1U);
    EXPECT_EQ(mails[0].state, workers::MailState::sent);
    EXPECT_FALSE(mails[0].text);
    EXPECT_EQ(mails[0].at, server_.written.at(0));
    EXPECT_EQ(counted("sent"), 1);
    EXPECT_EQ(server_.rests, 2) << "no connection is kept between rounds";
}

TEST_F(MailDeliveryTest, WhatAMailSaysEndsWithWhomItIsAbout) {
    keyring_.key_to_seal("staff/1");
    keyring_.key_to_seal("conversation/9");
    workers::Mail const mail{.id = "0190e0c2-0000-7000-8000-000000000001",
                             .organization = 7,
                             .person = "staff/1",
                             .text = {to(1), "A subject", "A text"},
                             .about = "conversation/9"};
    workers::Outbox outbox(sessions_, keyring_, true);
    outbox.send({&mail, 1});
    core::Connection connection(workers::reactor_session({.url = database_.url()}));
    auto const texts = [&] {
        std::vector<std::string> all;
        for (auto const& each : workers::list_outbox(connection, keyring_, 10)) {
            all.push_back(each.text ? core::to_json(*each.text) : "gone");
        }
        return all;
    };
    EXPECT_THAT(texts(), ElementsAre(core::to_json(mail.text)));
    keyring_.forget("conversation/9");
    EXPECT_THAT(texts(), ElementsAre("gone"));
    round();
    EXPECT_EQ(states(), "dropped");
    auto later = mail;
    later.id = "0190e0c2-0000-7000-8000-000000000002";
    workers::Mail const other{.id = "0190e0c2-0000-7000-8000-000000000003",
                              .organization = 7,
                              .person = "staff/1",
                              .text = {to(1), "A subject", "A text"}};
    EXPECT_THAT(outbox.send(std::vector{other, later}), ElementsAre(1U)) << "who sends it is told";
    run("DELETE FROM ops.outbox WHERE id = '" + other.id + "'");
    EXPECT_EQ(states(), "dropped") << "nothing is written of whom nobody may know";
}

TEST_F(MailDeliveryTest, WhatWasWrittenWithoutAChannelStays) {
    write(1, false);
    round();
    EXPECT_THAT(server_.sent, ElementsAre());
    EXPECT_EQ(states(), "kept");
}

TEST_F(MailDeliveryTest, ARefusedMailIsDroppedAndHoldsNobodyBack) {
    auto const id = write(1);
    write(2);
    server_.answers = {Sending::refused};
    round();
    EXPECT_EQ(states(), "dropped sent");
    EXPECT_EQ(ask("SELECT last_error FROM ops.outbox WHERE state = 'dropped'"), "said no");
    round();
    EXPECT_THAT(server_.sent, ElementsAre(to(2)));
    EXPECT_EQ(counted("dropped"), 1);

    core::Connection operators(workers::reactor_session({.url = database_.url()}));
    EXPECT_EQ(workers::retry_dropped(operators, {"no such id"}), 0);
    EXPECT_EQ(workers::retry_dropped(operators, {id}), 1);
    EXPECT_EQ(workers::retry_dropped(operators, {}), 0);
    round();
    EXPECT_THAT(server_.sent, ElementsAre(to(2), to(1)));
}

TEST_F(MailDeliveryTest, ADeferredMailIsTriedLaterAndLaterAndGivenUpAfterDays) {
    auto const id = write(1);
    write(2);
    run("UPDATE ops.outbox SET attempts = 6 WHERE id = '" + id +
        "'");  // so that a pause outlasts the test's look at it
    for (int const pause : {64, 128, 256}) {
        server_.answers = {Sending::deferred};
        round();
        EXPECT_EQ(states(), "waiting sent");
        auto const left =
            std::stod(ask("SELECT extract(epoch FROM due_at - now()) FROM ops.outbox WHERE state = 'waiting'"));
        EXPECT_GT(left, pause - 30);
        EXPECT_LE(left, pause);
        round();  // not before
        EXPECT_THAT(server_.sent, ElementsAre(to(2)));
        run("UPDATE ops.outbox SET due_at = now() WHERE state = 'waiting'");
    }
    run("UPDATE ops.outbox SET created_at = now() - interval '73 hours' WHERE state = 'waiting'");
    server_.answers = {Sending::deferred};
    round();
    EXPECT_EQ(states(), "dropped sent");
    EXPECT_THAT(ask("SELECT last_error FROM ops.outbox WHERE state = 'dropped'"), HasSubstr("given up"));
    EXPECT_EQ(counted("failed"), 4);
}

TEST_F(MailDeliveryTest, WhereNothingLeavesNothingIsTriedForAWhile) {
    write(1);
    write(2);
    auto one = delivery();
    server_.answers = {Sending::unreachable};
    one.round();
    EXPECT_EQ(ask("SELECT sum(attempts) FROM ops.outbox"), "1") << "one mail finds out for all";
    one.round();
    EXPECT_EQ(ask("SELECT sum(attempts) FROM ops.outbox"), "1") << "it rests";
    std::this_thread::sleep_for(workers::MailDelivery::kFirstRest);
    run("UPDATE ops.outbox SET due_at = least(due_at, now())");
    one.round();
    EXPECT_THAT(server_.sent, ElementsAre(to(2), to(1))) << "the others first";
}

TEST_F(MailDeliveryTest, AStopGivesBackWhatItEnds) {
    write(1);
    std::stop_source stop;
    class Stopping final : public workers::MailChannel {
       public:
        explicit Stopping(std::stop_source& source) : source_(source) {}
        workers::MailAttempt send(workers::Mail const&, core::Timestamp, std::stop_token const&) override {
            source_.request_stop();
            return {Sending::unreachable, "a stop"};
        }
        void rest() override {}

       private:
        std::stop_source& source_;
    };
    workers::MailDelivery(sessions_, keyring_, std::make_unique<Stopping>(stop), "test", metrics_)
        .round(stop.get_token());
    EXPECT_EQ(counted("failed"), 0);
    round();
    EXPECT_THAT(server_.sent, ElementsAre(to(1)));
}

TEST_F(MailDeliveryTest, WhoeverWasErasedIsWrittenToNoMore) {
    write(1);
    write(2);
    keyring_.destroy("staff/1");
    round();
    EXPECT_THAT(server_.sent, ElementsAre(to(2)));
    EXPECT_EQ(states(), "dropped sent");
}

TEST_F(MailDeliveryTest, APauseHoldsAll) {
    write(1);
    core::Connection operators(workers::reactor_session({.url = database_.url()}));
    workers::pause(operators, workers::kMailDelivery, "Op", "restored");
    round();
    EXPECT_THAT(server_.sent, ElementsAre());
    workers::resume(operators, workers::kMailDelivery);
    round();
    EXPECT_THAT(server_.sent, ElementsAre(to(1)));
}

TEST_F(MailDeliveryTest, ProcessesShareMailsAndTakeOverWhatIsLeftBehind) {
    for (int person = 1; person <= 9; ++person) write(person);
    run("UPDATE ops.outbox SET due_at = now() + interval '1 minute', attempts = 1 WHERE person = 'staff/9'");  // claimed
    {
        auto one = delivery();
        auto other = delivery();
        std::jthread const both([&] { other.round(); });
        one.round();
    }
    EXPECT_EQ(server_.sent.size(), 8U);
    EXPECT_EQ(std::set(server_.sent.begin(), server_.sent.end()).size(), 8U);
    run("UPDATE ops.outbox SET due_at = now() WHERE state = 'waiting'");  // its lease has run out
    round();
    EXPECT_EQ(server_.sent.size(), 9U);
}

TEST_F(MailDeliveryTest, WhatDoesNotWaitGoesAfterItsDays) {
    for (int person = 1; person <= 4; ++person) write(person, person != 4);
    server_.answers = {Sending::refused, Sending::sent, Sending::deferred};
    round();
    EXPECT_EQ(states(), "dropped sent waiting kept");
    core::Database writes({.connection = {.url = database_.url(), .role = "workforce_writer"}, .threads = 1});
    await(workers::prune_outbox(writes, 30));
    EXPECT_EQ(states(), "dropped sent waiting kept");
    run("UPDATE ops.outbox SET created_at = now() - interval '31 days'");
    await(workers::prune_outbox(writes, 32));
    EXPECT_EQ(states(), "dropped sent waiting kept") << "as long as the setting says";
    await(workers::prune_outbox(writes, 30));
    EXPECT_EQ(states(), "waiting");
    run("INSERT INTO ops.outbox (id, organization_id, person, sealed, created_at)"
        " SELECT gen_random_uuid(), 7, 'staff/1', '', now() - interval '31 days' FROM generate_series(1, 12000)");
    await(workers::prune_outbox(writes, 30));
    EXPECT_EQ(states(), "waiting") << "however many there are";
}

TEST_F(MailDeliveryTest, OfAnInactiveOrganizationNothingLeaves) {
    write(1);
    run("INSERT INTO reactor.inactive_organization VALUES ('shift_mail', 7)");
    round();
    EXPECT_THAT(server_.sent, ElementsAre());
    EXPECT_EQ(states(), "waiting") << "it may be active again, and the fold behind";
    EXPECT_EQ(ask("SELECT last_error FROM ops.outbox"), "the organization is not active");
    run("DELETE FROM reactor.inactive_organization");
    run("UPDATE ops.outbox SET due_at = now()");
    round();
    EXPECT_THAT(server_.sent, ElementsAre(to(1)));
}

}  // namespace
}  // namespace workforce::tests
