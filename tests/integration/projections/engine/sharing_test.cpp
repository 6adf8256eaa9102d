// Projections that processes share: partitions begin and end, overlap, and are followed where they are not folded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <thread>

#include "projections/engine/checkpoint_watch.hpp"
#include "projections/shifts/shifts.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "tests/support/await.hpp"
#include "tests/support/private_cluster.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using projections::CheckpointWatch;
using projections::Progress;

class SharingTest : public ProjectionsTest {
   protected:
    SharingTest() : writer_(*log_, keyring_, 0) { writer_.meta.organization = 7; }

    std::int64_t append() {
        return writer_.append(Kind::shift, ++last_, shift_posted(1, "day", "2026-07-24T06:00:00Z"));
    }
    projections::RunnerOptions shared() const {
        auto options = runner_options();
        options.all = false;
        return options;
    }
    static std::vector<std::string> names() { return projections::names_of(projections::registry()); }
    static bool wait(Progress& progress, std::int64_t position, std::string const& projection = {}) {
        return await(
            progress.wait_for(0, position, std::chrono::steady_clock::now() + std::chrono::seconds(30), projection));
    }
    static void until(std::function<bool()> const& condition, char const* what) {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!condition()) {
            ASSERT_LT(std::chrono::steady_clock::now(), deadline) << what;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

    EventWriter writer_;
    core::Id last_ = 0;
};

TEST_F(SharingTest, APartitionIsFoldedWhileItIsThisProcesss) {
    projections::Runner runner(*log_, keyring_, shared());
    auto position = append();
    EXPECT_FALSE(runner.runs(0));
    runner.start(0);
    runner.start(0);
    EXPECT_TRUE(runner.runs(0));
    EXPECT_FALSE(runner.runs(1));
    EXPECT_TRUE(wait_for(runner, 0, position));
    EXPECT_FALSE(runner.progress().status().started) << "the other partition is not known";
    for (int i = 0; i < 20; ++i) {  // begun again before the thread has noticed its end, or after
        runner.end(0);
        EXPECT_FALSE(runner.runs(0));
        if (i % 2 == 0) until([&] { return runner.progress().elsewhere().size() == 2; }, "the thread has ended");
        position = append();
        runner.start(0);
        EXPECT_TRUE(wait_for(runner, 0, position)) << i;
    }
    EXPECT_EQ(ask("SELECT count(*) FROM read.shift"), "21");
}

TEST_F(SharingTest, ItMovesAndNothingIsFoldedTwice) {
    projections::Runner one(*log_, keyring_, shared());
    projections::Runner two(*log_, keyring_, shared());
    one.start(0);
    for (int i = 0; i < 10; ++i) {
        auto& from = i % 2 == 0 ? one : two;
        auto& to = i % 2 == 0 ? two : one;
        for (int k = 0; k < 20; ++k) append();
        to.start(0);  // both for a moment: checkpoints decide
        from.end(0);
        EXPECT_TRUE(wait_for(to, 0, append()));
    }
    one.stop();
    two.stop();
    EXPECT_EQ(ask("SELECT count(*) || ' ' || sum(version) FROM read.shift"), "210 210");
    auto const moved = checksums();
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {}, {});
    EXPECT_EQ(checksums(), moved);
}

TEST_F(SharingTest, WhoFoldsNothingFollowsTheCheckpoints) {
    Progress progress(kTestPartitions, names());
    CheckpointWatch watch(progress, connection().url, [this](int partition) { return log_->head(partition).position; });
    until([&] { return progress.status().started; }, "the checkpoints are read");
    auto const first = append();
    EXPECT_FALSE(await(progress.wait_for(0, first, std::chrono::steady_clock::now() + std::chrono::milliseconds(20))));
    until([&] { return progress.status().lag_events == 1; }, "the lag shows");
    EXPECT_FALSE(progress.reached(0, first));

    core::Database reader(reader_options());
    projections::Runner runner(*log_, keyring_, shared());
    runner.start(0);
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(wait(progress, append(), i % 2 == 0 ? "shift" : ""));
        ASSERT_TRUE(await(projections::shifts().find(reader, {.organization = 7}, last_)))
            << "what was waited for is there";
    }
    until([&] { return progress.status().lag_events == 0 && progress.status().lag.count() == 0; }, "the lag is gone");
    watch.stop();
    reader.stop();
}

TEST_F(SharingTest, WhatIsFoldedHereIsNotToldByTheWatch) {
    projections::Runner here(*log_, keyring_, shared());
    projections::Runner elsewhere(*log_, keyring_, shared());
    CheckpointWatch watch(here.progress(), connection().url, [](int) { return -1; });
    here.start(0);
    EXPECT_TRUE(wait_for(here, 0, append()));
    here.progress().observe(0, std::vector<Progress::Standing>(names().size()), here.progress().losses());
    EXPECT_TRUE(here.progress().reached(0, 0)) << "late news of the watch";
    elsewhere.start(0);
    here.end(0);
    EXPECT_TRUE(wait_for(here, 0, append())) << "now the watch tells";
    watch.stop();
}

TEST_F(SharingTest, AStoppedProjectionIsSeenFromElsewhere) {
    Progress progress(kTestPartitions, names());
    auto const position = append();
    projections::Runner runner(*log_, keyring_, shared());
    runner.start(0);
    EXPECT_TRUE(wait_for(runner, 0, position));
    runner.stop();
    ask("UPDATE projection.checkpoint SET position = position - 1 WHERE projection = 'shift' RETURNING 1");
    ask("INSERT INTO projection.poison (projection, partition, position, error) VALUES ('shift', 0, " +
        std::to_string(position) + ", 'spoiled') RETURNING 1");
    CheckpointWatch watch(progress, connection().url, [](int) { return -1; });
    until([&] { return progress.status().started; }, "the checkpoints are read");
    auto const status = progress.status();
    ASSERT_EQ(status.stopped.size(), 1U);
    EXPECT_EQ(status.stopped[0].projection, "shift");
    EXPECT_EQ(status.stopped[0].position, position);
    EXPECT_EQ(status.stopped[0].reason, "spoiled");
    EXPECT_FALSE(wait(progress, position)) << "in vain, and known to be";
    EXPECT_TRUE(wait(progress, position, "staff"));
}

TEST(CheckpointWatchTest, NothingIsBelievedAcrossACrashOfTheServer) {
    PrivateCluster cluster;
    TestDatabase database(cluster.url(), TestDatabase::Schema::migrated);
    auto const execute = [&](std::string const& sql) {
        pqxx::connection connection(database.url());
        pqxx::nontransaction(connection).exec(sql);
    };
    Progress progress(1, projections::names_of(projections::registry()));
    for (auto const& type : projections::registry()) {
        execute("INSERT INTO projection.checkpoint VALUES ('" + std::string(type.name) + "', 0, 5, " +
                std::to_string(type.revision) + ")");
    }
    CheckpointWatch watch(progress, database.url(), [](int) { return -1; });
    auto const soon = [] { return std::chrono::steady_clock::now() + std::chrono::seconds(30); };
    EXPECT_TRUE(await(progress.wait_for(0, 5, soon())));
    cluster.crash();
    auto const deadline = soon();
    while (progress.reached(0, 5) && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_FALSE(progress.reached(0, 5));
    cluster.start();
    EXPECT_TRUE(await(progress.wait_for(0, 5, soon())));
    watch.stop();
}

}  // namespace
}  // namespace workforce::tests
