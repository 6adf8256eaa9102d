// Ends a test that hangs, and names it: the limit is one test's, for a suite may take as long as its tests go on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace workforce::tests {
namespace {

char const* const kSeconds = std::getenv("WORKFORCE_TEST_SECONDS");

/// Arms the process' alarm at the start of each test. SIGALRM's default ends the process, with what GoogleTest has
/// printed last naming the test.
class Deadline : public testing::EmptyTestEventListener {
    void OnTestStart(testing::TestInfo const&) override {
        alarm(kSeconds ? static_cast<unsigned>(std::stoul(kSeconds)) : 0);
    }
    void OnTestEnd(testing::TestInfo const&) override { alarm(0); }
};

[[maybe_unused]] bool const listens = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new Deadline);
    return true;
}();

}  // namespace
}  // namespace workforce::tests
