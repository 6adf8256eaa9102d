// What operators are told of receivers that fail, and how often.
#include "workers/webhooks/failure_log.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace workforce::workers {
namespace {

FailureLog::Clock::time_point failure_log_now;

constexpr std::string_view kSecretUrl = "https://Hooks.example.test:8443/in/s3cret?token=s3cret";

class FailureLogTest : public testing::Test {
   protected:
    FailureLogTest() { testing::internal::CaptureStderr(); }
    static void pass(std::chrono::milliseconds time) { failure_log_now += time; }
    static std::vector<nlohmann::json> lines() {
        std::istringstream text(testing::internal::GetCapturedStderr());
        testing::internal::CaptureStderr();
        std::vector<nlohmann::json> all;
        for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
        return all;
    }
    ~FailureLogTest() override { testing::internal::GetCapturedStderr(); }

    FailureLog log_{[] { return failure_log_now; }};
};

TEST_F(FailureLogTest, OneLineWhenItBeginsOneWhenItEndsAndOneWhenItIsGivenUp) {
    log_.failed(3, 7, kSecretUrl, "connect: Connection refused", 1);
    log_.recovered(3, 7, 4);
    pass(FailureLog::kEvery);
    log_.failed(3, 7, kSecretUrl, "non_2xx: the receiver answered 500", 1);
    log_.disabled(3, 7, kSecretUrl, "non_2xx: the receiver answered 500");
    auto const told = lines();
    ASSERT_EQ(told.size(), 4U);
    EXPECT_EQ(told[0].at("webhook"), 3);
    EXPECT_EQ(told[0].at("organization"), 7);
    EXPECT_EQ(told[0].at("origin"), "https://hooks.example.test:8443");
    EXPECT_EQ(told[0].at("error"), "connect: Connection refused");
    EXPECT_EQ(told[0].at("level"), "warn");
    EXPECT_EQ(told[1].at("failures"), 4);
    EXPECT_EQ(told[1].at("level"), "info");
    EXPECT_EQ(told[3].at("attempts"), 6);
    for (auto const& line : told) EXPECT_EQ(line.dump().find("s3cret"), std::string::npos) << line;
}

TEST_F(FailureLogTest, OneThatFailsAndRecoversOverAndOverIsToldOfNowAndThen) {
    for (int i = 0; i < 100; ++i) {
        log_.failed(3, 7, kSecretUrl, "timeout: no answer", 1);
        log_.recovered(3, 7, 1);
        pass(std::chrono::seconds(1));
    }
    EXPECT_EQ(lines().size(), 2U);
    log_.failed(3, 7, kSecretUrl, "timeout: no answer", 1);
    pass(FailureLog::kEvery);
    EXPECT_EQ(lines().size(), 0U);
    log_.failed(3, 7, kSecretUrl, "timeout: no answer", 2);
    log_.failed(3, 7, kSecretUrl, "timeout: no answer", 3);
    EXPECT_EQ(lines().size(), 1U) << "one that goes on failing is told of in the end";
}

TEST_F(FailureLogTest, WhereAllFailAtOnceTheRestIsCounted) {
    for (int webhook = 1; webhook <= 1000; ++webhook) log_.failed(webhook, 7, kSecretUrl, "dns: no address", 1);
    EXPECT_EQ(lines().size(), static_cast<std::size_t>(FailureLog::kMostLines));
    pass(FailureLog::kWindow);
    log_.recovered(1, 7, 9);
    auto const told = lines();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].at("untold"), 1000 - FailureLog::kMostLines);
}

TEST_F(FailureLogTest, WhatAnotherProcessToldOfIsNotToldAgain) {
    log_.failed(3, 7, kSecretUrl, "timeout: no answer", 2);
    EXPECT_EQ(lines().size(), 0U);
    log_.recovered(3, 7, 2);
    EXPECT_EQ(lines().size(), 1U);
}

}  // namespace
}  // namespace workforce::workers
