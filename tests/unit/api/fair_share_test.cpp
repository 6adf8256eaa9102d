// Places of an organization: as many as it may have, given back, and nobody else's.
#include "api/fair_share.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace workforce::api {
namespace {

TEST(FairShare, IsEachOrganizationsOwn) {
    FairShare share(2);
    std::vector<FairShare::Place> places;
    for (int i = 0; i < 2; ++i) {
        auto place = share.enter(7, false);
        ASSERT_TRUE(place);
        places.push_back(*std::move(place));
    }
    EXPECT_FALSE(share.enter(7, false));
    EXPECT_TRUE(share.enter(8, false));
    EXPECT_TRUE(share.enter(7, true)) << "a sandbox has its own";
    EXPECT_EQ(share.refused(), 1U);
    places.pop_back();
    EXPECT_TRUE(share.enter(7, false));
    EXPECT_TRUE(share.enter(7, false)) << "the one before gave its place back";
}

}  // namespace
}  // namespace workforce::api
