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

}  // namespace
}  // namespace workforce::tests
