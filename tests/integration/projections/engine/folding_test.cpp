// Read models are the fold of the log: live, rebuilt, by two processes, through outages.
#include <thread>

#include "core/connection.hpp"
#include "projections/engine/poison.hpp"
#include "tests/integration/projections/engine/history.hpp"

namespace workforce::tests {
namespace {

using events::Kind;

class FoldingTest : public ProjectionsTest {
   protected:
    void rebuild(std::vector<std::string> const& names = {}) {
        projections::RebuildOptions options{.connection = connection()};
        options.batch_records = 64;
        projections::rebuild(*log_, keyring_, options, names, {});
    }
};

TEST_F(FoldingTest, LiveRowsAreThoseOfARebuild) {
    History first(*log_, keyring_, 0, 1), second(*log_, keyring_, 1, 2);
    first.grow(150);
    {
        // Small batches and next to no memory, so that rows are loaded and gone on from; then others, begun anew.
        auto options = runner_options(7);
        options.row_bytes = 4'000;
        projections::Runner runner(*log_, keyring_, options);
        std::jthread const other([&] { second.grow(300); });
        first.grow(150);
    }
    {
        projections::Runner runner(*log_, keyring_, runner_options(50));
        first.grow(100);
        fold(runner);
        EXPECT_TRUE(runner.progress().status().stopped.empty());
    }
    auto const live = checksums();
    EXPECT_EQ(ask("SELECT count(*) > 20 AND count(*) FILTER (WHERE is_sandbox) > 2 FROM read.shift"), "t");
    rebuild();
    EXPECT_EQ(checksums(), live);
    rebuild({"staff", "activity"});
    EXPECT_EQ(checksums(), live);
    fold();  // from where the rebuild ended
    EXPECT_EQ(checksums(), live);
}

TEST_F(FoldingTest, ErasedPersonIsTheSameLiveAndRebuilt) {
    EventWriter writer(*log_, keyring_, 0);
    writer.append(Kind::staff, 1, staff_onboarded("Grace", "Hopper"));
    keyring_.destroy("staff/1");
    fold();
    EXPECT_EQ(ask("SELECT is_active || doc FROM read.staff WHERE doc LIKE '%Hopper%'"), "");
    writer.append(Kind::staff, 1, events::StaffReactivated{});  // which must not bring back a person who was erased
    fold();
    auto const live = checksums();
    EXPECT_EQ(ask("SELECT is_active FROM read.staff"), "f");
    rebuild();
    EXPECT_EQ(checksums(), live);
}

TEST_F(FoldingTest, TwoProcessesAtOnceDoNoHarm) {
    History first(*log_, keyring_, 0, 3), second(*log_, keyring_, 1, 4);
    {
        projections::Runner one(*log_, keyring_, runner_options(5));
        projections::Runner two(*log_, keyring_, runner_options(8));
        std::jthread const other([&] { second.grow(200); });
        first.grow(200);
        fold(one);
        fold(two);
        EXPECT_TRUE(one.progress().status().stopped.empty());
        EXPECT_TRUE(two.progress().status().stopped.empty());
        EXPECT_EQ(one.counters().poisoned + two.counters().poisoned, 0u);
    }
    auto const live = checksums();
    rebuild();
    EXPECT_EQ(checksums(), live);
}

TEST_F(FoldingTest, GoesOnAfterItsSessionsAreCut) {
    History history(*log_, keyring_, 0, 5);
    projections::Runner runner(*log_, keyring_, runner_options(3));
    for (int i = 0; i < 5; ++i) {
        history.grow(20);
        // Not the log's own, by which the test appends.
        ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'workforce%' AND "
            "application_name <> 'workforce log' AND datname = current_database()");
    }
    fold(runner);
    auto const live = checksums();
    runner.stop();
    rebuild();
    EXPECT_EQ(checksums(), live);
}

TEST_F(FoldingTest, RebuildReportsProgressAndRefusesUnknownNames) {
    History history(*log_, keyring_, 0, 6);
    history.grow(100);
    std::vector<projections::RebuildProgress> seen;
    projections::RebuildOptions options{.connection = connection()};
    options.batch_records = 40;
    projections::rebuild(*log_, keyring_, options, {}, [&](auto const& progress) { seen.push_back(progress); });
    ASSERT_GT(seen.size(), 2u);
    EXPECT_EQ(seen.back().events, seen.back().total);
    EXPECT_EQ(seen.front().doing, "folding");
    EXPECT_EQ(seen.back().doing, "catching up");
    EXPECT_EQ(seen.back().total, log_->head(0).position + 1);
    EXPECT_THROW(projections::rebuild(*log_, keyring_, options, {"shift", "nonsense"}, {}), std::invalid_argument);
}

TEST_F(FoldingTest, RowsOfAnotherRevisionWaitForARebuild) {
    EventWriter writer(*log_, keyring_, 0);
    writer.append(Kind::facility, 1, facility_created("House"));
    fold();
    ask("UPDATE projection.checkpoint SET revision = 99 WHERE projection = 'facility'");
    auto const next = writer.append(Kind::facility, 2, facility_created("Hut"));
    {
        projections::Runner runner(*log_, keyring_, runner_options());
        EXPECT_TRUE(wait_for(runner, 0, next, "activity"));
        EXPECT_FALSE(wait_for(runner, 0, next, "facility"));
        EXPECT_TRUE(wait_for(runner, 1, -1, "activity"));  // its checkpoints are read
        auto const status = runner.progress().status();
        ASSERT_EQ(status.stopped.size(), 2u);  // at both partitions
        EXPECT_NE(status.stopped[0].reason.find("rebuild"), std::string::npos);
    }
    rebuild({"facility"});
    fold();
    EXPECT_EQ(ask("SELECT count(*) FROM read.facility WHERE NOT is_sandbox"), "2");
}

}  // namespace
}  // namespace workforce::tests
