// Lines about trouble that many meet at once.
#include "core/burst.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace workforce::core {
namespace {

Burst::Clock::time_point now_of_test;

class BurstTest : public testing::Test {
   protected:
    BurstTest() { testing::internal::CaptureStderr(); }
    static void pass(std::chrono::milliseconds time) { now_of_test += time; }
    static std::vector<std::string> messages() {
        std::istringstream text(testing::internal::GetCapturedStderr());
        std::vector<std::string> all;
        for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line).at("msg"));
        return all;
    }
    Burst burst_{"it is away", [] { return now_of_test; }};
};

TEST_F(BurstTest, OneLineAtTheBeginningOneEachTenSecondsOneAtTheEnd) {
    burst_.over();
    for (int i = 0; i < 1000; ++i) burst_.met(Level::warn, {{"request_id", i}});
    pass(Burst::kEvery);
    burst_.met(Level::warn);
    pass(Burst::kCalm);
    burst_.over();
    burst_.over();
    EXPECT_EQ(messages(), (std::vector<std::string>{"it is away", "it is away: 1000 more", "it is away: over"}));
}

TEST_F(BurstTest, WhatComesAndGoesIsOneTrouble) {
    for (int i = 0; i < 10; ++i) {
        burst_.met(Level::warn);
        pass(std::chrono::milliseconds(100));
        burst_.over();
    }
    pass(Burst::kCalm);
    burst_.over();
    burst_.met(Level::warn);
    EXPECT_EQ(messages(), (std::vector<std::string>{"it is away", "it is away: over", "it is away"}));
}

}  // namespace
}  // namespace workforce::core
