// What was sent is sent again when somebody asks, and what became of it stands there once.
#include "tests/integration/workers/webhooks/fan_out_fixture.hpp"

namespace workforce::tests {
namespace {

class WebhookReplayTest : public WebhookFanOutTest {};

TEST_F(WebhookReplayTest, AnAttemptIsMadeAgainWhenAsked) {
    record_starts();
    subscribe(1, webhook_created({"shift_posted"}));
    post(51);
    react();
    auto const first = due();
    auto const ids = send_all(true);
    ASSERT_EQ(ids.size(), 1U);
    writer_.append(Kind::webhook, 1, events::WebhookDisabled{"max_retries_exceeded", "x", first[0].event_id, 0});
    writer_.append(Kind::webhook, 1, events::WebhookRedelivered{ids[0], 9000, first[0].event_id});
    writer_.append(Kind::webhook, 1, events::WebhookRedelivered{12345, 9001, first[0].event_id});  // of no attempt
    react();
    react();
    EXPECT_EQ(deliveries(), "1 shift_posted manual") << "of one that is inactive, too";
    auto const again = due();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].id, 9000);
    EXPECT_EQ(again[0].event_id, first[0].event_id);
    EXPECT_EQ(again[0].body->bytes, first[0].body->bytes);
    writer_.append(Kind::webhook, 1, events::WebhookDeleted{});
    react();
    EXPECT_EQ(deliveries(), "") << "one that is gone gets nothing";
}

TEST_F(WebhookReplayTest, AnAttemptIsMadeAgainWhileItsTypeMayBeRead) {
    record_starts();
    writer_.meta.actor = {events::ActorType::user, 3, 3};
    subscribe(1, webhook_created({"*"}));
    qualify(9);
    react();
    auto const first = due();
    auto const id = send_all(true).at(0);
    auto const redelivered = [&](core::Id again) {
        writer_.append(Kind::webhook, 1, events::WebhookRedelivered{id, again, first.at(0).event_id});
        react();
        return deliveries();
    };
    events::UserUpdated role;
    role.role = events::Role::scheduler;
    writer_.append(Kind::user, 3, role);
    EXPECT_EQ(redelivered(9000), "");
    EXPECT_EQ(ask("SELECT concat_ws(' ', event_type, attempt, trigger, status, split_part(error, ':', 1))"
                  " FROM ops.webhook_attempt WHERE id = 9000 AND attempted_at IS NULL"),
              "lead_qualified 1 manual abandoned not_readable");
    role.role = events::Role::sales_rep;
    writer_.append(Kind::user, 3, role);
    EXPECT_EQ(redelivered(9001), "1 lead_qualified manual");
}

TEST_F(WebhookReplayTest, ATimeIsReplayedAsFarAsItIsTheirs) {
    record_starts();
    subscribe(1, webhook_created({"shift_posted", "shift_filled"}));
    auto bound = webhook_created({"*"}, {"shift_posted", "lead_qualified"});
    bound.facilityId = 2;
    subscribe(2, bound);
    post(51, 1);
    post(52, 2);
    fill(51);
    qualify(9);
    react();
    send_all(true);
    EXPECT_EQ(deliveries(), "");
    auto const replayed = [&](core::Id webhook, Types wanted) {
        replay(webhook, std::move(wanted));
        react();
        auto text = deliveries();
        send_all(true);
        return text;
    };
    EXPECT_EQ(replayed(1, {}), "1 shift_posted manual, 1 shift_posted manual, 1 shift_filled manual");
    EXPECT_EQ(replayed(1, {"shift_filled", "lead_qualified"}), "1 shift_filled manual");
    EXPECT_EQ(replayed(2, {}), "2 shift_posted manual") << "of its facility";
    EXPECT_EQ(replayed(1, {"lead_qualified"}), "");
    auto writes = session();
    workers::ReplayFilter filter;
    filter.webhook = 1;
    filter.organization = 7;
    filter.until = {4'000'000'000'000};
    filter.types = {"shift_posted", "shift_filled"};
    EXPECT_EQ(workers::count_replay(writes, filter), 3);
    filter.types = {"*"};
    EXPECT_EQ(workers::count_replay(writes, filter), 4);
    filter.facility = 2;
    EXPECT_EQ(workers::count_replay(writes, filter), 1);
    filter.organization = 8;
    EXPECT_EQ(workers::count_replay(writes, filter), 0);
}

