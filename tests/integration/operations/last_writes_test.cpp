// Last writes in memory and in the table that several processes share, with its losses.
#include "operations/last_writes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/use_future.hpp>
#include <future>

#include "core/completion.hpp"
#include "tests/support/await.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::operations {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;

std::chrono::steady_clock::time_point soon() { return std::chrono::steady_clock::now() + 30s; }

awaitable<std::int64_t> at(std::int64_t position) { co_return position; }

TEST(LastWritesInMemory, FloorsAreAskedForOnceAndUntilTheyAreReached) {
    std::atomic<int> asked = 0;
    LastWrites writes([&](int partition) {
        ++asked;
        return at(10 * partition);
    });
    EXPECT_EQ(tests::await(writes.floor(3, soon())), 30);
    EXPECT_EQ(tests::await(writes.floor(3, soon())), 30);
    EXPECT_EQ(asked, 1);
    writes.floor_reached(3, 30);
    EXPECT_EQ(tests::await(writes.floor(3, soon())), -1);
    EXPECT_EQ(tests::await(writes.floor(1, soon())), 10) << "of another partition nothing was known";
    EXPECT_EQ(asked, 2);
}

TEST(LastWritesInMemory, AHeadThatCanNotBeLearnedIsAskedForAgain) {
    std::atomic<bool> away = true;
    LastWrites writes([&](int) -> awaitable<std::int64_t> {
        if (away) throw std::runtime_error("the log is away");
        return at(7);
    });
    EXPECT_EQ(tests::await(writes.floor(0, soon())), std::nullopt);
    away = false;
    EXPECT_EQ(tests::await(writes.floor(0, soon())), 7);
}

TEST(LastWritesInMemory, AHeadIsAwaitedNoLongerThanTheReadMayWait) {
    boost::asio::io_context context;
    core::Completion<bool> stuck;
    LastWrites writes([&](int) -> awaitable<std::int64_t> {
        co_await core::await_completion<bool>([&](core::Completion<bool> done) { stuck = std::move(done); });
        co_return 7;
    });
    auto const deadline = std::chrono::steady_clock::now() + 20ms;
    auto late = boost::asio::co_spawn(context, writes.floor(0, deadline), boost::asio::use_future);
    while (late.wait_for(0s) != std::future_status::ready) ASSERT_EQ(context.run_one_for(30s), 1U);
    EXPECT_EQ(late.get(), std::nullopt);
    stuck(true);
    context.run();
}

TEST(LastWritesInMemory, AHeadThatHangsKeepsNoOtherWaitingAndIsKeptWhenItComes) {
    boost::asio::io_context context;
    core::Completion<bool> stuck;
    int asked = 0;
    LastWrites writes([&](int partition) -> awaitable<std::int64_t> {
        ++asked;
        if (partition == 0) {
            co_await core::await_completion<bool>([&](core::Completion<bool> done) { stuck = std::move(done); });
        }
        co_return 7 + partition;
    });
    auto const soon_over = [] { return std::chrono::steady_clock::now() + 20ms; };
    auto hanging = boost::asio::co_spawn(context, writes.floor(0, soon_over()), boost::asio::use_future);
    auto fine = boost::asio::co_spawn(context, writes.floor(1, soon()), boost::asio::use_future);
    while (hanging.wait_for(0s) != std::future_status::ready) ASSERT_EQ(context.run_one_for(30s), 1U);
    ASSERT_EQ(fine.wait_for(0s), std::future_status::ready);
    EXPECT_EQ(hanging.get(), std::nullopt);
    EXPECT_EQ(fine.get(), 8);
    stuck(true);
    context.run();
    EXPECT_EQ(tests::await(writes.floor(0, soon())), 7) << "though nobody waited for it any more";
    EXPECT_EQ(asked, 2);
}

