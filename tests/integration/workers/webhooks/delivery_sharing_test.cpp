// Whose turn it is: receivers share an engine, engines share subscriptions; pauses, faults and ends lose nothing.
#include "tests/integration/workers/webhooks/engine_fixture.hpp"
#include "workers/engine/standing.hpp"

namespace workforce::tests {
namespace {

TEST_F(DeliveryEngineTest, ItRestsWhereNothingIsDueUntilItIsCalled) {
    auto const webhook = subscribe("/in");
    auto const engine = start("one", {.pause = std::chrono::milliseconds(500), .rest = std::chrono::hours(1)});
    ASSERT_TRUE(eventually([&] { return engine->looks == 1; }));
    engine->look_soon();  // by somebody who had nothing
    ASSERT_TRUE(eventually([&] { return engine->looks == 2; }));
    deliver(webhook);
    engine->look_soon();  // within the pause as a rule, in which it does not ask the database again
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.received("/in"), 1U);
}

TEST_F(DeliveryEngineTest, FourOfASubscriptionAreUnderWayAndOneAfterAFailure) {
    auto const well = subscribe("/well");
    auto const failing = subscribe("/failing");
    ask("UPDATE reactor.webhook_queue SET consecutive_failures = 1 WHERE webhook_id = " + std::to_string(failing) +
        " RETURNING 1");
    receiver_.hold("/well");
    receiver_.hold("/failing");
    deliver({well, failing}, 12);
    auto const engine = start();
    ASSERT_TRUE(
        eventually([&] { return receiver_.at("/well").at_once == 4 && receiver_.at("/failing").at_once == 1; }));
    ASSERT_TRUE(looked(*engine));
    receiver_.answer_with("/failing", 500);
    receiver_.release_all();
    ASSERT_TRUE(eventually([&] { return ask("SELECT count(*) FROM ops.webhook_attempt") == "24"; }));
    EXPECT_EQ(receiver_.at("/well").most_at_once, 4);
    EXPECT_EQ(receiver_.at("/failing").most_at_once, 1);
    EXPECT_EQ(pending(), "12") << "to be tried again";
    receiver_.answer_with("/failing", 200);
    ahead_ms_ += 60'000;
    ASSERT_TRUE(settled(*engine));
    for (auto const& [event, times] : receiver_.events()) EXPECT_EQ(times, event.starts_with("/failing") ? 2 : 1);
}

TEST_F(DeliveryEngineTest, ToAReceiverThatFailsRetriesGoBeforeFirstAttempts) {
    auto const webhook = subscribe("/failing");
    receiver_.answer_with("/failing", 500);
    ask("UPDATE reactor.webhook_queue SET consecutive_failures = 1 RETURNING 1");
    deliver(webhook, 10);
    deliver({webhook}, 3, "retry", 2);  // due after these
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return ask("SELECT count(*) FROM ops.webhook_attempt") == "13"; }));
    std::string order;
    for (auto const& request : receiver_.at("/failing").received)
        order += request.header("X-Service-Retry").value_or("1");
    EXPECT_EQ(order, "2221111111111");
}

TEST_F(DeliveryEngineTest, AReceiverThatIsSlowDelaysNoOther) {
    auto const slow = subscribe("/slow");
    receiver_.hold("/slow");
    deliver(slow, 200);
    std::vector<Id> fast;
    for (int i = 0; i < 99; ++i) fast.push_back(subscribe("/fast/" + std::to_string(i)));
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return receiver_.received("/slow") == 4; }));
    deliver(fast, 4);
    ASSERT_TRUE(eventually([&] {
        return ask("SELECT count(*) FROM ops.webhook_attempt WHERE status = 'succeeded'") == "396";
    })) << "all of these, while the slow one has not answered once";
    receiver_.release_all();
}

TEST_F(DeliveryEngineTest, RetriesToTheDeadDelayNoFreshEvent) {
    std::vector<Id> dead;
    for (int i = 0; i < 1000; ++i) {
        auto const path = "/dead/" + std::to_string(i);
        dead.push_back(subscribe(path));
        receiver_.hold(path);
    }
    ask("UPDATE reactor.webhook_queue SET consecutive_failures = 1 RETURNING 1");
    deliver(dead, 100, "retry", 2);
    auto const fresh = subscribe("/fresh");
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return engine->stats().under_way >= 1000; }));
    deliver(fresh, 50);
    // One after the other to each of the dead they would take a quarter of an hour.
    ASSERT_TRUE(
        eventually([&] { return ask("SELECT count(*) FROM ops.webhook_attempt WHERE status = 'succeeded'") == "50"; }));
    EXPECT_EQ(receiver_.received("/fresh"), 50U);
    EXPECT_EQ(ask("SELECT count(*) >= 100000 FROM reactor.webhook_delivery"), "t") << "none of the dead had an end";
    for (auto const webhook : {0, 500, 999}) {
        EXPECT_EQ(receiver_.at("/dead/" + std::to_string(webhook)).most_at_once, 1);
    }
    receiver_.release_all();
}

