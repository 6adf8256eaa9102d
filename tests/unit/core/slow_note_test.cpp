// What is said of a wait.
#include "core/slow_note.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace workforce::core {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// Standard error of so long a wait that it is told of, by its end or by an exception.
std::string told(bool thrown) {
    std::string text;
    testing::internal::CaptureStderr();
    try {
        SlowNote const note("Kafka", milliseconds(0));
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (text.find("waiting") == std::string::npos && std::chrono::steady_clock::now() < deadline) {
            text += testing::internal::GetCapturedStderr();
            testing::internal::CaptureStderr();
        }
        if (thrown) throw std::runtime_error("away");
    } catch (std::runtime_error const&) {
    }
    return text + testing::internal::GetCapturedStderr();
}

TEST(SlowNote, SaysOnceWhatIsWaitedForAndOnceThatItGoesOn) {
    auto const text = told(false);
    EXPECT_NE(text.find(R"("msg":"waiting","for":"Kafka")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("msg":"going on","after":"Kafka")"), std::string::npos) << text;
}

TEST(SlowNote, AnEndByAnExceptionIsTheExceptionsToTell) {
    auto const text = told(true);
    EXPECT_NE(text.find("waiting"), std::string::npos);
    EXPECT_EQ(text.find("going on"), std::string::npos) << text;
}

TEST(SlowNote, AShortWaitIsNotSpokenOf) {
    testing::internal::CaptureStderr();
    {
        SlowNote const note("Kafka", hours(1));
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace workforce::core