TEST(LastWritesInMemory, AHeadAskedForBeforeWritesWereForgottenIsNoFloor) {
    boost::asio::io_context context;
    core::Completion<bool> stuck;
    std::int64_t head = 7;
    LastWrites writes([&](int) -> awaitable<std::int64_t> {
        auto const asked = head;
        if (asked == 7) {
            co_await core::await_completion<bool>([&](core::Completion<bool> done) { stuck = std::move(done); });
        }
        co_return asked;
    });
    auto early = boost::asio::co_spawn(context, writes.floor(0, soon()), boost::asio::use_future);
    while (!stuck) ASSERT_EQ(context.run_one_for(30s), 1U);
    head = 8;
    auto const fill = [&]() -> awaitable<void> {
        co_await writes.note("first", {0, 8});
        for (int i = 0; i < 100'000; ++i) co_await writes.note("key/" + std::to_string(i), {1, i});
    };
    tests::await(fill());
    stuck(true);
    context.run();
    EXPECT_EQ(early.get(), 7);
    EXPECT_EQ(tests::await(writes.floor(0, soon())), 8);
}

TEST(LastWritesInMemory, WhatIsForgottenForLackOfRoomBecomesAFloor) {
    LastWrites writes([](int) { return at(-1); });
    auto const fill = [&]() -> awaitable<void> {
        co_await writes.floor(0, soon());
        co_await writes.note("first", {0, 41});
        co_await writes.note("second", {0, 40});
        for (int i = 0; i < 100'000; ++i) co_await writes.note("key/" + std::to_string(i), {1, i});
    };
    tests::await(fill());
    EXPECT_FALSE(tests::await(writes.find("first")));
    EXPECT_EQ(tests::await(writes.floor(0, soon())), 41);
    EXPECT_EQ(tests::await(writes.find("key/99999"))->position, 99'999);
}

/// Two processes on one table.
class SharedLastWritesTest : public testing::Test {
   protected:
    struct Process {
        Process(std::string const& url, std::string name)
            : reads({{.url = url, .role = "workforce_reader"}, 1}),
              writes({{.url = url, .role = "workforce_writer"}, 1}),
              last([this](int) { return at(head); }, SharedWrites{reads, writes, std::move(name), {"a", "b"}}) {}
        ~Process() {
            reads.stop();
            writes.stop();
        }
        std::optional<LastWrite> find(std::string const& lineage) { return tests::await(last.find(lineage)); }
        std::optional<std::int64_t> floor() { return tests::await(last.floor(1, soon())); }
        void note(std::string const& lineage, std::int64_t position) {
            tests::await(last.note(lineage, {1, position}));
        }

        std::int64_t head = 100;
        core::Database reads;
        core::Database writes;
        LastWrites last;
    };

    void sql(std::string const& text) { database_.query(text); }
    void checkpoint(std::string const& projection, std::int64_t position) {
        sql("INSERT INTO projection.checkpoint (projection, partition, position, revision) VALUES ('" + projection +
            "', 1, " + std::to_string(position) +
            ", 1) ON CONFLICT (projection, partition) DO UPDATE SET position = excluded.position");
    }
    std::string rows() {
        return database_.ask("SELECT coalesce(string_agg(lineage, ' ' ORDER BY lineage), '') FROM ops.last_write");
    }

    tests::TestDatabase database_;
    Process one_{database_.url(), "one"};
    Process two_{database_.url(), "two"};
};

TEST_F(SharedLastWritesTest, EachKnowsOfTheOthersWrites) {
    one_.note("key/1", 5);
    ASSERT_TRUE(two_.find("key/1"));
    EXPECT_EQ(two_.find("key/1")->position, 5);
    EXPECT_EQ(two_.find("key/1")->partition, 1);
    EXPECT_FALSE(two_.find("key/2"));
    one_.note("key/1", 9);
    two_.note("key/1", 8);
    EXPECT_EQ(two_.find("key/1")->position, 9);
}

TEST_F(SharedLastWritesTest, SeveralAreFoundAtOnceWhoeverWroteLast) {
    one_.note("key/1@1", 5);
    two_.note("key/1@2", 7);
    one_.note("key/1@3", 2);
    two_.note("key/1@3", 9);
    for (auto* process : {&one_, &two_}) {
        auto const found = tests::await(process->last.find_each({"key/1@3", "key/1@2", "key/1@0", "key/1@1"}));
        ASSERT_EQ(found.size(), 4U);
        EXPECT_EQ(found[0]->position, 9);
        EXPECT_EQ(found[1]->position, 7);
        EXPECT_FALSE(found[2]);
        EXPECT_EQ(found[3]->position, 5);
    }
}

TEST_F(SharedLastWritesTest, AWriteThatCouldNotBePublishedIsKnownHereAndPublishedLater) {
    EXPECT_FALSE(one_.find("key/1"));  // leaves the process's row
    one_.note("key/1", 5);
    sql("REVOKE INSERT ON ops.last_write FROM workforce_writer");
    one_.note("key/1", 9);
    EXPECT_EQ(one_.find("key/1")->position, 9);
    EXPECT_EQ(two_.find("key/1")->position, 5);
    EXPECT_THROW(tests::await(one_.last.publish_again()), std::exception);
    sql("GRANT INSERT ON ops.last_write TO workforce_writer");
    tests::await(one_.last.publish_again());
    EXPECT_EQ(two_.find("key/1")->position, 9);
    sql("DELETE FROM ops.last_write WHERE lineage = 'key/1'");
    tests::await(one_.last.publish_again());
    EXPECT_EQ(rows(), "one two") << "once is enough";
}

TEST_F(SharedLastWritesTest, FoldedIsWhatEveryProjectionHasPassed) {
    one_.note("key/1", 5);
    EXPECT_FALSE(two_.find("key/1")->folded) << "no projection has begun";
    checkpoint("a", 7);
    EXPECT_FALSE(two_.find("key/1")->folded) << "one has not begun";
    checkpoint("b", 4);
    checkpoint("retired", 9);
    EXPECT_FALSE(two_.find("key/1")->folded);
    checkpoint("b", 5);
    EXPECT_TRUE(two_.find("key/1")->folded);
}

TEST_F(SharedLastWritesTest, AnEmptiedTableIsNoticedAndHeadsStandForWhatItLost) {
    EXPECT_FALSE(two_.find("key/1"));
    EXPECT_EQ(two_.floor(), 100) << "what was written before its start";
    two_.last.floor_reached(1, 100);
    one_.note("key/1", 105);
    EXPECT_EQ(two_.find("key/1")->position, 105);
    EXPECT_EQ(two_.floor(), -1);
    two_.head = 105;
    sql("TRUNCATE ops.last_write");
    EXPECT_FALSE(two_.find("key/1"));
    EXPECT_EQ(two_.floor(), 105);
    two_.last.floor_reached(1, 105);
    EXPECT_FALSE(two_.find("key/1"));
    EXPECT_EQ(two_.floor(), -1) << "once";
    // Where the row can't be left, reads go on, by the heads.
    sql("TRUNCATE ops.last_write; REVOKE INSERT ON ops.last_write FROM workforce_writer");
    for (int i = 0; i < 2; ++i) {
        EXPECT_FALSE(two_.find("key/1"));
        EXPECT_EQ(two_.floor(), 105);
        two_.last.floor_reached(1, 105);
    }
    EXPECT_EQ(one_.find("key/1")->position, 105) << "whoever wrote it knows it";
}

TEST_F(SharedLastWritesTest, OldRowsGoOnceTheyAreFolded) {
    EXPECT_FALSE(one_.find("key/1"));  // leaves the process's row
    for (auto const& [lineage, position] : {std::pair("key/1", 5), {"key/2", 5}, {"key/3", 6}}) {
        one_.note(lineage, position);
    }
    sql("INSERT INTO ops.last_write VALUES ('dead', 0, -1, now() - interval '2 hours');"
        "INSERT INTO ops.process VALUES ('one', 'api', '', now(), now());"
        "UPDATE ops.last_write SET written_at = now() - interval '2 hours' WHERE lineage <> 'key/2'");
    tests::await(one_.last.prune());
    EXPECT_EQ(rows(), "dead key/1 key/2 key/3 one") << "nothing is folded";
    checkpoint("a", 5);
    tests::await(one_.last.prune());
    EXPECT_EQ(rows(), "dead key/1 key/2 key/3 one");
    checkpoint("b", 5);
    sql("INSERT INTO projection.checkpoint (projection, partition, position, revision)"
        " VALUES ('a', 0, -1, 1), ('b', 0, -1, 1)");
    tests::await(one_.last.prune());
    EXPECT_EQ(rows(), "key/2 key/3 one") << "a young one, one that is not folded, and that of a live process stay";
}

}  // namespace
}  // namespace workforce::operations
