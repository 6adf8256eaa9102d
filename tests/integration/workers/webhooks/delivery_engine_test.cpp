// What the delivery engine sends over a real database to real receivers, how it records it, and when it gives up.
#include "workers/webhooks/delivery_engine.hpp"

#include <set>

#include "projections/webhooks/webhooks.hpp"
#include "tests/integration/workers/webhooks/engine_fixture.hpp"
#include "workers/webhooks/schedule.hpp"

namespace workforce::tests {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

std::string hmac_header(std::string const& secret, std::string_view body) {
    auto const key = "whsec_" + core::base64_encode(secret);
    return "sha256=" + core::hex_encode(core::bytes(core::hmac_sha256(key, body)));
}

TEST_F(DeliveryEngineTest, SendsWhatWasFannedOutOnceAndRecordsIt) {
    std::vector<Id> webhooks;
    for (int i = 0; i < 30; ++i) webhooks.push_back(subscribe("/" + std::to_string(i)));
    auto const engine = start();
    for (int i = 0; i < 5; ++i) deliver(webhooks, 4);
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.events().size(), 600U);
    for (auto const& [event, times] : receiver_.events()) EXPECT_EQ(times, 1) << event;
    EXPECT_EQ(ask("SELECT count(*) || ' ' || count(DISTINCT id) FROM ops.webhook_attempt WHERE status = 'succeeded'"
                  " AND status_code = 200 AND response_body = 'thanks' AND attempt = 1 AND trigger = 'event'"
                  " AND error IS NULL AND next_retry_at IS NULL"),
              "600 600");
    EXPECT_TRUE(eventually([&] {
        return ask("SELECT count(*) FROM reactor.webhook_queue WHERE owner = '' AND next_due IS NULL"
                   " AND last_delivery_at IS NOT NULL") == "30";
    })) << "queues are given back";
    EXPECT_EQ(engine->stats().succeeded, 600U);
}

TEST_F(DeliveryEngineTest, ARequestIsAsDocumented) {
    auto const webhook = subscribe("/in");
    auto const engine = start();
    auto const event = deliver(webhook)[0];
    ASSERT_TRUE(settled(*engine));
    auto const request = receiver_.at("/in").received.at(0);
    EXPECT_EQ(request.method_name, "POST");
    EXPECT_EQ(request.body, "{\"id\":\"" + event + "\"}");
    EXPECT_EQ(request.header("Content-Type"), "application/json");
    EXPECT_EQ(request.header("User-Agent"), "Service-Webhooks/1");
    EXPECT_EQ(request.header("X-Service-Event"), "shift_posted");
    EXPECT_EQ(request.header("X-Service-Delivery"), ask("SELECT id FROM ops.webhook_attempt"));
    EXPECT_EQ(request.header("X-Service-Correlation"), "req_1");
    EXPECT_EQ(request.header("X-Service-Retry"), std::nullopt);
    EXPECT_EQ(request.header("webhook-id"), event);
    EXPECT_EQ(request.header("X-Service-Signature"), hmac_header("first" + std::to_string(webhook), request.body));
    EXPECT_EQ(request.header("X-Service-Signature-Next"), std::nullopt);
}

