// Refusals where somebody outside did not answer.
#include "operations/provider_call.hpp"

#include <gtest/gtest.h>

namespace workforce::operations {
namespace {

core::Problem told_of(net::ClientFault fault) {
    return unanswered_problem("The registry x", workers::unanswered({.sent = true, .kind = fault, .reason = "why"}));
}

TEST(UnansweredProblem, TellsWhetherTimeWasOver) {
    auto const late = told_of(net::ClientFault::timeout);
    EXPECT_EQ(late.code, core::Code::upstream_timeout);
    EXPECT_EQ(late.message, "The registry x did not answer in time.");
    using enum net::ClientFault;
    for (auto const fault : {dns, blocked_address, connect, tls, broken, stopped}) {
        auto const failed = told_of(fault);
        EXPECT_EQ(failed.code, core::Code::upstream_error);
        EXPECT_EQ(failed.message, "The registry x did not answer as it should.");
    }
    EXPECT_EQ(workers::unanswered({.reason = "why"}).reason, "why");
}

TEST(UnansweredProblem, MayBeAskedAgainEitherWay) {
    EXPECT_TRUE(core::info(core::Code::upstream_error).retryable);
    EXPECT_TRUE(core::info(core::Code::upstream_timeout).retryable);
}

}  // namespace
}  // namespace workforce::operations
