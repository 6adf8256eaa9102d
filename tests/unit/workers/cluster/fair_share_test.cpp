// Fair shares: everybody computes the same, shares are even, and even ones stay as they are.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "workers/cluster/lease_keeper.hpp"

namespace workforce::tests {
namespace {

using Counts = std::vector<std::pair<std::string, int>>;

/// The shares of all, in the order given.
std::vector<int> shares(Counts const& counts, int partitions) {
    std::vector<int> all;
    for (auto const& [name, count] : counts) all.push_back(workers::fair_share(counts, name, partitions));
    return all;
}

TEST(FairShareTest, IsEvenAndComplete) {
    for (int partitions = 1; partitions <= 9; ++partitions) {
        for (int processes = 1; processes <= 5; ++processes) {
            Counts counts;
            for (int i = 0; i < processes; ++i) counts.emplace_back("p" + std::to_string(i), i == 1 ? partitions : 0);
            int sum = 0;
            for (int const share : shares(counts, partitions)) {
                EXPECT_GE(share, partitions / processes);
                EXPECT_LE(share, (partitions + processes - 1) / processes);
                sum += share;
            }
            EXPECT_EQ(sum, partitions) << partitions << " over " << processes;
        }
    }
}

TEST(FairShareTest, NothingMovesWhereItIsEven) {
    EXPECT_EQ(shares({{"a", 1}, {"b", 2}, {"c", 1}}, 4), (std::vector{1, 2, 1}));
    EXPECT_EQ(shares({{"a", 0}, {"b", 1}}, 1), (std::vector{0, 1}));
    EXPECT_EQ(shares({{"b", 2}, {"a", 2}}, 4), (std::vector{2, 2}));
}

TEST(FairShareTest, AThirdGetsItsPartFromOneOfTwo) {
    EXPECT_EQ(shares({{"a", 2}, {"b", 2}, {"c", 0}}, 4), (std::vector{2, 1, 1}));
}

TEST(FairShareTest, WhoIsNotCountedHasNone) { EXPECT_EQ(workers::fair_share({{"a", 2}}, "b", 4), 0); }

}  // namespace
}  // namespace workforce::tests
