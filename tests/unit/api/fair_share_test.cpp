// Places of a holder: as many as it may have, given back, and nobody else's.
#include "api/fair_share.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace workforce::api {
namespace {

using Lane = std::pair<int, bool>;

TEST(FairShare, IsEachHoldersOwn) {
    FairShare<Lane> share(2);
    std::vector<FairShare<Lane>::Place> places;
    for (int i = 0; i < 2; ++i) {
        auto place = share.enter({7, false});
        ASSERT_TRUE(place);
        places.push_back(*std::move(place));
    }
    EXPECT_EQ(share.enter({7, false}).error(), Full::holder);
    EXPECT_TRUE(share.enter({8, false}));
    EXPECT_TRUE(share.enter({7, true})) << "a sandbox has its own";
    EXPECT_EQ(share.refused(), 1U);
    places.pop_back();
    EXPECT_EQ(share.used(), 1U);
    EXPECT_TRUE(share.enter({7, false}));
    EXPECT_TRUE(share.enter({7, false})) << "the one before gave its place back";
}

TEST(FairShare, AllTogetherHaveABoundToo) {
    FairShare<int> share(2, 3);
    auto first = share.enter(1);
    auto const second = share.enter(1);
    auto const third = share.enter(2);
    ASSERT_TRUE(first && second && third);
    EXPECT_EQ(share.enter(3).error(), Full::all);
    EXPECT_EQ(share.used(), 3U);
    {
        auto const given_back = *std::move(first);
    }
    EXPECT_TRUE(share.enter(3));
}

}  // namespace
}  // namespace workforce::api
