// Requests that are answered with 503: each is found in the log by its id, or counted.
#include "api/failures.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

namespace workforce::api {
namespace {

TEST(Failures, EachRequestWith503HasALineOrIsCounted) {
    constexpr int kRequests = Failures::kMostLines + 50;
    core::Metrics metrics;
    Failures failures(metrics);
    testing::internal::CaptureStderr();
    for (int i = 0; i < kRequests; ++i) {
        failures.unavailable({fmt::format("req_{}", i), "192.0.2.1", "GET /api/staff"}, core::Code::service_unavailable,
                             R"({"error":{"message":"The database is away."}})");
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
    failures.over();
    std::istringstream text(testing::internal::GetCapturedStderr());
    std::int64_t lines = 0, counted = 0;
    for (std::string line; std::getline(text, line);) {
        auto const told = nlohmann::json::parse(line);
        if (told.contains("requests")) {
            counted += told["requests"].get<std::int64_t>();
            continue;
        }
        ++lines;
        EXPECT_TRUE(told["request_id"].get<std::string>().starts_with("req_"));
        EXPECT_EQ(told["code"], "SERVICE_UNAVAILABLE");
        EXPECT_EQ(told["reason"], "The database is away.");
    }
    EXPECT_GE(lines, Failures::kMostLines);
    EXPECT_EQ(lines + counted, kRequests);
}

}  // namespace
}  // namespace workforce::api
