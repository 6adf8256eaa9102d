// Events that can't be folded stop one projection at one partition, visibly, until an operator decides.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "core/connection.hpp"
#include "projections/engine/partition_folder.hpp"
#include "projections/engine/poison.hpp"
#include "tests/integration/projections/fixture.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using projections::Projection;
using projections::ProjectionType;

std::atomic<bool> g_refuse;
projections::PoisonPlace const kShift13{"shift", 0, 12};

/// Wraps the shifts' projection; refuses the shift of id 13 while g_refuse is set.
class Superstitious final : public Projection {
   public:
    explicit Superstitious(projections::RowMemory& memory) : inner_(projections::registry()[5].make(memory)) {}
    void apply(core::Connection& connection, int partition, std::span<events::Event const> events) override {
        for (auto const& event : events) {
            if (g_refuse && event.meta.subject == events::AggregateRef{Kind::shift, 13})
                throw std::runtime_error("unlucky");
        }
        inner_->apply(connection, partition, events);
    }
    void forget() override { inner_->forget(); }

   private:
    std::unique_ptr<Projection> inner_;
};

std::vector<ProjectionType> superstitious() {
    std::vector<ProjectionType> all(projections::registry().begin(), projections::registry().end());
    EXPECT_EQ(all[5].name, "shift");
    all[5].make = [](projections::RowMemory& memory) -> std::unique_ptr<Projection> {
        return std::make_unique<Superstitious>(memory);
    };
    return all;
}

class PoisonTest : public ProjectionsTest {
   protected:
    /// Twenty shifts in each partition, that of id 13 at position 12 of partition 0.
    void post_shifts() {
        for (core::Id id = 1; id <= 20; ++id) {
            first_.add(Kind::shift, id, shift_posted(1, "day", "2026-07-24T08:00:00Z"));
            second_.add(Kind::shift, 100 + id, shift_posted(1, "day", "2026-07-24T08:00:00Z"));
        }
        first_.append();
        second_.append();
    }
    std::int64_t count_shifts() { return std::stoll(ask("SELECT count(*) FROM read.shift")); }
    core::Connection operator_session() { return core::Connection(projections::projector_session(connection())); }
    void expect_stopped(projections::Runner& runner) {
        EXPECT_FALSE(wait_for(runner, 0, 19));  // at once, for it stands still
        EXPECT_TRUE(wait_for(runner, 1, 19));
        EXPECT_TRUE(wait_for(runner, 0, 19, "activity"));
        auto const status = runner.progress().status();
        ASSERT_EQ(status.stopped.size(), 1u);
        EXPECT_EQ(status.stopped[0].projection, "shift");
        EXPECT_EQ(status.stopped[0].partition, 0);
        EXPECT_EQ(status.stopped[0].position, 12);
        EXPECT_EQ(status.stopped[0].reason, "unlucky");
        EXPECT_GE(status.lag_events, 8);
        EXPECT_EQ(count_shifts(), 32);  // all before it, and the other partition's
    }

    EventWriter first_{*log_, keyring_, 0};
    EventWriter second_{*log_, keyring_, 1};
    std::vector<ProjectionType> types_ = superstitious();
};

TEST_F(PoisonTest, StopsOneProjectionAtOnePartitionUntilRetried) {
    g_refuse = true;
    post_shifts();
    projections::Runner runner(*log_, keyring_, runner_options(), types_);
    EXPECT_TRUE(wait_for(runner, 0, 19, "activity"));
    expect_stopped(runner);
    auto session = operator_session();
    EXPECT_FALSE(projections::retry_poison(session, {"shift", 0, 11}, "ada"));
    g_refuse = false;
    EXPECT_TRUE(projections::retry_poison(session, kShift13, "ada"));
    auto const goes_on = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!runner.progress().reached(0, 19) && std::chrono::steady_clock::now() < goes_on)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(count_shifts(), 40);
    auto const record = projections::list_poison(session, true);
    ASSERT_EQ(record.size(), 1u);
    EXPECT_EQ(record[0].resolution, "retried");
    EXPECT_EQ(record[0].resolved_by, "ada");
    EXPECT_TRUE(runner.progress().status().stopped.empty());
}

TEST_F(PoisonTest, SkippedEventIsLackingUntilARebuild) {
    g_refuse = true;
    post_shifts();
    {
        projections::Runner runner(*log_, keyring_, runner_options(), types_);
        EXPECT_TRUE(wait_for(runner, 0, 19, "activity"));
        expect_stopped(runner);
        auto session = operator_session();
        EXPECT_TRUE(projections::skip_poison(session, kShift13, "ada", "it is a test"));
        EXPECT_FALSE(projections::skip_poison(session, kShift13, "ada", "it is a test"));
        auto const goes_on = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!runner.progress().reached(0, 19) && std::chrono::steady_clock::now() < goes_on)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        auto const skipped = projections::list_poison(session).at(0);
        EXPECT_EQ(std::tuple(skipped.resolution, skipped.resolved_by, skipped.reason),
                  std::tuple("skipped", "ada", "it is a test"));
    }
    EXPECT_EQ(count_shifts(), 39);
    EXPECT_THROW(projections::rebuild(*log_, keyring_, {.connection = connection()}, {}, {}, types_),
                 std::runtime_error);
    EXPECT_EQ(count_shifts(), 39) << "until it succeeds, what is read stays";
    EXPECT_EQ(ask("SELECT count(*) FROM projection.poison WHERE resolution = 'skipped'"), "1");
    g_refuse = false;
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {}, {}, types_);
    EXPECT_EQ(count_shifts(), 40);
    auto session = operator_session();
    EXPECT_TRUE(projections::list_poison(session).empty()) << "a rebuild clears it";
    auto const decisions = projections::list_poison_decisions(session);
    ASSERT_EQ(decisions.size(), 1U) << "what was decided stays";
    EXPECT_EQ(std::tuple(decisions[0].decision, decisions[0].decided_by, decisions[0].reason, decisions[0].error),
              std::tuple("skipped", "ada", "it is a test", "unlucky"));
}

