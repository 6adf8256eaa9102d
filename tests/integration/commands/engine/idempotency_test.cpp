// Retries under an idempotency key: told the first answer, for as long as it is kept, and never carried out twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/command.hpp"
#include "tests/integration/commands/fixture.hpp"

namespace workforce::tests {
namespace {

class IdempotencyTest : public CommandsTest, public testing::WithParamInterface<Recall> {
   protected:
    IdempotencyTest() : CommandsTest(GetParam()) {}

    std::string told(Submission submission) {
        auto const r = ask(std::move(submission));
        return std::to_string(r.status) + (r.status < 300 ? "" : " " + r.body) + (r.replayed ? " replayed" : "");
    }
    /// A command that is refused with `code`, by its decision.
    Submission refused_with(Code code) const {
        Submission submission;
        submission.context = caller_;
        submission.decide = [code](auto&&...) -> core::Result<commands::Decision> { return core::refuse(code, "no"); };
        return finished(std::move(submission));
    }
};

INSTANTIATE_TEST_SUITE_P(Recalls, IdempotencyTest, testing::Values(Recall::all, Recall::nothing),
                         [](auto const& recall) { return recall.param == Recall::all ? "All" : "Nothing"; });

TEST_P(IdempotencyTest, RetryGetsTheFirstAnswerAlsoFromALaterProcess) {
    auto const first = ask(keyed(staff("ada"), "key"));
    ASSERT_EQ(ask(deactivate(last_id_)).status, 200);
    for (bool const later : {false, true}) {
        if (later) restart();
        auto const retried = ask(keyed(staff("ada"), "key"));
        EXPECT_TRUE(retried.replayed);
        EXPECT_EQ(std::tie(retried.status, retried.body, retried.location, retried.version),
                  std::tie(first.status, first.body, first.location, first.version))
            << "the first answer, not the person as it is by now";
    }
    EXPECT_EQ(count<events::StaffOnboarded>(), 1U);
}

TEST_P(IdempotencyTest, KeysOfAnswersFollowEachOther) {
    answer_keys_.events = 4;
    restart();
    std::vector<std::pair<Submission, Reply>> made;
    for (int i = 0; i < 6; ++i) {
        auto submission = keyed(shift("2031-03-0" + std::to_string(i + 1)), "key " + std::to_string(i));
        auto answer = ask(submission);
        ASSERT_EQ(answer.status, 200);
        made.emplace_back(std::move(submission), std::move(answer));
    }
    std::set<std::string> keys;
    for (auto const& event : history()) {
        auto const* answered = events::get_if<events::CommandAnswered>(event.data);
        if (answered) keys.insert(answered->sealedFor);
    }
    EXPECT_GE(keys.size(), 3U) << "two events a command";
    for (bool const later : {false, true}) {
        if (later) restart();
        for (auto const& [submission, first] : made) {
            auto const retried = ask(submission);
            EXPECT_TRUE(retried.replayed);
            EXPECT_EQ(retried.body, first.body);
        }
    }
    for (auto const& key : keys) EXPECT_NE(first_->keyring.key_to_open(key), std::nullopt) << key;
}

TEST_P(IdempotencyTest, AnswersThatTellOfWhoWasErasedAreGone) {
    ASSERT_EQ(told(keyed(staff("ada"), "key")), "201");
    auto const ada = last_id_;
    ASSERT_EQ(told(keyed(staff("bob"), "other")), "201");
    ASSERT_EQ(told(make(commands::ErasePerson{{"asked for", "ops"}, {events::Kind::staff, ada}})), "200");
    auto const expect_gone = [&] {
        EXPECT_EQ(told(keyed(staff("ada"), "key")), "404 NOT_FOUND");
        EXPECT_EQ(told(keyed(staff("bob"), "other")), "201 replayed");
    };
    expect_gone();
    restart();  // with the key, as after a process that died before it destroyed that
    expect_gone();
    first_->keyring.destroy(first_->keyring.undestroyed());
    restart();
    expect_gone();
    EXPECT_EQ(count<events::StaffOnboarded>(), 2U) << "and nobody is made again";
}

TEST_P(IdempotencyTest, KeyOfAnotherRequestIsAConflict) {
    ASSERT_EQ(told(keyed(staff("ada"), "key", "one")), "201");
    for (bool const later : {false, true}) {
        if (later) restart();
        EXPECT_EQ(told(keyed(staff("bob"), "key", "two")), "409 IDEMPOTENCY_KEY_CONFLICT");
        EXPECT_EQ(told(keyed(staff("ada"), "key", "one")), "201 replayed") << "the conflict did not replace the answer";
    }
    EXPECT_EQ(count<events::StaffOnboarded>(), 1U);
}

// The key that partitions see is a digest of credential, sandbox flag and the client's key: apart, these are other
// keys.
TEST_P(IdempotencyTest, OtherKeysAreOtherRequests) {
    EXPECT_EQ(told(keyed(staff("ada"), "digest of credential 1")), "201");
    EXPECT_EQ(told(keyed(staff("bob"), "digest of credential 2")), "201");
    EXPECT_EQ(told(staff("cleo")), "201");
    EXPECT_EQ(told(staff("cleo")), "409 DUPLICATE_RESOURCE") << "without a key nothing is remembered";
}

TEST_P(IdempotencyTest, TwinOfARequestThatRunsIsTurnedAwayAtOnce) {
    first_->log.hold();
    auto const running = send(*first_, keyed(staff("ada"), "key", "one"));
    first_->log.await_held();
    auto const queued = send(*first_, keyed(staff("bob"), "queued", "one"));
    auto const twin = send(*first_, keyed(staff("ada"), "key", "one"));
    auto const other = send(*first_, keyed(staff("bob"), "key", "two"));
    auto const twin_of_queued = send(*first_, keyed(staff("bob"), "queued", "one"));
    for (auto const& [call, code] :
         {std::pair(twin, "IDEMPOTENCY_IN_PROGRESS"), std::pair(other, "IDEMPOTENCY_KEY_CONFLICT"),
          std::pair(twin_of_queued, "IDEMPOTENCY_IN_PROGRESS")}) {
        ASSERT_TRUE(answered(call)) << code;
        EXPECT_EQ(std::pair((*call)->status, (*call)->body), std::pair(std::uint16_t{409}, std::string(code)));
    }
    EXPECT_FALSE(answered(running));
    first_->log.release();
    EXPECT_EQ(reply(running).status, 201);
    EXPECT_EQ(reply(queued).status, 201);
    EXPECT_EQ(told(keyed(staff("ada"), "key", "one")), "201 replayed");
}

TEST_P(IdempotencyTest, WhatTheStateDecidedIsKept) {
    EXPECT_EQ(told(keyed(deactivate(101), "missing")), "404 NOT_FOUND");
    ASSERT_EQ(told(staff("ada")), "201");  // 101
    EXPECT_EQ(told(keyed(staff("ada"), "twin")), "409 DUPLICATE_RESOURCE");
    auto stale = keyed(deactivate(101), "stale");
    stale.if_match = std::vector<std::int64_t>{7};
    EXPECT_EQ(told(stale), "412 PRECONDITION_FAILED");
    EXPECT_EQ(told(keyed(make(commands::ReactivateStaff{101}, {Kind::staff, 101}), "nothing to do")), "200");
    // What the commands met is gone by now; their answers stay.
    commands::UpdateStaff update;
    update.id = 101;
    update.email = core::Personal<core::Email>(core::Email("other@example.test"));
    ASSERT_EQ(told(make(update, {Kind::staff, 101})), "200");
    for (bool const later : {false, true}) {
        if (later) restart();
        EXPECT_EQ(told(keyed(deactivate(101), "missing")), "404 NOT_FOUND replayed");
        EXPECT_EQ(told(keyed(staff("ada"), "twin")), "409 DUPLICATE_RESOURCE replayed");
        EXPECT_EQ(told(stale), "412 PRECONDITION_FAILED replayed");
        EXPECT_EQ(told(keyed(make(commands::ReactivateStaff{101}, {Kind::staff, 101}), "nothing to do")),
                  "200 replayed");
    }
    EXPECT_EQ(count<events::CommandAnswered>(), 4U);
}

TEST_P(IdempotencyTest, WhatTheRequestAloneDecidedIsComputedAgain) {
    for (auto const& [code, text] : {std::pair(Code::validation_error, "400 VALIDATION_ERROR"),
                                     std::pair(Code::insufficient_scope, "403 INSUFFICIENT_SCOPE"),
                                     std::pair(Code::concurrent_modification, "409 CONCURRENT_MODIFICATION"),
                                     std::pair(Code::internal_error, "500 INTERNAL_ERROR")}) {
        EXPECT_EQ(told(keyed(refused_with(code), text)), text);
        EXPECT_EQ(told(keyed(refused_with(code), text)), text);
    }
    auto unread = keyed(refused_with(Code::not_found), "a body that is not valid");
    unread.store_refusal = false;
    EXPECT_EQ(told(unread), "404 NOT_FOUND");
    EXPECT_EQ(told(unread), "404 NOT_FOUND");
    EXPECT_EQ(count<events::CommandAnswered>(), 0U);
    EXPECT_EQ(told(keyed(staff("ada"), "400 VALIDATION_ERROR")), "201") << "the key is free for the corrected request";
}

TEST_P(IdempotencyTest, AnAnswerIsToldForADay) {
    auto const pass = [&](std::int64_t minutes) {
        first_->ahead_ms = minutes * 60'000;
        first_->clock.follow({{core::now().ms + first_->ahead_ms}, std::chrono::steady_clock::now()});
    };
    ASSERT_EQ(told(keyed(staff("ada"), "key")), "201");
    pass(24 * 60 - 1);
    EXPECT_EQ(told(keyed(staff("ada"), "key")), "201 replayed");
    pass(24 * 60 + 1);
    EXPECT_EQ(told(keyed(staff("ada"), "key", "another request")), "409 DUPLICATE_RESOURCE") << "decided anew";
    EXPECT_EQ(told(keyed(staff("ada"), "key", "another request")), "409 DUPLICATE_RESOURCE replayed")
        << "and kept again";
    EXPECT_EQ(count<events::StaffOnboarded>(), 1U);
}

TEST_P(IdempotencyTest, UsedKeyIsNoticedBeforeTheRequestIsRead) {
    ASSERT_EQ(told(keyed(staff("ada"), "key", "one")), "201");
    auto unread = refused_with(Code::validation_error);
    unread.store_refusal = false;
    EXPECT_EQ(told(keyed(unread, "key", "two")), "409 IDEMPOTENCY_KEY_CONFLICT");
}

}  // namespace
}  // namespace workforce::tests
