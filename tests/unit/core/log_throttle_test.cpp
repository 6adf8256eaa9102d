// Lines about trouble that many meet at once.
#include "core/log_throttle.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace workforce::core {
namespace {

LogThrottle::Clock::time_point now_of_test;

class LogThrottleTest : public testing::Test {
   protected:
    LogThrottleTest() { testing::internal::CaptureStderr(); }
    static void pass(std::chrono::milliseconds time) { now_of_test += time; }
    static std::vector<std::string> messages() {
        std::istringstream text(testing::internal::GetCapturedStderr());
        std::vector<std::string> all;
        for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line).at("msg"));
        return all;
    }
    LogThrottle throttle_{"it is away", [] { return now_of_test; }};
};

TEST_F(LogThrottleTest, OneLineAtTheBeginningOneEachTenSecondsOneAtTheEnd) {
    throttle_.over();
    for (int i = 0; i < 1000; ++i) throttle_.met(Level::warn, {{"request_id", i}});
    pass(LogThrottle::kEvery);
    throttle_.met(Level::warn);
    pass(LogThrottle::kCalm);
    throttle_.over();
    throttle_.over();
    EXPECT_EQ(messages(), (std::vector<std::string>{"it is away", "it is away: 1000 more", "it is away: over"}));
}

TEST_F(LogThrottleTest, WhatComesAndGoesIsOneTrouble) {
    for (int i = 0; i < 10; ++i) {
        throttle_.met(Level::warn);
        pass(std::chrono::milliseconds(100));
        throttle_.over();
    }
    pass(LogThrottle::kCalm);
    throttle_.over();
    throttle_.met(Level::warn);
    EXPECT_EQ(messages(), (std::vector<std::string>{"it is away", "it is away: over", "it is away"}));
}

}  // namespace
}  // namespace workforce::core
