// What is said of a wait.
#include "core/slow_note.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

namespace workforce::core {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// What is written to standard error while it lives, readable at any time.
class NoteCapture {
   public:
    NoteCapture() : file_(std::tmpfile()), kept_(::dup(STDERR_FILENO)) { ::dup2(::fileno(file_), STDERR_FILENO); }
    ~NoteCapture() {
        ::dup2(kept_, STDERR_FILENO);
        ::close(kept_);
        std::fclose(file_);
    }
    NoteCapture(NoteCapture const&) = delete;
    NoteCapture& operator=(NoteCapture const&) = delete;
    [[nodiscard]] std::string text() const {
        std::array<char, 4096> buffer{};
        auto const size = ::pread(::fileno(file_), buffer.data(), buffer.size(), 0);
        return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    }

   private:
    std::FILE* const file_;
    int const kept_;
};

/// Standard error of so long a wait that it is told of, by its end or by an exception.
std::string told(bool thrown) {
    NoteCapture const capture;
    try {
        SlowNote const note("Kafka", milliseconds(0));
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (capture.text().empty() && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (thrown) throw std::runtime_error("away");
    } catch (std::runtime_error const&) {
        // As who starts a process does.
    }
    return capture.text();
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
