// The layout of UUIDv7, and that ids of one process are unique and ascend.
#include "core/ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

namespace workforce::core {
namespace {

TEST(Uuid, HasTheLayoutOfRfc9562) {
    // The moment of the example in RFC 9562, appendix A.6.
    for (int i = 0; i < 1000; ++i) {
        std::string const id = uuid_v7(Timestamp{0x017F22E279B0});
        ASSERT_EQ(id.size(), 36U);
        EXPECT_EQ(id.substr(0, 15), "017f22e2-79b0-7");
        EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos) << id;
        for (std::size_t at = 0; at < id.size(); ++at) {
            bool const hyphen = at == 8 || at == 13 || at == 18 || at == 23;
            ASSERT_TRUE(hyphen ? id[at] == '-' : std::string("0123456789abcdef").find(id[at]) != std::string::npos)
                << id;
        }
    }
    EXPECT_EQ(uuid_v7(Timestamp{-5}).substr(0, 15), "00000000-0000-7");
}

TEST(Uuid, AscendWithinAMillisecondAndAcross) {
    std::string last;
    for (std::int64_t ms = 1'784'887'200'000; ms < 1'784'887'200'010; ++ms) {
        for (int i = 0; i < 20'000; ++i) {
            std::string id = uuid_v7(Timestamp{ms});
            ASSERT_LT(last, id);
            last = std::move(id);
        }
    }
}

TEST(Uuid, AscendAlsoWhenAMillisecondIsUsedUp) {
    std::string last;
    Timestamp const moment{1'800'000'000'000};
    bool borrowed = false;
    for (int i = 0; i < 1'200'000; ++i) {
        std::string id = uuid_v7(moment);
        ASSERT_LT(last, id);
        borrowed = borrowed || id.substr(0, 13) != last.substr(0, 13);
        last = std::move(id);
    }
    EXPECT_TRUE(borrowed);
    EXPECT_LT(last, uuid_v7(Timestamp{moment.ms + 10}));
}

TEST(Uuid, AMomentInThePastKeepsItsTime) {
    uuid_v7(Timestamp{1'900'000'000'000});
    EXPECT_EQ(uuid_v7(Timestamp{0x017F22E279B0}).substr(0, 13), "017f22e2-79b0");
}

TEST(Uuid, UniqueAcrossThreads) {
    std::vector<std::vector<std::string>> made(4);
    {
        std::vector<std::jthread> threads;
        for (auto& ids : made) {
            threads.emplace_back([&ids] {
                for (int i = 0; i < 20'000; ++i) ids.push_back(uuid_v7(Timestamp{1'784'887'200'000}));
            });
        }
    }
    std::set<std::string> all;
    for (auto const& ids : made) {
        EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
        all.insert(ids.begin(), ids.end());
    }
    EXPECT_EQ(all.size(), 80'000U);
}

TEST(RequestId, IsAUuidOfNow) {
    Timestamp const before = now();
    std::string const id = request_id();
    ASSERT_EQ(id.size(), 40U);
    EXPECT_EQ(id.substr(0, 4), "req_");
    std::int64_t const ms = std::stoll(id.substr(4, 8) + id.substr(13, 4), nullptr, 16);
    EXPECT_GE(ms, before.ms);
    EXPECT_LE(ms, now().ms + 2);
}

}  // namespace
}  // namespace workforce::core
