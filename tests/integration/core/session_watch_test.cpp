// What guests of the process's watch are told, against a real Postgres.
#include "core/session_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/test_database.hpp"

namespace workforce::core {
namespace {

/// Keeps what it was told.
class Listener final : public SessionWatch::Guest {
   public:
    void opened(Connection& session, bool missed) override {
        note(missed ? "missed" : "opened", session.raw().backendpid());
    }
    void ended() override { note("ended", 0); }
    SessionWatch::Clock::time_point serve(Connection& /*session*/) override {
        note("served", 0);
        return SessionWatch::Clock::time_point::max();
    }

    /// Returns once it was told so, as often in all.
    void wait_for(std::string const& what, long times) {
        std::unique_lock lock(mutex_);
        ASSERT_TRUE(told_.wait_for(lock, std::chrono::seconds(30), [&] {
            return std::ranges::count(all_, what) >= times;
        })) << what;
    }
    std::vector<std::string> all() {
        std::lock_guard const lock(mutex_);
        return all_;
    }
    int pid() {
        std::lock_guard const lock(mutex_);
        return pid_;
    }

   private:
    void note(std::string what, int pid) {
        std::lock_guard const lock(mutex_);
        all_.push_back(std::move(what));
        if (pid != 0) pid_ = pid;
        told_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable told_;
    std::vector<std::string> all_;
    int pid_ = 0;
};

void terminate(std::string const& url, int pid) {
    static constexpr Statement kTerminate{"watch_test_terminate", "SELECT pg_terminate_backend($1, 10000)"};
    ASSERT_TRUE(read<bool>(Connection(ConnectionOptions{.url = url}).execute(kTerminate, pid)[0][0]));
}

TEST(SessionWatchTest, AllWatchByOneSessionAndHearOfItsEnd) {
    tests::TestDatabase const database;
    auto const watch = SessionWatch::of(database.url());
    EXPECT_EQ(SessionWatch::of(database.url()), watch);
    Listener one, two;
    watch->join(one);
    watch->join(two);
    one.wait_for("opened", 1);
    two.wait_for("opened", 1);
    EXPECT_EQ(one.pid(), two.pid());
    auto const first = one.pid();
    terminate(database.url(), first);
    for (auto* const each : {&one, &two}) {
        each->wait_for("missed", 1);
        EXPECT_NE(each->pid(), first);
        auto all = each->all();
        std::erase(all, "served");
        EXPECT_EQ(all, (std::vector<std::string>{"opened", "ended", "missed"}));
    }
    watch->leave(one);
    EXPECT_EQ(one.all().back(), "ended");
    auto const so_far = one.all().size();
    auto const told = two.all();
    watch->wake();
    two.wait_for("served", std::ranges::count(told, "served") + 1);
    EXPECT_EQ(one.all().size(), so_far);
    watch->leave(two);
    watch->leave(two);
}

TEST(SessionWatchTest, AGuestsFailureEndsTheSessionForAll) {
    struct Failing final : SessionWatch::Guest {
        SessionWatch::Clock::time_point serve(Connection& session) override {
            if (std::exchange(fails, false)) session.execute_sql("SELECT 1 / 0");
            return SessionWatch::Clock::time_point::max();
        }
        bool fails = true;
    };
    tests::TestDatabase const database;
    auto const watch = SessionWatch::of(database.url());
    Listener listener;
    Failing failing;
    watch->join(listener);
    listener.wait_for("opened", 1);
    watch->join(failing);
    listener.wait_for("missed", 1);
    watch->leave(failing);
    watch->leave(listener);
}

TEST(SessionWatchTest, WithoutAServerOneWaitsForNothing) {
    auto const watch = SessionWatch::of("postgresql://127.0.0.1:1/none");
    Listener listener;
    watch->join(listener);
    watch->leave(listener);
    EXPECT_TRUE(listener.all().empty());
}

}  // namespace
}  // namespace workforce::core