TEST_F(DeliveryEngineTest, SixAttemptsAreMadeByTheScheduleThenItIsGivenUp) {
    auto const webhook = subscribe("/dead");
    receiver_.answer_with("/dead", 500);
    auto const event = deliver(webhook)[0];
    auto const engine = start();
    for (int attempt = 1; attempt <= workers::kMostAttempts; ++attempt) {
        auto const recorded = std::to_string(attempt);
        ASSERT_TRUE(eventually([&] { return ask("SELECT count(*) FROM ops.webhook_attempt") == recorded; })) << attempt;
        auto const request = receiver_.at("/dead").received.back();
        EXPECT_EQ(request.header("webhook-id"), event);
        EXPECT_EQ(request.body, "{\"id\":\"" + event + "\"}");
        EXPECT_EQ(request.header("X-Service-Retry").value_or("1"), recorded);
        auto const row = " FROM ops.webhook_attempt WHERE attempt = " + recorded;
        EXPECT_EQ(ask("SELECT id" + row), request.header("X-Service-Delivery"));
        EXPECT_EQ(ask("SELECT status || ' ' || status_code || ' ' || error || ' ' || trigger" + row),
                  std::string("failed 500 non_2xx: the receiver answered 500 ") + (attempt == 1 ? "event" : "retry"));
        if (attempt == workers::kMostAttempts) break;
        auto const planned =
            std::stoll(ask("SELECT round(extract(epoch FROM next_retry_at - attempted_at) * 1000)::bigint" + row));
        auto const after_failure = planned - std::stoll(ask("SELECT duration_ms" + row));
        auto const delay = workers::retry_delay(attempt, 0).count();
        EXPECT_GE(after_failure, delay);
        EXPECT_LE(after_failure, workers::retry_delay(attempt, 1).count());
        EXPECT_EQ(queue(webhook, "consecutive_failures"), recorded);
        ahead_ms_ += delay / 2;
        ASSERT_TRUE(looked(*engine));
        EXPECT_EQ(receiver_.received("/dead"), static_cast<std::size_t>(attempt)) << "before its time";
        ahead_ms_ += planned - delay / 2 + 1;
    }
    EXPECT_EQ(ask("SELECT count(next_retry_at) FROM ops.webhook_attempt"), "5");
    ASSERT_TRUE(settled(*engine));
    auto const requests = asked();
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].verb, "webhooks.disable");
    EXPECT_EQ(requests[0].id, webhook);
    EXPECT_EQ(requests[0].organization, kOrganization);
    EXPECT_FALSE(requests[0].sandbox);
    EXPECT_EQ(requests[0].body,
              R"({"reason":"max_retries_exceeded","lastError":"non_2xx: the receiver answered 500","eventId":")" +
                  event + "\"}");
    EXPECT_NE(requests[0].key.find(event), std::string::npos);
    ahead_ms_ += 24 * kHourMs;
    ASSERT_TRUE(looked(*engine));
    EXPECT_EQ(receiver_.received("/dead"), 6U);
    EXPECT_EQ(asked().size(), 1U);
    EXPECT_EQ(engine->stats().under_way, 0);
}

TEST_F(DeliveryEngineTest, NothingMoreIsSentWhileItIsBeingGivenUp) {
    auto const webhook = subscribe("/dead");
    receiver_.answer_with("/dead", 500);
    hold_requests_ = true;
    deliver({webhook}, 1, "retry", 6);
    deliver(webhook, 5);
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return asked().size() == 1 && engine->stats().under_way == 1; }));
    ahead_ms_ += 1000;
    ASSERT_TRUE(looked(*engine));
    EXPECT_EQ(asked().size(), 1U) << "the first request is still under way";
    projections::Scope const scope{.organization = kOrganization};
    for (auto const& each :
         await(projections::newest_deliveries(secret_sessions_, scope, webhook, std::nullopt, 100))) {
        EXPECT_LE(each.attempt, workers::kMostAttempts) << "no seventh is to come";
    }
    auto const sent = receiver_.received("/dead");
    EXPECT_LE(sent, 4U) << "those beside it may have been under way";
    hold_requests_ = false;
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.received("/dead"), sent);
    EXPECT_EQ(asked().size(), 1U);
}