// Who moves a checkpoint that stands elsewhere would lose events.
TEST_F(PoisonTest, EventThatStopsNothingIsNotSkipped) {
    g_refuse = true;
    post_shifts();
    {
        projections::Runner runner(*log_, keyring_, runner_options(), types_);
        EXPECT_TRUE(wait_for(runner, 0, 19, "activity"));
        expect_stopped(runner);
    }
    ask("UPDATE projection.checkpoint SET position = 5 WHERE projection = 'shift' AND partition = 0");
    auto session = operator_session();
    EXPECT_FALSE(projections::skip_poison(session, kShift13, "ada", "it is a test"));
    EXPECT_EQ(projections::list_poison(session).at(0).resolution, "");
    EXPECT_TRUE(projections::list_poison_decisions(session).empty());
    EXPECT_EQ(ask("SELECT position FROM projection.checkpoint WHERE projection = 'shift' AND partition = 0"), "5");
}

// What follows a skipped event is shown, and the row stays marked until a rebuild.
TEST_F(PoisonTest, RowThatLacksAnEventSaysSoUntilARebuild) {
    g_refuse = false;
    post_shifts();
    first_.add(Kind::shift, 13, events::ShiftDeleted{});
    first_.append();
    {
        projections::Runner runner(*log_, keyring_, runner_options(), types_);
        fold(runner);
    }
    auto const marked = [this] { return ask("SELECT string_agg(id::text, ' ') FROM read.shift WHERE lacks_event"); };
    EXPECT_EQ(marked(), "");
    ask("UPDATE read.shift SET version = 0 + version - 1, deleted = false WHERE id = 13");
    first_.add(Kind::shift, 13, events::ShiftCancelled{});
    first_.append();
    fold();
    EXPECT_EQ(marked(), "13") << "it goes on from version 1 with 3";
    first_.add(Kind::shift, 13, events::ShiftReopened{});
    first_.append();
    fold();
    EXPECT_EQ(marked(), "13") << "for good";
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {}, {}, types_);
    EXPECT_EQ(marked(), "");
}

TEST_F(PoisonTest, StartOfTheProgramTriesAgain) {
    g_refuse = true;
    post_shifts();
    {
        projections::Runner runner(*log_, keyring_, runner_options(), types_);
        EXPECT_TRUE(wait_for(runner, 0, 19, "activity"));
        expect_stopped(runner);
    }
    {
        projections::Runner runner(*log_, keyring_, runner_options(), types_);
        EXPECT_TRUE(wait_for(runner, 1, 19));
        EXPECT_FALSE(wait_for(runner, 0, 19));
    }
    auto session = operator_session();
    EXPECT_EQ(projections::list_poison(session).at(0).attempts, 2);
    g_refuse = false;
    fold();
    EXPECT_EQ(count_shifts(), 40);
}

TEST_F(PoisonTest, RecordsThatDoNotDecodeStopAllOfThePartition) {
    g_refuse = false;
    first_.add(Kind::shift, 1, shift_posted(1, "day", "2026-07-24T08:00:00Z"));
    first_.add(Kind::shift, 2, shift_posted(1, "day", "2026-07-24T08:00:00Z"));
    first_.append();
    auto unknown = log_->read(0, 1, 1, 1 << 20).at(0).body;
    unknown.replace(unknown.find("shift.posted"), 12, "shift.dreamt");
    first_.add_raw(unknown);
    first_.add(Kind::shift, 3, shift_posted(1, "day", "2026-07-24T08:00:00Z"));
    first_.append();
    second_.add_raw("{}");
    second_.append();
    projections::Runner runner(*log_, keyring_, runner_options());
    EXPECT_TRUE(wait_for(runner, 0, 1));
    EXPECT_FALSE(wait_for(runner, 0, 2));
    EXPECT_FALSE(wait_for(runner, 1, 0));
    auto const status = runner.progress().status();
    // But for those of the last days alone, which begin past what is months old.
    auto const all = projections::registry();
    auto const past = std::ranges::count_if(all, [](auto const& type) { return type.reach > std::chrono::hours(0); });
    EXPECT_EQ(status.stopped.size(), 2 * all.size() - static_cast<std::size_t>(past));
    EXPECT_NE(status.stopped.front().reason.find("shift.dreamt"), std::string::npos) << status.stopped.front().reason;
    EXPECT_EQ(count_shifts(), 2);
}

}  // namespace
}  // namespace workforce::tests
