// Processes that keep leases on one database, with work that only tells whether it is there.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/test_database.hpp"
#include "workers/cluster/lease_keeper.hpp"

namespace workforce::tests {

/// What processes do with partitions of one kind, and whether two ever do at once.
struct Ground {
    explicit Ground(int partitions) : workers(static_cast<std::size_t>(partitions)) {}
    std::vector<std::atomic<int>> workers;
    std::atomic<int> overlaps{0};
};

/// One process of the cluster.
class KeepingProcess {
   public:
    using Take = std::function<boost::asio::awaitable<void>(int partition)>;

    /// `take` is called before the work counts as there; it may wait and throw.
    KeepingProcess(std::string const& url, std::string name, workers::Role role, Ground& writers, Ground& projectors,
                   Take take = {})
        : name_(std::move(name)),
          take_(std::move(take)),
          database_({{.url = url, .role = "workforce_writer"}, 1}),
          owners_(database_, name_),
          held_{std::vector<std::atomic<bool>>(writers.workers.size()),
                std::vector<std::atomic<bool>>(writers.workers.size())},
          keeper_(
              context_.get_executor(), database_, clock_, [this] { return silence(); },
              static_cast<int>(writers.workers.size()), {name_, role, "http://" + name_}, owners_,
              work(role, workers::LeaseKind::writer, writers), work(role, workers::LeaseKind::projector, projectors)),
          thread_([this] { context_.run(); }) {
        finish(keeper_.start());
    }
    ~KeepingProcess() { crash(); }

    /// Ends as SIGKILL does: nothing is given back.
    void crash() {
        if (!thread_.joinable()) return;
        context_.stop();
        thread_.join();
        database_.stop();
    }
    /// Ends in order.
    void stop() {
        finish(keeper_.stop());
        crash();
    }
    void finish(boost::asio::awaitable<void> task) {
        boost::asio::co_spawn(context_, std::move(task), boost::asio::use_future).get();
    }
    [[nodiscard]] int count(workers::LeaseKind kind = workers::LeaseKind::writer) const {
        int all = 0;
        for (auto const& each : held_[static_cast<std::size_t>(kind)]) all += each ? 1 : 0;
        return all;
    }
    [[nodiscard]] bool has(int partition) const { return held_[0][static_cast<std::size_t>(partition)]; }
    /// Sets its wall clock, that far from the true one.
    void set_clock(std::chrono::milliseconds ahead) { ahead_ms_ = ahead.count(); }
    /// Whether it hears the log. One that does not has not done so for long.
    void set_hears(bool hears) { hears_ = hears; }
    workers::Owners& owners() { return owners_; }
    workers::LeaseKeeper& keeper() { return keeper_; }

   private:
    [[nodiscard]] std::chrono::milliseconds silence() const {
        return hears_ ? std::chrono::milliseconds(0) : std::chrono::minutes(1);
    }
    std::optional<workers::Work> work(workers::Role role, workers::LeaseKind kind, Ground& ground) {
        if (!workers::may_hold(role, kind)) return std::nullopt;
        auto& held = held_[static_cast<std::size_t>(kind)];
        return workers::Work{
            [this, &held, &ground](int partition) { return take(held, ground, partition); },
            [&held, &ground](int partition) -> boost::asio::awaitable<void> { return give(held, ground, partition); },
            [&held](int partition) { return held[static_cast<std::size_t>(partition)].load(); },
            [](int partition) { return std::int64_t{100} + partition; },
            [](int partition) { return std::int64_t{1000} + partition; }};
    }
    boost::asio::awaitable<void> take(std::vector<std::atomic<bool>>& held, Ground& ground, int partition) {
        auto const at = static_cast<std::size_t>(partition);
        if (take_) co_await take_(partition);
        if (ground.workers[at]++ > 0) ++ground.overlaps;
        held[at] = true;
    }
    static boost::asio::awaitable<void> give(std::vector<std::atomic<bool>>& held, Ground& ground, int partition) {
        auto const at = static_cast<std::size_t>(partition);
        if (held[at].exchange(false)) --ground.workers[at];
        co_return;
    }

    std::string const name_;
    Take const take_;
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_guard_ =
        boost::asio::make_work_guard(context_);
    core::Database database_;
    std::atomic<std::int64_t> ahead_ms_ = 0;
    std::atomic<bool> hears_ = true;
    core::CheckedClock clock_{[this] { return core::Timestamp{core::now().ms + ahead_ms_}; }};
    workers::Owners owners_;
    std::array<std::vector<std::atomic<bool>>, 2> held_;
    workers::LeaseKeeper keeper_;
    std::thread thread_;
};

class KeepersTest : public testing::Test {
   protected:
    explicit KeepersTest(int partitions) : writers_(partitions), projectors_(partitions) {}

    std::unique_ptr<KeepingProcess> join(std::string name, workers::Role role = workers::Role::api,
                                         KeepingProcess::Take take = {}) {
        return std::make_unique<KeepingProcess>(database_.url(), std::move(name), role, writers_, projectors_,
                                                std::move(take));
    }
    /// Returns once the condition holds; fails the test after half a minute.
    static void until(std::function<bool()> const& condition, std::string const& what) {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!condition()) {
            ASSERT_LT(std::chrono::steady_clock::now(), deadline) << what;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    /// What stands in the tables now.
    workers::ClusterView view() { return workers::read_cluster(reader_); }
    /// What keeps the process from writing, as the table has it.
    std::string trouble_of(std::string const& name) {
        for (auto const& each : view().processes) {
            if (each.owner == name) return each.trouble;
        }
        return "no such process";
    }
    /// The lease as it stands in the table; nothing when nobody holds it.
    std::optional<workers::Lease> lease(int partition, workers::LeaseKind kind = workers::LeaseKind::writer) {
        for (auto const& each : view().leases) {
            if (each.kind == kind && each.partition == partition && !each.owner.empty() && each.left.count() > 0) {
                return each;
            }
        }
        return std::nullopt;
    }
    /// Waits until the lease, which may lapse meanwhile where its owner is slow, was renewed once.
    void await_renewal(int partition, workers::LeaseKind kind = workers::LeaseKind::writer) {
        std::optional<workers::Lease> last;
        until([&] { return (last = lease(partition, kind)).has_value(); }, "a lease");
        auto const renewed = [&] {
            auto const now = lease(partition, kind);
            bool const more = now && now->left > last->left;
            if (now) last = now;
            return more;
        };
        until(renewed, "a renewal");
    }

    TestDatabase database_;
    core::Connection reader_{{.url = database_.url(), .role = "workforce_reader"}};
    Ground writers_;
    Ground projectors_;
};

}  // namespace workforce::tests
