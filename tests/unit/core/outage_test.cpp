// Lines about a server that can't be reached.
#include "core/outage.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace workforce::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Outage::Clock::time_point outage_now;

class OutageTest : public testing::Test {
   protected:
    OutageTest() {
        outage_now += std::chrono::hours(1);
        outage_.announce(true);
        testing::internal::CaptureStderr();
    }
    static void pass(milliseconds time) { outage_now += time; }
    static std::vector<nlohmann::json> lines() {
        std::istringstream text(testing::internal::GetCapturedStderr());
        std::vector<nlohmann::json> all;
        for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
        return all;
    }
    static std::vector<std::string> messages() {
        std::vector<std::string> all;
        for (auto const& line : lines()) all.push_back(line.at("msg"));
        return all;
    }
    void fail() { outage_.failed("refused", outage_now); }
    void answer() { outage_.answered(outage_now); }

    Outage outage_{{.begins = "away", .lasts = "still away", .ends = "back", .lost = "lost some", .means = "503"},
                   [] { return outage_now; }};
};

TEST_F(OutageTest, OneLineAtTheBeginningOneEachMinuteOneAtTheEnd) {
    for (int i = 0; i < 90; ++i) {
        fail();
        pass(seconds(1));
    }
    EXPECT_TRUE(outage_.known());
    answer();
    answer();
    auto const all = lines();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].at("msg"), "away");
    EXPECT_EQ(all[0].at("level"), "error");
    EXPECT_EQ(all[0].at("means"), "503");
    EXPECT_EQ(all[0].at("error"), "refused");
    EXPECT_TRUE(all[0].contains("since"));
    EXPECT_EQ(all[1].at("msg"), "still away");
    EXPECT_EQ(all[1].at("seconds"), 60);
    EXPECT_EQ(all[2].at("msg"), "back");
    EXPECT_EQ(all[2].at("level"), "info");
    EXPECT_EQ(all[2].at("after_seconds"), 90);
}

TEST_F(OutageTest, ExplainsWhatFailsDuringItAndJustAfter) {
    EXPECT_FALSE(outage_.known());
    fail();
    EXPECT_TRUE(outage_.known());
    pass(seconds(20));
    EXPECT_TRUE(outage_.known());
    answer();
    EXPECT_TRUE(outage_.known());
    pass(Outage::kAfter);
    EXPECT_FALSE(outage_.known());
    lines();
}

TEST_F(OutageTest, AnAnswerToAnEarlierQuestionDoesNotEndIt) {
    auto const before = outage_now;
    pass(seconds(1));
    fail();
    outage_.answered(before);
    EXPECT_EQ(messages(), std::vector<std::string>{"away"});
}

TEST_F(OutageTest, AnEarlierQuestionThatFailsLateBeginsNone) {
    fail();
    auto const during = outage_now;
    pass(seconds(1));
    answer();
    pass(seconds(20));
    outage_.failed("no answer", during);
    EXPECT_EQ(messages(), (std::vector<std::string>{"away", "back"}));
}

TEST_F(OutageTest, ABrokenConnectionAloneIsNone) {
    auto const opened = outage_now;
    pass(seconds(5));
    outage_.broke("ended by the administrator", opened);
    outage_.broke("ended by the administrator", opened);
    EXPECT_TRUE(outage_.known());  // it may be one: the next attempt tells
    pass(milliseconds(100));
    answer();
    auto const all = lines();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].at("msg"), "lost some");
    EXPECT_EQ(all[0].at("connections"), 2);
}

TEST_F(OutageTest, AnAnswerThatWasUnderWayDoesNotEndADoubt) {
    auto const before = outage_now;
    pass(milliseconds(10));
    outage_.broke("broken", before);
    outage_.answered(before);
    EXPECT_TRUE(outage_.known());
    fail();
    EXPECT_EQ(messages(), std::vector<std::string>{"away"});
}

TEST_F(OutageTest, ADoubtThatAnAnswerEndsIsNoLine) {
    outage_.doubt();
    EXPECT_TRUE(outage_.known());
    pass(seconds(1));
    answer();
    pass(Outage::kAfter);
    EXPECT_FALSE(outage_.known());
    EXPECT_EQ(messages(), std::vector<std::string>());
}

TEST_F(OutageTest, ADoubtThatNothingConfirmsPasses) {
    outage_.broke("broken", outage_now);
    pass(Outage::kDoubt);
    EXPECT_FALSE(outage_.known());
    lines();
}

TEST_F(OutageTest, ConnectionsThatBrokeInItHaveNoLineOfTheirOwn) {
    auto const opened = outage_now;
    pass(seconds(1));
    outage_.broke("broken", opened);
    fail();
    pass(seconds(5));
    answer();
    pass(seconds(5));
    outage_.broke("broken", opened);  // its user notices only now
    EXPECT_FALSE(outage_.troubled());
    EXPECT_EQ(messages(), (std::vector<std::string>{"away", "back"}));
}

TEST_F(OutageTest, ComingAndGoingIsAFewLines) {
    for (int i = 0; i < 50; ++i) {  // 10 s
        fail();
        pass(milliseconds(100));
        answer();
        pass(milliseconds(100));
    }
    EXPECT_LE(lines().size(), 4U);
}

TEST_F(OutageTest, ACommandSaysByItselfWhatFailed) {
    outage_.announce(false);
    fail();
    EXPECT_FALSE(outage_.known());
    answer();
    EXPECT_EQ(messages(), std::vector<std::string>());
}

}  // namespace
}  // namespace workforce::core
