// Log lines as a JSON parser reads them.
#include "core/logging.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <vector>

#include "core/time.hpp"

namespace workforce::core {
namespace {

/// What is written to standard error while it lives, line by line.
class Capture {
   public:
    Capture() { testing::internal::CaptureStderr(); }
    std::vector<nlohmann::json> lines() {
        std::istringstream text(testing::internal::GetCapturedStderr());
        std::vector<nlohmann::json> result;
        for (std::string line; std::getline(text, line);) result.push_back(nlohmann::json::parse(line));
        return result;
    }
};

TEST(Logging, FieldsKeepTheirTypes) {
    Capture capture;
    log(Level::warn, "slow", {{"route", "GET /x"}, {"ms", 17}, {"share", 0.25}, {"ok", false}, {"big", INT64_MIN}});
    auto const lines = capture.lines();
    ASSERT_EQ(lines.size(), 1U);
    auto const& line = lines[0];
    EXPECT_TRUE(parse_timestamp(line.at("ts").get<std::string>()));
    EXPECT_EQ(line.at("level"), "warn");
    EXPECT_EQ(line.at("msg"), "slow");
    EXPECT_EQ(line.at("route"), "GET /x");
    EXPECT_EQ(line.at("ms"), 17);
    EXPECT_EQ(line.at("share"), 0.25);
    EXPECT_EQ(line.at("ok"), false);
    EXPECT_EQ(line.at("big"), INT64_MIN);
}

TEST(Logging, TextIsEscaped) {
    std::string all;
    for (int c = 0; c < 0x80; ++c) all += static_cast<char>(c);
    all += "é€😀";
    Capture capture;
    log(Level::error, all, {{"key \"quoted\"", all}});
    auto const lines = capture.lines();
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].at("msg"), all);
    EXPECT_EQ(lines[0].at("key \"quoted\""), all);
}

TEST(Logging, WhatJsonCannotHoldIsReplaced) {
    Capture capture;
    log(Level::info, "a\xff\xc3z\xed\xa0\x80", {{"nan", std::numeric_limits<double>::quiet_NaN()}});
    auto const lines = capture.lines();
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].at("msg"), "a\uFFFD\uFFFDz\uFFFD\uFFFD\uFFFD");
    EXPECT_TRUE(lines[0].at("nan").is_null());
}

TEST(Logging, LinesBelowTheLevelAreDropped) {
    Capture capture;
    log(Level::debug, "hidden");
    set_log_level(Level::error);
    log(Level::warn, "hidden too");
    log(Level::error, "shown");
    set_log_level(Level::debug);
    log(Level::debug, "shown now");
    set_log_level(Level::info);
    auto const lines = capture.lines();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("msg"), "shown");
    EXPECT_EQ(lines[1].at("msg"), "shown now");
}

TEST(Logging, ThreadsDoNotMixTheirLines) {
    Capture capture;
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([thread] {
                for (int i = 0; i < 200; ++i) log(Level::info, std::string(300, 'x'), {{"thread", thread}});
            });
        }
    }
    EXPECT_EQ(capture.lines().size(), 800U);
}

TEST(Logging, LevelNames) {
    for (auto const level : {Level::debug, Level::info, Level::warn, Level::error}) {
        EXPECT_EQ(parse_level(to_string(level)), level);
    }
    EXPECT_EQ(parse_level("INFO"), std::nullopt);
}

}  // namespace
}  // namespace workforce::core
