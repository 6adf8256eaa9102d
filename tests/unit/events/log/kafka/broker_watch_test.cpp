// Lines about brokers that are away.
#include "events/log/kafka/broker_watch.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "core/outage.hpp"

namespace workforce::events::kafka {
namespace {

using std::chrono::seconds;

BrokerWatch::Clock::time_point watch_now;

class BrokerWatchTest : public testing::Test {
   protected:
    BrokerWatchTest() { testing::internal::CaptureStderr(); }
    static std::vector<nlohmann::json> lines() {
        std::istringstream text(testing::internal::GetCapturedStderr());
        std::vector<nlohmann::json> all;
        for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
        return all;
    }
    void see(int up, int blocked = 0) {
        watch_.answered(watch_now, ClusterView{.known = 3, .up = up, .blocked = blocked, .partitions = 4}, "refused");
        watch_now += seconds(1);
    }
    BrokerWatch watch_{false, [] { return watch_now; }};
};

TEST_F(BrokerWatchTest, OneLineForBrokersAwayAndOneForTheirReturn) {
    for (int i = 0; i < 5; ++i) see(3);
    for (int i = 0; i < 5; ++i) see(2);
    for (int i = 0; i < 5; ++i) see(3);
    auto const all = lines();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].at("msg"), "1 of 3 Kafka brokers are away");
    EXPECT_EQ(all[0].at("level"), "warn");
    EXPECT_EQ(all[0].at("means"), "writes go on");
    EXPECT_EQ(all[0].at("error"), "refused");
    EXPECT_EQ(all[1].at("msg"), "all 3 Kafka brokers are back");
    EXPECT_EQ(all[1].at("after_seconds"), 5);
}

TEST_F(BrokerWatchTest, TooFewReplicasAreALineOfTheirOwn) {
    see(2);
    see(1, 4);
    see(1, 4);
    auto const all = lines();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].at("msg"), "2 of 3 Kafka brokers are away");
    EXPECT_EQ(all[1].at("means"), "writes are answered with 503: too few replicas; reads go on");
}

TEST_F(BrokerWatchTest, TheLineIsRepeatedNowAndThen) {
    for (int i = 0; i < 2 * BrokerWatch::kRepeat.count(); ++i) see(2);
    EXPECT_EQ(lines().size(), 2U);
}

TEST_F(BrokerWatchTest, QuestionsWithoutAnswerLeaveNoneUp) {
    see(3);
    watch_.unanswered(watch_now, "", false);
    EXPECT_EQ(watch_.view()->up, 3);
    watch_.unanswered(watch_now, "", false);
    EXPECT_EQ(watch_.view()->up, 0);
    EXPECT_EQ(watch_.view()->blocked, 4);
    see(3);
    EXPECT_EQ(watch_.view()->up, 3);
    EXPECT_EQ(lines().size(), 0U) << "core::broker_outage() tells, in services alone";
    core::broker_outage().answered(core::Outage::Clock::now());
}

TEST_F(BrokerWatchTest, ABrokerThatThisProcessAloneDoesNotReachIsTold) {
    ClusterView const whole{.known = 3, .up = 3, .blocked = 0, .partitions = 4};
    watch_.answered(watch_now, whole, "", "kafka-2: refused");
    watch_.answered(watch_now, whole, "", "kafka-2: refused");
    auto const all = lines();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].at("msg"), "a Kafka broker of the cluster can't be reached from this process");
    EXPECT_EQ(all[0].at("error"), "kafka-2: refused");
}

TEST_F(BrokerWatchTest, CommandsHaveNoLines) {
    BrokerWatch quiet(true, [] { return watch_now; });
    quiet.answered(watch_now, ClusterView{.known = 3, .up = 1, .blocked = 4, .partitions = 4}, "refused");
    EXPECT_EQ(quiet.view()->up, 1);
    EXPECT_EQ(lines().size(), 0U);
}

}  // namespace
}  // namespace workforce::events::kafka