TEST_F(DeliveryEngineTest, ItIsAskedForAgainUntilItsEventIsFolded) {
    auto const webhook = subscribe("/dead");
    receiver_.answer_with("/dead", 500);
    fold_requests_ = false;
    deliver({webhook}, 1, "retry", 6);
    auto engine = start();
    ASSERT_TRUE(eventually([&] { return asked().size() >= 2; }));
    deliver(webhook, 3);
    ASSERT_TRUE(eventually([&] { return asked().size() >= 4; }));
    EXPECT_EQ(receiver_.received("/dead"), 1U) << "nothing is sent to what is given up";
    engine->drop();  // and by who has it next, for what it failed by stands in the database
    ask("UPDATE reactor.webhook_queue SET leased_until = now() - interval '1 second' RETURNING 1");
    fold_requests_ = true;
    engine = start("another");
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.received("/dead"), 1U);
    std::set<std::string> keys;
    for (auto const& request : asked()) {
        keys.insert(request.key);
        EXPECT_NE(request.body.find(R"("lastError":"non_2xx: the receiver answered 500")"), std::string::npos);
    }
    EXPECT_EQ(keys.size(), 1U) << "all of it is done once";
}

TEST_F(DeliveryEngineTest, AFetchThatTakesLongSendsNothingToWhatIsGivenUp) {
    auto const webhook = subscribe("/dead");
    receiver_.answer_with("/dead", 500);
    fold_requests_ = false;
    deliver({webhook}, 1, "retry", 6);
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return asked().size() == 1; }));
    hold_requests_ = true;
    ASSERT_TRUE(eventually([&] { return asked().size() >= 2; }));
    auto const before = asked().size();
    deliver(webhook, 3);
    core::Connection other({.url = database_.url()});
    other.transaction([&] {
        other.execute_sql("LOCK TABLE reactor.webhook_delivery IN ACCESS EXCLUSIVE MODE");
        ASSERT_TRUE(eventually([&] {
            return ask("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                       " AND wait_event_type = 'Lock' AND query LIKE '-- What is due by%'") != "0";
        })) << "a fetch that began while it was being given up waits";
        hold_requests_ = false;
        ASSERT_TRUE(eventually([&] { return engine->stats().under_way == 0; }));
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));  // past the second in which its event is awaited
    });
    ASSERT_TRUE(eventually([&] { return asked().size() > before; }));
    EXPECT_EQ(receiver_.received("/dead"), 1U);
}

TEST_F(DeliveryEngineTest, TheLastFailureOfWhatIsNoLongerDueDisablesNothing) {
    auto const webhook = subscribe("/dead");
    receiver_.answer_with("/dead", 500);
    receiver_.hold("/dead");
    deliver({webhook}, 1, "retry", 6);
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return receiver_.received("/dead") == 1; }));
    ask("DELETE FROM reactor.webhook_delivery RETURNING 1");  // it was abandoned, or another process sent it
    receiver_.release_all();
    ASSERT_TRUE(eventually([&] { return attempts() == "failed"; }));
    receiver_.answer_with("/dead", 200);
    deliver(webhook);
    ASSERT_TRUE(settled(*engine)) << "nor does it hold what comes after it";
    EXPECT_TRUE(asked().empty());
}

TEST_F(DeliveryEngineTest, ASuccessResetsFailures) {
    auto const webhook = subscribe("/in");
    ask("UPDATE reactor.webhook_queue SET consecutive_failures = 3 RETURNING 1");
    deliver({webhook}, 1, "retry", 4);
    auto const engine = start();
    ASSERT_TRUE(settled(*engine));
    EXPECT_TRUE(eventually([&] { return queue(webhook, "consecutive_failures") == "0"; }));
    EXPECT_EQ(attempts(), "succeeded");
}

