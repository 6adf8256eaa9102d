// Frames of streams: kept for a while, by the role that the service has.
#include "api/mcp/frame_store.hpp"

#include <gtest/gtest.h>

#include "core/connection.hpp"
#include "core/session_pool.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

TEST(FrameStoreTest, OldStreamsAreDeletedWithTheirFrames) {
    TestDatabase test_database;
    core::Connection owner({.url = test_database.url()});
    core::ConnectionOptions const writer{.url = test_database.url(), .role = "workforce_writer"};
    core::Database writes({.connection = writer, .threads = 1});
    api::mcp::FrameStore store(writes, "this", {});
    for (auto const* id : {"old", "young"}) {
        await(store.append({.id = id, .holder = "api_key/1", .request = "1"},
                           {.seq = 1, .data = "{}", .is_final = true}));
    }
    owner.execute_sql("UPDATE ops.mcp_stream SET created_at = now() - interval '11 minutes' WHERE id = 'old'");
    core::SessionPool sessions(writer, 1);
    api::mcp::prune_streams(sessions);
    auto const left = owner.execute_sql(
        "SELECT s.id, count(*) FROM ops.mcp_stream s JOIN ops.mcp_frame f ON f.stream_id = s.id GROUP BY 1");
    ASSERT_EQ(left.size(), 1u);
    EXPECT_STREQ(left[0][0].c_str(), "young");
    EXPECT_EQ(owner.execute_sql("SELECT FROM ops.mcp_frame").size(), 1u);
}

/// A store for a process that does not live, with its database.
struct Stored {
    TestDatabase test_database;
    core::Database writes{{.connection = {.url = test_database.url(), .role = "workforce_writer"}, .threads = 1}};
    api::mcp::FrameStore store{writes, "dead", {.authenticated = 400'000}};
    api::mcp::StreamName const stream{
        .id = "st_a", .holder = "api_key/1", .request = "7", .owner = net::holder_of(core::Lane(1, false))};

    auto read(std::int64_t after, std::size_t bytes = 1 << 20) {
        return await(store.read(stream.id, stream.holder, after, bytes));
    }
};

TEST(FrameStoreTest, AStreamIsFoundBeforeItsFirstFrame) {
    Stored all;
    await(all.store.append(all.stream, {}));
    EXPECT_FALSE(await(all.store.read("st_a", "api_key/2", 0, 1 << 20)));
    // Nobody makes frames any more: it ends with one that says so.
    auto const read = all.read(0);
    ASSERT_TRUE(read);
    EXPECT_FALSE(read->goes_on);
    ASSERT_EQ(read->frames.size(), 1u);
    EXPECT_EQ(read->frames.front().seq, 1);
    EXPECT_TRUE(read->frames.front().is_final);
    EXPECT_NE(read->frames.front().data.find(R"("id":7)"), std::string::npos);
}

TEST(FrameStoreTest, AFrameOfNoStreamLeavesTheOthersAlone) {
    Stored all;
    await(all.store.append(all.stream, {}));
    await(all.store.append({.id = "st_gone", .holder = "api_key/1", .request = "1"},
                           {.seq = 2, .data = "{}", .is_final = true}));
    await(all.store.append(all.stream, {.seq = 1, .data = "{}", .is_final = true}));
    EXPECT_FALSE(await(all.store.read("st_gone", "api_key/1", 0, 1 << 20)));
    EXPECT_EQ(all.read(0)->frames.size(), 1u);
}

TEST(FrameStoreTest, APageHasNoMoreBytesThanThereIsRoomFor) {
    Stored all;
    for (std::int64_t seq = 1; seq <= 3; ++seq) {
        EXPECT_TRUE(await(all.store.append(all.stream, {seq, std::string(5'000, 'x'), seq == 3})));
    }
    auto const some = all.read(0, 10'000);
    ASSERT_EQ(some->frames.size(), 2u);
    EXPECT_TRUE(some->goes_on);
    auto const none = all.read(2, 4'999);
    EXPECT_TRUE(none->frames.empty());
    EXPECT_TRUE(none->goes_on) << "it ended, and the end was not read";
    EXPECT_EQ(none->next_bytes, 5'000u);
    auto const rest = all.read(2, 5'000);
    ASSERT_EQ(rest->frames.size(), 1u);
    EXPECT_FALSE(rest->goes_on);
}

TEST(FrameStoreTest, LargeFramesAreKeptWithinABudget) {
    Stored all;
    auto const large = std::string(150'000, 'x');
    EXPECT_TRUE(await(all.store.append(all.stream, {1, large, false})));
    EXPECT_EQ(all.store.kept(), 150'000u);
    EXPECT_FALSE(await(all.store.append(all.stream, {2, large, false})));
    EXPECT_TRUE(await(all.store.append(all.stream, {2, "{}", false}))) << "small ones count for nobody";
    EXPECT_FALSE(await(all.store.append(all.stream, {3, large, true})));
    auto const read = all.read(0);
    ASSERT_EQ(read->frames.size(), 3u);
    EXPECT_TRUE(read->frames.back().is_final);
    EXPECT_NE(read->frames.back().data.find("was not kept"), std::string::npos);
    EXPECT_NE(read->frames.back().data.find(R"("id":7)"), std::string::npos);
    auto other = all.stream;
    other.id = "st_b";
    other.owner = net::holder_of(core::Lane(2, false));
    EXPECT_TRUE(await(all.store.append(other, {1, std::string(100'000, 'x'), true}))) << "of another organization";
}

}  // namespace
}  // namespace workforce::tests
