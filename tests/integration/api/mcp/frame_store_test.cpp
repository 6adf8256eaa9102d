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
    api::mcp::FrameStore store(writes, "this");
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
    api::mcp::FrameStore store{writes, "dead"};
    api::mcp::StreamName const stream{.id = "st_a", .holder = "api_key/1", .request = "7"};
};

TEST(FrameStoreTest, AStreamIsFoundBeforeItsFirstFrame) {
    Stored all;
    await(all.store.append(all.stream, {}));
    EXPECT_FALSE(await(all.store.read("st_a", "api_key/2", 0)));
    // Nobody makes frames any more: it ends with one that says so.
    auto const read = await(all.store.read("st_a", "api_key/1", 0));
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
    EXPECT_FALSE(await(all.store.read("st_gone", "api_key/1", 0)));
    EXPECT_EQ(await(all.store.read("st_a", "api_key/1", 0))->frames.size(), 1u);
}

}  // namespace
}  // namespace workforce::tests