TEST_F(DeliveryEngineTest, TellsWhatFailsAndWhatWasGivenUp) {
    auto const dead = subscribe("/dead"), failing = subscribe("/failing");
    subscribe("/in");
    receiver_.answer_with("/dead", 500);
    receiver_.answer_with("/failing", 500);
    fold_requests_ = false;  // so that it is asked for more than once
    testing::internal::CaptureStderr();
    deliver({dead}, 1, "retry", workers::kMostAttempts);
    deliver(failing);
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return asked().size() >= 2 && queue(failing, "consecutive_failures") == "1"; }));
    EXPECT_EQ(engine->stats().disabled, 1U);
    receiver_.answer_with("/failing", 200);
    deliver(failing);
    ASSERT_TRUE(eventually([&] { return queue(failing, "consecutive_failures") == "0"; }));
    engine->stop();
    auto const text = testing::internal::GetCapturedStderr();
    auto const times = [&](std::string_view message) {
        int count = 0;
        for (auto at = text.find(message); at != std::string::npos; at = text.find(message, at + 1)) ++count;
        return count;
    };
    EXPECT_EQ(times("\"a webhook subscription fails"), 2) << text;
    EXPECT_EQ(times("a webhook subscription takes deliveries again"), 1) << text;
    EXPECT_EQ(times("a webhook subscription is disabled"), 1) << text;
    EXPECT_EQ(text.find("/dead"), std::string::npos) << text;
    ask("UPDATE reactor.webhook_queue SET consecutive_failures = 3 RETURNING 1");
    ask("UPDATE reactor.webhook_subscription SET is_active = false, doc = (doc::jsonb || jsonb_build_object('metadata',"
        " jsonb_build_object('disabledReason', 'max_retries_exceeded'))) WHERE webhook_id = " +
        std::to_string(dead) + " RETURNING 1");
    core::Connection writes({.url = database_.url(), .role = "workforce_writer"});
    auto const troubled = workers::count_troubled(writes);
    EXPECT_EQ(troubled.failing, 2);
    EXPECT_EQ(troubled.disabled, 1);
}

TEST_F(DeliveryEngineTest, WhatSomebodyHadSentAgainIsOneAttempt) {
    auto const webhook = subscribe("/dead");
    receiver_.answer_with("/dead", 503);
    ask("UPDATE reactor.webhook_subscription SET is_active = false RETURNING 1");
    deliver({webhook}, 1, "manual");
    auto const engine = start();
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(attempts(), "failed");
    EXPECT_EQ(ask("SELECT count(next_retry_at) FROM ops.webhook_attempt"), "0");
    EXPECT_EQ(queue(webhook, "consecutive_failures"), "0");
    EXPECT_TRUE(asked().empty());
}

TEST_F(DeliveryEngineTest, WhomItToldOfWasForgotten) {
    auto const webhook = subscribe("/in");
    deliver(webhook);
    ask("UPDATE ops.webhook_body SET person = 'staff/4' RETURNING 1");  // whose key there is none of
    auto const engine = start();
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.received("/in"), 0U);
    EXPECT_EQ(ask("SELECT status || ' ' || error FROM ops.webhook_attempt"),
              "abandoned erased: whom it told of was forgotten");
    EXPECT_EQ(queue(webhook, "consecutive_failures"), "0");
}

TEST_F(DeliveryEngineTest, WhatCannotBeReadWaitsAlone) {
    auto const spoilt = subscribe("/spoilt"), sound = subscribe("/in");
    auto const of_spoilt = " WHERE webhook_id = " + std::to_string(spoilt);
    auto const secret = ask("SELECT encode(sealed, 'hex') FROM auth.signing_secret" + of_spoilt);
    ask("UPDATE auth.signing_secret SET sealed = '\\x00'" + of_spoilt + " RETURNING 1");
    auto const event = deliver(sound)[0];
    keyring_.key_to_seal("staff/9");  // under which the body is not sealed
    ask("UPDATE ops.webhook_body SET person = 'staff/9' RETURNING 1");
    deliver({spoilt, sound});
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return receiver_.received("/in") == 1; }));
    ASSERT_TRUE(looked(*engine));
    EXPECT_EQ(attempts(), "succeeded") << "of what can't be read nothing is an attempt";
    ask("UPDATE ops.webhook_body SET person = NULL WHERE event_id = '" + event + "' RETURNING 1");
    ask("UPDATE auth.signing_secret SET sealed = decode('" + secret + "', 'hex')" + of_spoilt + " RETURNING 1");
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.received("/in"), 2U);
    EXPECT_EQ(receiver_.received("/spoilt"), 1U);
}