TEST_F(WebhookReplayTest, WhoeverIsBoundToFacilitiesByNowIsSentTheseAlone) {
    record_starts();
    writer_.meta.actor = {events::ActorType::user, 3, 3};
    subscribe(1, webhook_created({"*"}));
    post(51, 1);
    post(52, 2);
    qualify(9);
    react();
    auto const first = due();
    auto const ids = send_all(true);
    ASSERT_EQ(ids.size(), 3U);
    events::UserUpdated bound;
    bound.facilityIds = std::vector<core::Id>{2};
    writer_.append(Kind::user, 3, bound);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        auto const again = static_cast<core::Id>(9000 + i);
        writer_.append(Kind::webhook, 1, events::WebhookRedelivered{ids[i], again, first[i].event_id});
    }
    react();
    EXPECT_EQ(ask("SELECT string_agg(id::text, ' ') FROM reactor.webhook_delivery"), "9001");
    EXPECT_EQ(ask("SELECT string_agg(id || ' ' || split_part(error, ':', 1), ', ' ORDER BY id)"
                  " FROM ops.webhook_attempt WHERE status = 'abandoned'"),
              "9000 not_readable, 9002 not_readable");
    send_all(true);
    replay(1);
    react();
    EXPECT_EQ(ask("SELECT string_agg(array_to_string(b.facility_ids, '+'), ' ') FROM reactor.webhook_delivery d"
                  " JOIN ops.webhook_body b ON b.event_id = d.event_id"),
              "2");
    auto writes = session();
    workers::ReplayFilter filter{.webhook = 1, .organization = 7, .until = {4'000'000'000'000}, .types = {"*"}};
    EXPECT_EQ(workers::count_replay(writes, filter), 3);
    filter.facilities = {2};
    EXPECT_EQ(workers::count_replay(writes, filter), 1);
}

TEST_F(WebhookReplayTest, OnlyWhatFailedLastIsReplayedWhereThatIsAsked) {
    record_starts();
    subscribe(1, webhook_created({"shift_posted"}));
    post(51);
    react();
    send_all(true);
    post(52);
    react();
    send_all(false);
    post(53);
    react();
    send_all(false);
    auto const third = ask("SELECT event_id FROM ops.webhook_attempt ORDER BY id DESC LIMIT 1");
    replay(1, {}, true);
    react();
    EXPECT_EQ(deliveries(), "1 shift_posted manual, 1 shift_posted manual");
    send_all(true);
    replay(1, {}, true);
    react();
    EXPECT_EQ(deliveries(), "") << "their last attempts succeeded";
    post(54);
    react();
    writer_.append(Kind::webhook, 1, switched_off());  // abandons it
    replay(1, {}, true);
    react();
    EXPECT_EQ(deliveries(), "1 shift_posted manual");
    EXPECT_NE(ask("SELECT event_id FROM reactor.webhook_delivery"), third);
}

TEST_F(WebhookReplayTest, WhatWasAbandonedUnderWayIsRecordedOnce) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    post(51);
    react();
    auto under_way = due();
    ASSERT_EQ(under_way.size(), 1U);
    writer_.append(Kind::webhook, 1, switched_off());
    react();
    EXPECT_EQ(ask("SELECT status FROM ops.webhook_attempt"), "abandoned");
    auto writes = session();
    auto const now = workers::database_time(writes);
    workers::AttemptRecord record{.delivery = under_way[0], .status = "failed"};
    record.at = now;
    record.next = core::Timestamp{now.ms + 30'000};
    workers::record_attempts(writes, kMe, std::vector{record}, {}, now);
    EXPECT_EQ(ask("SELECT string_agg(status, ' ') FROM ops.webhook_attempt"), "failed") << "for it was made";
    EXPECT_EQ(deliveries(), "") << "and is not made again";
    EXPECT_EQ(ask("SELECT count(next_retry_at) FROM ops.webhook_attempt"), "0") << "nor is that said";
}

TEST_F(WebhookReplayTest, ALateFailureReplacesNoSuccess) {
    record_starts();
    subscribe(1, webhook_created({"*"}));
    post(51);
    react();
    auto const under_way = due();
    ASSERT_EQ(under_way.size(), 1U);
    auto writes = session();
    auto const now = workers::database_time(writes);
    workers::AttemptRecord record{.delivery = under_way[0], .status = "succeeded"};
    record.at = now;
    EXPECT_EQ(workers::record_attempts(writes, kMe, std::vector{record}, {}, now).gone, std::set<core::Id>{});
    record.status = "failed";  // of a process that has lost its lease meanwhile
    record.next = core::Timestamp{now.ms + 30'000};
    EXPECT_EQ(workers::record_attempts(writes, kMe, std::vector{record}, {}, now).gone,
              std::set<core::Id>{record.delivery.id});
    EXPECT_EQ(ask("SELECT string_agg(status, ' ') FROM ops.webhook_attempt"), "succeeded");
    EXPECT_EQ(deliveries(), "");
}

}  // namespace
}  // namespace workforce::tests