TEST_F(DeliveryEngineTest, OfAReceiverThatFailsLittleWaitsInMemory) {
    auto const webhook = subscribe("/failing");
    receiver_.answer_with("/failing", 500);
    receiver_.hold("/failing");
    deliver(webhook, 8);
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return receiver_.received("/failing") == 4; }));
    ask("DELETE FROM reactor.webhook_delivery RETURNING 1");  // so that no more is sent than is in memory
    receiver_.release_all();
    ASSERT_TRUE(eventually([&] { return queue(webhook, "owner").empty(); }));
    EXPECT_EQ(receiver_.received("/failing"), 6U) << "four that were under way, and two";
}

TEST_F(DeliveryEngineTest, APauseHoldsWhatIsDue) {
    auto const webhook = subscribe("/in");
    core::Connection operators(workers::reactor_session({.url = database_.url()}));
    auto const engine = start();
    deliver(webhook);
    ASSERT_TRUE(settled(*engine));
    ASSERT_TRUE(workers::pause(operators, "webhooks", "Op", "a look"));
    deliver(webhook, 3);
    ASSERT_TRUE(looked(*engine));
    EXPECT_EQ(engine->stats().under_way, 0);
    EXPECT_EQ(receiver_.received("/in"), 1U);
    ASSERT_TRUE(workers::resume(operators, "webhooks"));
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.received("/in"), 4U);
}

TEST_F(DeliveryEngineTest, APauseGivesBackWhatIsDue) {
    auto const webhook = subscribe("/in");
    core::Connection operators(workers::reactor_session({.url = database_.url()}));
    receiver_.hold("/in");
    deliver(webhook, 10);
    auto const engine = start();
    ASSERT_TRUE(eventually([&] { return receiver_.received("/in") == 4; }));
    ASSERT_TRUE(workers::pause(operators, "webhooks", "Op", "a look"));
    ASSERT_TRUE(looked(*engine));
    receiver_.hold("/in", false);
    ASSERT_TRUE(eventually([&] { return queue(webhook, "owner").empty(); }));
    EXPECT_EQ(pending(), "6");
    EXPECT_EQ(attempts(), "succeeded succeeded succeeded succeeded") << "what was under way ended";
    ASSERT_TRUE(workers::resume(operators, "webhooks"));
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.received("/in"), 10U);
}

TEST_F(DeliveryEngineTest, WhatCouldNotBeRecordedIsRecordedLaterAndNotSentAgain) {
    statement_timeout_ = std::chrono::milliseconds(300);
    auto const webhook = subscribe("/in");
    auto const engine = start();
    core::Connection holder({.url = database_.url()});
    holder.transaction([&] {
        holder.execute_sql("LOCK TABLE ops.webhook_attempt IN ACCESS EXCLUSIVE MODE");
        deliver(webhook, 3);
        EXPECT_TRUE(eventually([&] { return receiver_.received("/in") == 3; }));
        auto const failures = engine->database.stats().failures;
        EXPECT_TRUE(eventually([&] { return engine->database.stats().failures >= failures + 2; }));
        EXPECT_EQ(pending(), "3");
    });
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.received("/in"), 3U);
    EXPECT_EQ(attempts(), "succeeded succeeded succeeded");
}

TEST_F(DeliveryEngineTest, LostSessionsLoseNoRecordAndSendNothingTwice) {
    std::vector<Id> webhooks;
    for (int i = 0; i < 10; ++i) webhooks.push_back(subscribe("/" + std::to_string(i)));
    auto const engine = start();
    for (int i = 0; i < 4; ++i) {
        deliver(webhooks, 10);
        auto const sent = static_cast<std::size_t>(i) * 100 + 20;
        ASSERT_TRUE(eventually([&] { return receiver_.events().size() >= sent; }));
        ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'engine one'");
    }
    ASSERT_TRUE(settled(*engine));
    EXPECT_EQ(receiver_.events().size(), 400U);
    for (auto const& [event, times] : receiver_.events()) EXPECT_EQ(times, 1) << event;
    EXPECT_EQ(ask("SELECT count(*) || ' ' || count(DISTINCT id) FROM ops.webhook_attempt"), "400 400");
}

