// A partition's writer on a real log: what reaches the log, and when the answer may leave.
#include "commands/engine/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include "events/command.hpp"
#include "tests/integration/commands/fixture.hpp"

namespace workforce::tests {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Passed = std::vector<std::size_t>;

/// What several calls were told.
class CallsTest : public CommandsTest {
   protected:
    using CommandsTest::CommandsTest;

    bool none_answered(std::vector<Call> const& calls) {
        return std::none_of(calls.begin(), calls.end(), [this](auto const& call) { return answered(call); });
    }
    /// What all calls were told: the status, and the code of a refusal.
    std::vector<std::string> told(std::vector<Call> const& calls) {
        std::vector<std::string> all;
        for (auto const& call : calls) {
            auto const r = reply(call);
            all.push_back(std::to_string(r.status) + (r.status < 300 ? "" : " " + r.body));
        }
        return all;
    }
};

/// A document as its record begins, which goes on with what callers don't see.
std::string begin_of(std::string const& document) { return document.substr(0, document.size() - 1); }

/// All holds alike whether the writer remembers everything or looks everything up.
class PartitionTest : public CallsTest, public testing::WithParamInterface<Recall> {
   protected:
    PartitionTest() : CallsTest(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Recalls, PartitionTest, testing::Values(Recall::all, Recall::nothing),
                         [](auto const& recall) { return recall.param == Recall::all ? "All" : "Nothing"; });

std::string const kUnavailable = "503 LOG_UNAVAILABLE";

TEST_P(PartitionTest, EventsArriveChainedAndSealed) {
    ASSERT_EQ(ask(keyed(staff("ada"), "key one")).status, 201);
    commands::UpdateStaff update;
    update.id = last_id_;
    update.phone = core::Personal<core::Phone>(core::Phone("+4915112345678"));
    update.specialty = "ICU";
    ASSERT_EQ(ask(make(update, {Kind::staff, last_id_})).status, 200);

    auto const bodies = records();
    auto const all = history();
    ASSERT_EQ(all.size(), 5U);  // of the fixture: organization and facility
    std::string previous(64, '0');
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& meta = all[i].meta;
        EXPECT_EQ(meta.position, static_cast<std::int64_t>(i));
        EXPECT_EQ(meta.previous_hash, previous);
        EXPECT_EQ(meta.epoch, stats(*first_).epoch);
        EXPECT_EQ(meta.organization, kOrganization);
        EXPECT_EQ(meta.request_id, "req_test");
        EXPECT_EQ(meta.actor.id, 3);
        if (i > 0) EXPECT_GE(meta.time, all[i - 1].meta.time);
        previous = core::hex_encode(core::bytes(core::sha256(bodies[i].body)));
        for (auto const* personal : {"ada@", "Tester", "+49151"}) EXPECT_THAT(bodies[i].body, Not(HasSubstr(personal)));
    }
    EXPECT_EQ(first_->engine.head(home_), (events::Head{4, previous}));
    auto const& [onboarded, answered, updated] = std::tie(all[2].meta, all[3].meta, all[4].meta);
    EXPECT_EQ(std::pair(onboarded.type, onboarded.seq), std::pair(std::string("staff.onboarded"), std::int64_t{1}));
    EXPECT_EQ(std::pair(answered.type, answered.seq), std::pair(std::string("command.answered"), std::int64_t{0}));
    EXPECT_EQ(std::pair(updated.type, updated.seq), std::pair(std::string("staff.updated"), std::int64_t{2}));
    EXPECT_EQ(std::pair(onboarded.command_index, onboarded.command_count), std::pair(1, 2));
    EXPECT_EQ(std::pair(answered.command_index, answered.command_count), std::pair(2, 2));
    EXPECT_EQ(std::pair(updated.command_index, updated.command_count), std::pair(1, 1));
    EXPECT_EQ(onboarded.idempotency_key, "key one");
    EXPECT_EQ(answered.idempotency_hash, "the request");
    auto const& data = events::get<events::StaffOnboarded>(all[2].data);
    EXPECT_EQ(data.email.value.value, "ada@example.test");
}

TEST_P(PartitionTest, AnswerIsTheResourceAndTellsItsVersionAndPlace) {
    auto const created = ask(staff("ada"));
    EXPECT_EQ(created.location, "/api/staff/" + std::to_string(last_id_));
    EXPECT_EQ(created.version, 1);
    EXPECT_EQ(created.partition, home_);
    EXPECT_EQ(created.position, first_->engine.head(home_).position);
    if (GetParam() == Recall::all) EXPECT_THAT(ask(look()).body, HasSubstr(begin_of(created.body)));
    auto const ended = ask(deactivate(last_id_));
    EXPECT_EQ(ended.version, 2);
    EXPECT_EQ(ended.location, "");
    EXPECT_THAT(ended.body, HasSubstr(R"("isActive":false)"));
    if (GetParam() == Recall::all) EXPECT_THAT(ask(look()).body, HasSubstr(begin_of(ended.body)));
    auto const again = ask(deactivate(last_id_));
    EXPECT_EQ(std::tuple(again.status, again.version, again.position, again.body),
              std::tuple(200, std::int64_t{2}, std::int64_t{-1}, ended.body))
        << "there was nothing to do";
}

TEST_P(PartitionTest, WhatIsQueuedMeanwhileGoesOutInOneAppend) {
    first_->log.hold();
    std::vector<Call> calls{send(*first_, staff("first"))};
    first_->log.await_held();
    for (int i = 0; i < 20; ++i) calls.push_back(send(*first_, staff("later" + std::to_string(i))));
    EXPECT_TRUE(none_answered(calls));
    EXPECT_EQ(first_->engine.head(home_).position, 1);
    first_->log.release();
    EXPECT_THAT(told(calls), Each("201"));
    EXPECT_EQ(first_->log.take_passed(), (Passed{1, 20}));
}

TEST_P(PartitionTest, AnswersWithoutEventsWaitForTheClaimToBeConfirmed) {
    ASSERT_EQ(ask(keyed(staff("ada"), "ada")).status, 201);
    auto const ada = last_id_;
    ASSERT_EQ(ask(deactivate(ada)).status, 200);
    auto stale = deactivate(ada);
    stale.if_match = std::vector<std::int64_t>{1};
    first_->log.take_passed();
    for (auto const& [submission, expected] :
         {std::pair(deactivate(ada), "200"), std::pair(deactivate(999), "404 NOT_FOUND"),
          std::pair(staff("ada"), "409 DUPLICATE_RESOURCE"), std::pair(stale, "412 PRECONDITION_FAILED"),
          std::pair(keyed(staff("ada"), "ada"), "201"),
          std::pair(keyed(staff("ada"), "ada", "another request"), "409 IDEMPOTENCY_KEY_CONFLICT")}) {
        first_->log.hold();
        std::vector<Call> const calls{send(*first_, submission)};
        first_->log.await_held();
        EXPECT_TRUE(none_answered(calls)) << expected;
        first_->log.release();
        EXPECT_THAT(told(calls), ElementsAre(expected));
        EXPECT_EQ(first_->log.take_passed(), Passed{0}) << "a confirmation and no append, for " << expected;
    }
}

// A refusal can rest on what is staged before it in the same append: lost together, told together.
TEST_P(PartitionTest, AnswersThatSawAnAppendShareItsFate) {
    ASSERT_EQ(ask(keyed(staff("known"), "known")).status, 201);
    for (bool const lost : {true, false}) {
        first_->log.hold();
        std::vector<Call> calls{send(*first_, staff(lost ? "blocker" : "blocker2"))};
        first_->log.await_held();
        calls.push_back(send(*first_, staff("twin")));
        calls.push_back(send(*first_, staff("twin")));               // refused for what is not durable yet
        calls.push_back(send(*first_, deactivate(999)));             // refused
        calls.push_back(send(*first_, keyed(staff("x"), "known")));  // replayed
        if (lost) first_->log.inject({InjectedFault::none, InjectedFault::request_lost});
        first_->log.release();
        if (lost) {
            EXPECT_THAT(told(calls), ElementsAre("201", kUnavailable, kUnavailable, kUnavailable, kUnavailable));
            EXPECT_EQ(count<events::StaffOnboarded>(), 2U);
        } else {
            EXPECT_THAT(told(calls), ElementsAre("201", "201", "409 DUPLICATE_RESOURCE", "404 NOT_FOUND", "201"));
            EXPECT_EQ(count<events::StaffOnboarded>(), 4U);
        }
    }
}

TEST_P(PartitionTest, WriterThatLostThePartitionAnswersNothingAndThenGoesOn) {
    ASSERT_EQ(ask(keyed(staff("ada"), "ada")).status, 201);
    auto const ada = last_id_;
    auto const other = join();
    int round = 0;
    for (auto const& [submission, after] :
         {std::pair(staff("mine"), "201"), std::pair(staff("ada"), "409 DUPLICATE_RESOURCE"),
          std::pair(deactivate(999), "404 NOT_FOUND"), std::pair(keyed(staff("x"), "ada"), "201"),
          std::pair(keyed(deactivate(ada), "gone"), "200"), std::pair(deactivate(ada), "200")}) {
        auto const name = "theirs" + std::to_string(round++);
        ASSERT_EQ(ask(*other, staff(name)).status, 201);
        auto const before = records().size();
        auto const fenced = ask(submission);
        EXPECT_EQ(std::pair(fenced.status, fenced.body), std::pair(std::uint16_t{503}, std::string("LOG_UNAVAILABLE")));
        EXPECT_TRUE(core::info(fenced.refused.value()).retryable);
        EXPECT_EQ(records().size(), before) << "a fenced writer left something in the log";
        EXPECT_THAT(told({send(*first_, staff(name))}), ElementsAre("409 DUPLICATE_RESOURCE"))
            << "the other's is not seen";
        EXPECT_THAT(told({send(*first_, submission)}), ElementsAre(after));
        EXPECT_THAT(told({send(*other, deactivate(ada))}), ElementsAre(kUnavailable)) << "now the other one is fenced";
    }
    EXPECT_EQ(history().size(), records().size());
    restart();  // folds, and so checks, the whole chain
    EXPECT_EQ(stats(*first_).faults, 0U);
}

class UnknownOutcome : public CallsTest, public testing::WithParamInterface<InjectedFault> {};

TEST_P(UnknownOutcome, RetryGetsTheOneOutcomeThereIs) {
    first_->log.inject({GetParam()});
    EXPECT_THAT(told({send(*first_, keyed(staff("ada"), "ada"))}), ElementsAre(kUnavailable));
    auto const id = last_id_;
    auto const retried = ask(keyed(staff("ada"), "ada"));
    bool const was_written = GetParam() == InjectedFault::answer_lost;
    EXPECT_EQ(retried.status, 201);
    EXPECT_EQ(retried.replayed, was_written);
    EXPECT_EQ(retried.location, "/api/staff/" + std::to_string(was_written ? id : last_id_));
    EXPECT_EQ(retried.version, 1);
    EXPECT_EQ(count<events::StaffOnboarded>(), 1U);
    EXPECT_EQ(count<events::CommandAnswered>(), 1U);
    EXPECT_THAT(ask(look()).body, HasSubstr(begin_of(retried.body)));
    EXPECT_EQ(stats(*first_).faults, 1U);
}

INSTANTIATE_TEST_SUITE_P(Faults, UnknownOutcome,
                         testing::Values(InjectedFault::request_lost, InjectedFault::answer_lost),
                         [](auto const& fault) {
                             return fault.param == InjectedFault::answer_lost ? "Written" : "NotWritten";
                         });

TEST_P(PartitionTest, FailedDecisionIsItsCommandsAlone) {
    auto faulty = staff("faulty");
    faulty.decide = [](auto&&...) -> core::Result<commands::Decision> { throw std::logic_error("a bug"); };
    first_->log.hold();
    std::vector<Call> calls{send(*first_, staff("blocker"))};
    first_->log.await_held();
    calls.push_back(send(*first_, staff("ada")));
    calls.push_back(send(*first_, keyed(faulty, "key")));
    calls.push_back(send(*first_, staff("bob")));
    first_->log.release();
    EXPECT_THAT(told(calls), ElementsAre("201", "201", "500 INTERNAL_ERROR", "201"));
    EXPECT_EQ(first_->log.take_passed(), (Passed{1, 2}));
    EXPECT_EQ(ask(keyed(staff("faulty"), "key")).status, 201) << "a fault is not kept for retries";
    EXPECT_EQ(stats(*first_).faults, 0U);
}

TEST_P(PartitionTest, FailureWhileStagingIsItsCommandsAlone) {
    auto faulty = staff("faulty");
    faulty.render = [](auto&&...) -> commands::Rendered { throw std::logic_error("a bug"); };
    first_->log.hold();
    std::vector<Call> calls{send(*first_, staff("blocker"))};
    first_->log.await_held();
    calls.push_back(send(*first_, keyed(staff("ada"), "ada")));
    calls.push_back(send(*first_, keyed(faulty, "faulty")));
    calls.push_back(send(*first_, staff("ada")));  // refused for the one before, decided anew behind it
    calls.push_back(send(*first_, faulty));
    calls.push_back(send(*first_, staff("bob")));
    first_->log.release();
    EXPECT_THAT(told(calls),
                ElementsAre("201", "201", "500 INTERNAL_ERROR", "409 DUPLICATE_RESOURCE", "500 INTERNAL_ERROR", "201"));
    EXPECT_EQ(first_->log.take_passed(), (Passed{1, 3})) << "of what failed nothing is left, and nothing came apart";
    EXPECT_EQ(stats(*first_).faults, 2U);
    EXPECT_EQ(ask(keyed(staff("faulty"), "faulty")).status, 201) << "a fault is not kept for retries";
}

TEST_P(PartitionTest, FullQueueRefusesAtOnce) {
    constexpr std::size_t kLimit = 2048;  // half of PartitionContext::queue_limit: the rest is kept for others
    first_->log.hold();
    std::vector<Call> calls{send(*first_, staff("blocker"))};
    first_->log.await_held();
    for (std::size_t i = 0; i < kLimit; ++i) calls.push_back(send(*first_, deactivate(999)));
    auto const refused = send(*first_, keyed(staff("late"), "late"));
    ASSERT_TRUE(answered(refused));
    EXPECT_THAT(told({refused}), ElementsAre("503 SERVICE_UNAVAILABLE"));
    EXPECT_FALSE(answered(calls.back()));
    first_->log.release();
    EXPECT_EQ(told(calls).back(), "404 NOT_FOUND");
    EXPECT_EQ(ask(keyed(staff("late"), "late")).status, 201) << "the refusal left its key in use";
}

TEST_P(PartitionTest, IfMatchIsJudgedOnlyWhereTheResourceIsVisible) {
    ASSERT_EQ(ask(staff("ada")).status, 201);
    auto const ada = last_id_;
    auto const expecting = [&](Id id, std::int64_t version) {
        auto submission = deactivate(id);
        submission.if_match = std::vector<std::int64_t>{version};
        return told({send(*first_, submission)}).front();
    };
    EXPECT_EQ(expecting(999, 1), "404 NOT_FOUND");
    EXPECT_EQ(expecting(ada, 2), "412 PRECONDITION_FAILED");
    EXPECT_EQ(expecting(ada, 1), "200");
    EXPECT_EQ(expecting(ada, 1), "412 PRECONDITION_FAILED");
    EXPECT_EQ(expecting(ada, 2), "200") << "a no-op on the version expected";
    caller_.sandbox = true;
    EXPECT_EQ(expecting(ada, 1), "404 NOT_FOUND") << "a sandbox does not see live people";
}

TEST_P(PartitionTest, WhoIsDeactivatedIsRefusedFromThenOn) {
    commands::CreateUser user;
    user.email = core::Email("kay@example.test");
    user.firstName = core::Name("Kay");
    user.lastName = core::Name("Low");
    user.role = events::Role::admin;
    caller_.new_ids = {31};
    auto const made = ask(make(user));
    ASSERT_EQ(made.status, 200) << made.body;
    auto const other = std::exchange(caller_.actor, {events::ActorType::user, 31, 31});
    auto const theirs = [&] { return staff("s" + std::to_string(last_id_)); };
    auto const first = theirs(), second = theirs();
    caller_.actor = {};
    first_->log.hold();
    std::vector<Call> calls{send(*first_, staff("blocker"))};
    first_->log.await_held();
    calls.push_back(send(*first_, make(commands::DeactivateUser{31}, {Kind::user, 31})));
    calls.push_back(send(*first_, first));  // of the same append
    first_->log.release();
    EXPECT_THAT(told(calls), ElementsAre("201", "200", "401 UNAUTHENTICATED"));
    caller_.actor = other;
    EXPECT_EQ(ask(staff("bystander")).status, 201);
    caller_.actor = {};
    EXPECT_EQ(ask(make(commands::ReactivateUser{31}, {Kind::user, 31})).status, 200);
    EXPECT_THAT(told({send(*first_, second)}), ElementsAre("201"));
    EXPECT_EQ(ask(make(commands::DeactivateOrganization{7}, {Kind::organization, 7})).status, 200);
    if (GetParam() == Recall::nothing) return;  // of what memory forgot the revocations tell, before a command is here
    caller_.actor = {events::ActorType::user, 31, 31};
    EXPECT_THAT(told({send(*first_, theirs())}), ElementsAre("401 UNAUTHENTICATED"));
}

// A stranger who guesses passwords stops nobody's work.
TEST_P(PartitionTest, WhoIsLockedGoesOnWriting) {
    commands::CreateUser user;
    user.email = core::Email("kay@example.test");
    user.firstName = core::Name("Kay");
    user.lastName = core::Name("Low");
    user.role = events::Role::admin;
    user.has_password = true;
    caller_.new_ids = {31};
    ASSERT_EQ(ask(make(user)).status, 200);
    commands::CreateApiKey key;
    key.name = "integration";
    key.scopes = {core::ShortText("staff:write")};
    key.userId = Id{31};
    caller_.new_ids = {55};
    auto const created = ask(make(key));
    ASSERT_EQ(created.status, 200) << created.body;
    auto const lock = commands::LockUser{core::Timestamp{core::now().ms + 900'000}, 31};
    ASSERT_EQ(ask(make(lock, {Kind::user, 31})).status, 200);
    EXPECT_EQ(count<events::UserLocked>(), 1U);
    caller_.actor = {events::ActorType::user, 31, 31};
    EXPECT_THAT(told({send(*first_, staff("session"))}), ElementsAre("201"));
    caller_.actor = {events::ActorType::api_key, 55, 31};
    caller_.credential = 55;
    EXPECT_THAT(told({send(*first_, staff("key"))}), ElementsAre("201"));
}

TEST_P(PartitionTest, RevokedKeyIsRefusedFromItsRevocationOn) {
    commands::CreateApiKey key;
    key.name = "integration";
    key.scopes = {core::ShortText("staff:write")};
    caller_.new_ids = {55};
    auto const created = ask(make(key));
    ASSERT_EQ(created.status, 200) << created.body;
    auto const user = std::exchange(caller_.actor, {events::ActorType::api_key, 55, 0});
    caller_.credential = 55;
    EXPECT_EQ(ask(keyed(staff("ada"), "ada")).status, 201);
    auto const by_key = staff("bob");
    auto const retry = keyed(staff("ada"), "ada");
    caller_.actor = user;
    first_->log.hold();
    std::vector<Call> calls{send(*first_, staff("blocker"))};
    first_->log.await_held();
    calls.push_back(send(*first_, make(commands::RevokeApiKey{55}, {Kind::api_key, 55})));
    calls.push_back(send(*first_, by_key));  // of the same append
    calls.push_back(send(*first_, retry));
    first_->log.release();
    EXPECT_THAT(told(calls), ElementsAre("201", "200", "401 UNAUTHENTICATED", "401 UNAUTHENTICATED"));
    restart();
    EXPECT_THAT(told({send(*first_, by_key)}), ElementsAre("401 UNAUTHENTICATED"));
}

// Of one who was forgotten nothing can be sealed: no fault, and no harm to others in the same append.
TEST_P(PartitionTest, KeyedCommandOnAForgottenPersonIsRefused) {
    ASSERT_EQ(ask(staff("ada")).status, 201);
    auto const ada = last_id_;
    ASSERT_EQ(ask(deactivate(ada)).status, 200);
    first_->keyring.destroy("staff/" + std::to_string(ada));
    EXPECT_THAT(told({send(*first_, keyed(deactivate(ada), "again"))}), ElementsAre("409 INVALID_STATE_TRANSITION"));
    EXPECT_EQ(stats(*first_).faults, 0U);
}

// Between the erasure's event and the key's destruction, and in the very batch that erases.
TEST_P(PartitionTest, NothingIsSealedForWhomTheStateSaysErased) {
    ASSERT_EQ(ask(staff("ada")).status, 201);
    auto const ada = last_id_;
    ASSERT_EQ(ask(staff("bob")).status, 201);
    events::AggregateRef const person{events::Kind::staff, ada};
    commands::UpdateStaff update;
    update.id = ada;
    update.phone = core::Personal<core::Phone>(core::Phone("+1 555 0199"));
    first_->log.hold();
    std::vector<Call> calls{
        send(*first_, make(commands::ErasePerson{{"asked for", "ops"}, {events::Kind::staff, ada}}))};
    calls.push_back(send(*first_, make(update, person)));
    calls.push_back(send(*first_, keyed(deactivate(ada), "key")));
    calls.push_back(send(*first_, make(commands::ErasePerson{{"asked for", "ops"}, {events::Kind::staff, ada}})));
    calls.push_back(send(*first_, staff("ada")));
    first_->log.release();
    EXPECT_THAT(told(calls),
                ElementsAre("200", "409 INVALID_STATE_TRANSITION", "409 INVALID_STATE_TRANSITION", "200", "201"));
    EXPECT_EQ(count<events::StaffErased>(), 1U);
    EXPECT_EQ(count<events::StaffUpdated>(), 0U);
    restart();
    EXPECT_THAT(told({send(*first_, make(update, person))}), ElementsAre("409 INVALID_STATE_TRANSITION"));
    // Who reads the erasure in the log knows what is to be done; what is past where reading began, the read models
    // tell.
    if (GetParam() == Recall::all) EXPECT_THAT(first_->keyring.undestroyed(), ElementsAre(to_string(person)));
    if (GetParam() == Recall::nothing) EXPECT_THAT(first_->store.erased_persons(), ElementsAre(to_string(person)));
}

TEST_P(PartitionTest, OnePersonIsBookedOnceByManyAtATime) {
    constexpr std::size_t kShifts = 40;
    ASSERT_EQ(ask(staff("ada")).status, 201);
    auto const ada = last_id_;
    std::vector<Submission> attempts;
    for (std::size_t i = 0; i < kShifts; ++i) {
        ASSERT_EQ(ask(shift()).status, 200);
        attempts.push_back(assign(last_id_, ada));
    }
    boost::asio::thread_pool threads(4);
    std::vector<std::future<Reply>> replies;
    for (auto& attempt : attempts) {
        replies.push_back(boost::asio::co_spawn(threads, first_->processor.submit(attempt), boost::asio::use_future));
    }
    std::map<std::string, std::size_t> outcomes;
    for (auto& each : replies) {
        auto const r = each.get();
        ++outcomes[r.status == 200 ? "won" : r.body];
    }
    threads.join();
    EXPECT_EQ(outcomes, (std::map<std::string, std::size_t>{{"won", 1}, {"STAFF_DOUBLE_BOOKED", kShifts - 1}}));
    EXPECT_EQ(count<events::ShiftStaffAssigned>(), 1U);
}

}  // namespace
}  // namespace workforce::tests
