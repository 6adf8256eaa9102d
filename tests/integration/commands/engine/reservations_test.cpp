// What is unique on the platform, taken by commands of different partitions, and what a crash leaves of it.
#include "commands/engine/reservations.hpp"

#include <pqxx/connection>
#include <pqxx/nontransaction>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/commands/fixture.hpp"
#include "workers/jobs/settlement.hpp"

namespace workforce::tests {
namespace {

class ReservationsTest : public CommandsTest, public testing::WithParamInterface<Recall> {
   protected:
    static constexpr Id kOther = 8;  // an organization at home in the other partition

    ReservationsTest() : CommandsTest(GetParam()) {
        EXPECT_NE(await(first_->processor.homes().reserve(kOther)), home_);
        caller_.organization = kOther;
        commands::CreateOrganization organization;
        organization.name = "Hillside";
        EXPECT_EQ(ask(make(organization)).status, 200);
    }

    Submission user(Id organization, std::string const& email, std::string const& name = "") {
        commands::CreateUser command;
        command.email = core::Email(email);
        command.username = core::ShortText(name);
        command.firstName = core::Name("Kay");
        command.lastName = core::Name("Low");
        command.role = events::Role::admin;
        caller_.organization = organization;
        caller_.new_ids = {++last_id_};
        return make(std::move(command));
    }
    std::string told(Reply const& r) {
        return std::to_string(r.status) + (r.status < 300 ? "" : " " + r.body) + (r.replayed ? " replayed" : "");
    }
    std::string told(Submission submission) { return told(ask(std::move(submission))); }
    std::string value(std::string const& sql) {
        pqxx::connection connection(database_.url());
        return pqxx::nontransaction(connection).exec(sql)[0][0].c_str();
    }
    /// How many reservations there are, and how many of them stand for good.
    std::string reserved() { return value("SELECT count(*) || ' ' || count(settled_at) FROM ops.reservation"); }
    void settle_later() {
        tamper("UPDATE ops.reservation SET reserved_at = reserved_at - interval '2 minutes'");
        settle();
    }
    void settle() {
        workers::SecretStore secrets(first_->database, std::string(32, 'k'));
        workers::SigningSecretStore signing_secrets(first_->database, std::string(32, 'k'));
        await(workers::settle(first_->processor, first_->reservations, secrets, signing_secrets));
    }
    void lose(InjectedFault fault) { first_->log.inject({fault}); }
};

INSTANTIATE_TEST_SUITE_P(Recalls, ReservationsTest, testing::Values(Recall::all, Recall::nothing),
                         [](auto const& recall) { return recall.param == Recall::all ? "All" : "Nothing"; });

TEST_P(ReservationsTest, OfTwoAtOnceInTwoPartitionsOneWins) {
    first_->log.hold();
    auto const winner = send(*first_, user(kOrganization, "kay@example.test"));
    first_->log.await_held();
    auto const loser = send(*first_, user(kOther, "kay@example.test"));
    first_->log.release();
    EXPECT_EQ(told(reply(winner)), "200");
    EXPECT_EQ(told(reply(loser)), "409 DUPLICATE_RESOURCE");
    EXPECT_EQ(told(user(kOther, "low@example.test")), "200");
    EXPECT_EQ(reserved(), "2 0");
}

TEST_P(ReservationsTest, OfTwoInOneAppendOneWins) {
    first_->log.hold();
    auto const blocker = send(*first_, user(kOrganization, "blocker@example.test"));
    first_->log.await_held();
    auto const one = send(*first_, user(kOrganization, "kay@example.test"));
    auto const other = send(*first_, user(kOrganization, "kay@example.test"));
    first_->log.release();
    EXPECT_EQ(told(reply(blocker)), "200");
    EXPECT_EQ(told(reply(one)), "200");
    EXPECT_EQ(told(reply(other)), "409 DUPLICATE_RESOURCE");
}

TEST_P(ReservationsTest, ARefusalReleasesWhatItTookAlone) {
    ASSERT_EQ(told(user(kOrganization, "kay@example.test", "Kay")), "200");
    ASSERT_EQ(reserved(), "2 0");
    EXPECT_EQ(told(user(kOther, "low@example.test", "KAY")), "409 DUPLICATE_RESOURCE") << "the name, in any case";
    EXPECT_EQ(told(user(kOther, "low@example.test", "kay@example.test")), "409 DUPLICATE_RESOURCE");
    EXPECT_EQ(reserved(), "2 0");
    EXPECT_EQ(told(user(kOther, "low@example.test")), "200") << "the address was free again";
    auto stale = user(kOther, "late@example.test");
    stale.if_match = std::vector<std::int64_t>{7};
    EXPECT_EQ(told(stale), "412 PRECONDITION_FAILED");
    EXPECT_EQ(reserved(), "3 0");
}

TEST_P(ReservationsTest, ANameThatIsGivenUpIsFreedOnceItIsSettled) {
    ASSERT_EQ(told(user(kOrganization, "kay@example.test", "Kay")), "200");
    Id const kay = last_id_;
    settle_later();
    ASSERT_EQ(reserved(), "2 2");
    auto const change = [&](std::string const& email) {
        commands::UpdateUser command;
        command.id = kay;
        command.email = core::Email(email);
        caller_.organization = kOrganization;
        return make(std::move(command), {events::Kind::user, kay});
    };
    auto late = change("late@example.test");
    late.if_match = std::vector<std::int64_t>{7};
    EXPECT_EQ(told(std::move(late)), "412 PRECONDITION_FAILED");
    settle_later();
    EXPECT_EQ(reserved(), "2 2") << "a refusal gives nothing up";
    EXPECT_EQ(told(change("low@example.test")), "200");
    EXPECT_EQ(told(user(kOther, "kay@example.test")), "409 DUPLICATE_RESOURCE") << "not yet";
    settle_later();
    EXPECT_EQ(reserved(), "2 2");
    EXPECT_EQ(told(user(kOther, "low@example.test")), "409 DUPLICATE_RESOURCE");
    EXPECT_EQ(told(user(kOther, "low2@example.test", "kay")), "409 DUPLICATE_RESOURCE");
    EXPECT_EQ(told(user(kOther, "kay@example.test")), "200");
}

TEST_P(ReservationsTest, ARetryUnderTheSameKeySharesIt) {
    lose(InjectedFault::request_lost);
    ASSERT_EQ(told(keyed(user(kOrganization, "kay@example.test"), "key")), "503 LOG_UNAVAILABLE");
    EXPECT_EQ(told(user(kOther, "kay@example.test")), "409 DUPLICATE_RESOURCE") << "it may have been appended";
    restart();
    EXPECT_EQ(told(keyed(user(kOrganization, "kay@example.test"), "key")), "200");
    EXPECT_EQ(told(keyed(user(kOrganization, "kay@example.test"), "key")), "200 replayed");
    EXPECT_EQ(told(user(kOther, "kay@example.test")), "409 DUPLICATE_RESOURCE");
    EXPECT_EQ(count<events::UserCreated>(), 1U);
}

TEST_P(ReservationsTest, WhatACrashLeftBeforeTheAppendIsFreed) {
    lose(InjectedFault::request_lost);
    ASSERT_EQ(told(user(kOrganization, "kay@example.test")), "503 LOG_UNAVAILABLE");
    restart();
    settle();
    EXPECT_EQ(reserved(), "1 0") << "it may be on its way yet";
    settle_later();
    EXPECT_EQ(reserved(), "0 0");
    EXPECT_EQ(told(user(kOther, "kay@example.test")), "200");
}

TEST_P(ReservationsTest, WhatACrashLeftAfterTheAppendStands) {
    lose(InjectedFault::answer_lost);
    ASSERT_EQ(told(user(kOrganization, "kay@example.test", "kay")), "503 LOG_UNAVAILABLE");
    restart();
    settle_later();
    EXPECT_EQ(reserved(), "2 2");
    EXPECT_EQ(told(user(kOther, "kay@example.test")), "409 DUPLICATE_RESOURCE");
}

TEST_P(ReservationsTest, SettlingLeavesAloneWhatWasTakenAgain) {
    auto& reservations = first_->reservations;
    std::vector const needs{commands::reservation_need(kOrganization, {Kind::user, 901}, {"user e-mail", "a@b.test"})};
    using Taking = commands::Reservations::Taking;
    ASSERT_EQ(reservations.take({"key", 2}, needs), std::vector{Taking::taken});
    tamper("UPDATE ops.reservation SET reserved_at = reserved_at - interval '2 minutes'");
    auto const open = reservations.open({home_});
    ASSERT_EQ(open.size(), 1U);
    EXPECT_EQ(open[0].subject, (events::AggregateRef{Kind::user, 901}));
    auto retry = needs;
    retry[0].id = 902;
    ASSERT_EQ(reservations.take({"key", 2}, retry), std::vector{Taking::taken});
    reservations.settle(open, false);
    EXPECT_EQ(reserved(), "1 0");
    reservations.release("key", needs);
    EXPECT_EQ(reserved(), "1 0") << "the first attempt has it no longer";
    EXPECT_EQ(reservations.take({"key", 1}, needs), std::vector{Taking::elsewhere}) << "by who lost the partition";
    EXPECT_EQ(reservations.take({"other", 2}, needs), std::vector{Taking::elsewhere});
    EXPECT_EQ(reservations.take({"other", 2}, retry), std::vector{Taking::held});
    reservations.release("other", retry);
    EXPECT_EQ(reserved(), "1 0") << "it took nothing";
    reservations.release("key", retry);
    EXPECT_EQ(reserved(), "0 0");
}

TEST_P(ReservationsTest, ACommandThatWaitedTooLongIsNotDecided) {
    auto late = user(kOrganization, "kay@example.test");
    late.deadline = std::chrono::steady_clock::now();
    EXPECT_EQ(told(late), "503 SERVICE_UNAVAILABLE");
    EXPECT_EQ(reserved(), "0 0");
    EXPECT_EQ(count<events::UserCreated>(), 0U);
}

}  // namespace
}  // namespace workforce::tests