TEST_F(DeliveryEngineTest, ReceiversThatAreNotThereFailByTheirKind) {
    auto const webhook = subscribe("/in");
    events::WebhookRecord record;
    record.id = webhook;
    record.url = "http://127.0.0.1:1/";
    record.internals.secret = put_secret(webhook, "x");
    keep(record);
    deliver(webhook);
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return attempts() == "failed"; }));
    EXPECT_EQ(ask("SELECT error LIKE 'connect: %' AND status_code IS NULL FROM ops.webhook_attempt"), "t");
    record.url = "http://10.0.0.1/";
    keep(record);
    ahead_ms_ += 60'000;
    ASSERT_TRUE(eventually([&] { return attempts() == "failed failed"; }));
    EXPECT_EQ(ask("SELECT split_part(error, ':', 1) FROM ops.webhook_attempt WHERE attempt = 2"), "blocked_address");
}

TEST_F(DeliveryEngineTest, ASecretTakesOverAtItsTime) {
    auto const webhook = subscribe("/in");
    events::WebhookRecord record;
    record.id = webhook;
    record.url = receiver_.url("/in");
    record.internals.secret = put_secret(webhook, "old");
    record.internals.nextSecret = put_secret(webhook, "new");
    record.internals.activatesAt = {core::now().ms + kHourMs};
    keep(record);
    auto const engine = start();
    deliver(webhook);
    ASSERT_TRUE(settled(*engine));
    ahead_ms_ += 2 * kHourMs;
    ASSERT_TRUE(looked(*engine));
    deliver(webhook);
    ASSERT_TRUE(settled(*engine));
    auto const received = receiver_.at("/in").received;
    ASSERT_EQ(received.size(), 2U);
    EXPECT_EQ(received[0].header("X-Service-Signature"), hmac_header("old", received[0].body));
    EXPECT_EQ(received[0].header("X-Service-Signature-Next"), hmac_header("new", received[0].body));
    EXPECT_NE(received[0].header("webhook-signature")->find(" v1,"), std::string::npos);
    EXPECT_EQ(received[1].header("X-Service-Signature"), hmac_header("new", received[1].body));
    EXPECT_EQ(received[1].header("X-Service-Signature-Next"), std::nullopt);
    EXPECT_EQ(received[1].header("webhook-signature")->find(' '), std::string::npos);
}

TEST_F(DeliveryEngineTest, WhatWaitsInMemoryIsReadAgainOnceItsSubscriptionChanged) {
    auto const webhook = subscribe("/in");
    receiver_.hold("/in");
    deliver(webhook, 8);
    deliver({webhook}, 1, "manual");
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return receiver_.received("/in") == 4; }));
    events::WebhookRecord record;
    record.id = webhook;
    record.url = receiver_.url("/elsewhere");
    record.internals.secret = put_secret(webhook, "second");
    // As the fan-out does it: what is not under way is abandoned, but for what somebody asked for.
    ask("DELETE FROM reactor.webhook_delivery WHERE trigger <> 'manual' AND id NOT IN ("
        "SELECT id FROM reactor.webhook_delivery ORDER BY due_at, id LIMIT 4) RETURNING 1");
    keep(record);
    ASSERT_TRUE(looked(*engine));
    receiver_.release_all();
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.received("/in"), 4U) << "those that were under way";
    auto const received = receiver_.at("/elsewhere").received;
    ASSERT_EQ(received.size(), 1U) << "what was abandoned is not sent";
    EXPECT_EQ(received[0].header("X-Service-Signature"), hmac_header("second", received[0].body));
}

}  // namespace
}  // namespace workforce::tests