TEST_F(DeliveryEngineTest, AStopAwaitsWhatIsUnderWayAndGivesTheRestBack) {
    auto const webhook = subscribe("/in");
    receiver_.hold("/in");
    auto const engine = start();
    deliver(webhook, 10);
    ASSERT_TRUE(eventually([&] { return receiver_.received("/in") == 4; }));
    engine->ask_to_stop();
    receiver_.release_all();
    ASSERT_TRUE(eventually([&] { return engine->returned(); }));
    EXPECT_EQ(attempts(), "succeeded succeeded succeeded succeeded");
    EXPECT_EQ(pending(), "6");
    EXPECT_EQ(queue(webhook, "owner || '/' || leased_until::text"), "/-infinity");
    EXPECT_NE(queue(webhook, "last_delivery_at"), "");
    auto const next = start("two");
    ASSERT_TRUE(settled(*next));
    EXPECT_EQ(receiver_.events().size(), 10U);
    for (auto const& [event, times] : receiver_.events()) EXPECT_EQ(times, 1) << event;
}

TEST_F(DeliveryEngineTest, TwoShareSubscriptions) {
    ask("INSERT INTO ops.process (owner, role, admin_url, expires_at) SELECT o, 'workers', '', now() + interval '1 "
        "hour'"
        " FROM unnest('{one,two}'::text[]) AS o RETURNING 1");
    std::vector<Id> webhooks;
    for (int i = 0; i < 20; ++i) webhooks.push_back(subscribe("/" + std::to_string(i)));
    auto const one = start("one");
    auto const two = start("two");
    ASSERT_TRUE(looked(*one));
    ASSERT_TRUE(looked(*two));
    std::size_t events = 0;
    ASSERT_TRUE(eventually([&] {
        deliver(webhooks, 2);
        events += 40;
        return settled(*one) && settled(*two) && one->stats().succeeded > 0 && two->stats().succeeded > 0;
    }));
    EXPECT_EQ(one->stats().succeeded + two->stats().succeeded, events);
    EXPECT_EQ(receiver_.events().size(), events);
    for (auto const& [event, times] : receiver_.events()) EXPECT_EQ(times, 1) << event;
}

TEST_F(DeliveryEngineTest, WhatADeadProcessHadIsAnothersOnceItsLeasesEnd) {
    std::vector<Id> webhooks;
    for (int i = 0; i < 20; ++i) {
        auto const path = "/" + std::to_string(i);
        webhooks.push_back(subscribe(path));
        receiver_.hold(path);
    }
    auto const one = start("one");
    deliver(webhooks, 6);
    ASSERT_TRUE(eventually([&] { return receiver_.events().size() == 80; }));
    one->drop();
    ask("UPDATE reactor.webhook_queue SET leased_until = now() + interval '1 hour' RETURNING 1");
    receiver_.release_all();
    auto const two = start("two");
    ASSERT_TRUE(looked(*two));
    EXPECT_EQ(two->stats().under_way, 0);
    EXPECT_EQ(receiver_.events().size(), 80U) << "they are another's";
    ask("UPDATE reactor.webhook_queue SET leased_until = now() - interval '1 second' RETURNING 1");
    ASSERT_TRUE(settled(*two));
    EXPECT_EQ(receiver_.events().size(), 120U);
    int again = 0;
    for (auto const& [event, times] : receiver_.events()) {
        EXPECT_LE(times, 2) << event;
        again += times - 1;
    }
    EXPECT_EQ(again, 80) << "what was under way, four of each subscription, and nothing else";
    EXPECT_EQ(ask("SELECT count(*) FROM ops.webhook_attempt WHERE status = 'succeeded'"), "120");
}

TEST_F(DeliveryEngineTest, WhoLostALeaseSendsNothingMoreOfIt) {
    auto const webhook = subscribe("/in");
    receiver_.hold("/in");
    auto const one = start("one");
    deliver(webhook, 8);
    ASSERT_TRUE(eventually([&] { return receiver_.received("/in") == 4; }));
    ask("UPDATE reactor.webhook_queue SET owner = 'another', leased_until = now() + interval '1 hour' RETURNING 1");
    ASSERT_TRUE(eventually([&] { return one->stats().queues == 0; })) << "it notices when it renews";
    receiver_.release_all();
    ASSERT_TRUE(eventually([&] { return ask("SELECT count(*) FROM ops.webhook_attempt") == "4"; }));
    ASSERT_TRUE(looked(*one));
    EXPECT_EQ(receiver_.received("/in"), 4U);
    EXPECT_EQ(pending(), "4");
    EXPECT_EQ(queue(webhook, "owner"), "another");
}

}  // namespace
}  // namespace workforce::tests
