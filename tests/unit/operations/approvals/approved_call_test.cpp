// How often a call that was approved is made.
#include <gtest/gtest.h>

#include "operations/approvals/approve.hpp"

namespace workforce::operations {
namespace {

constexpr std::int64_t kEarly = 1;
constexpr std::int64_t kLate = 100;

Outcome refused_with(core::Code code) { return {.status = core::info(code).status, .refused = code}; }

TEST(ApprovedCall, IsMadeAgainAfterWhatPasses) {
    using enum core::Code;
    for (auto const code : {service_unavailable, log_unavailable, read_model_behind, rate_limited,
                            idempotency_in_progress, concurrent_modification}) {
        EXPECT_TRUE(is_made_again(refused_with(code), kEarly)) << core::info(code).name;
        EXPECT_TRUE(is_made_again(refused_with(code), kLate)) << core::info(code).name;
    }
}

TEST(ApprovedCall, IsMadeOnceWhateverIsSaidOfIt) {
    using enum core::Code;
    for (auto const code :
         {upstream_error, upstream_timeout, not_found, forbidden, guardrail_blocked, validation_error}) {
        EXPECT_FALSE(is_made_again(refused_with(code), kEarly)) << core::info(code).name;
    }
    EXPECT_FALSE(is_made_again(Outcome{}, kEarly));
    EXPECT_FALSE(is_made_again(Outcome{.status = 404, .replayed = true}, kEarly)) << "a refusal that is told again";
}

TEST(ApprovedCall, IsMadeSomeTimesWhereTheServiceFails) {
    auto const failed = refused_with(core::Code::internal_error);
    EXPECT_TRUE(is_made_again(failed, kEarly));
    EXPECT_FALSE(is_made_again(failed, kLate));
}

TEST(ApprovedCall, IsAskedForAgainUntilWhoeverIsOutsideHasSaidWhatComesOfIt) {
    EXPECT_TRUE(is_made_again(Outcome{.unsettled = true}, kEarly));
    EXPECT_FALSE(is_made_again(Outcome{.unsettled = true}, kLate)) << "it stands as the run tells it then";
}

}  // namespace
}  // namespace workforce::operations
