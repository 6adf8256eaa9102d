// Writers whose read models go on without an event: what they decide on is the log's.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "tests/integration/commands/engine/residency_fixture.hpp"

namespace workforce::tests {
namespace {

class SkippedEventTest : public ResidencyTest {
   protected:
    /// As if an operator had skipped the log's last event, or one before it, for the read model.
    void skip(std::string const& projection, int before_last = 0) {
        auto const position = std::to_string(first_->engine.head(home_).position - before_last);
        auto const at = " WHERE projection = '" + projection + "' AND partition = " + std::to_string(home_);
        tamper("INSERT INTO projection.poison (projection, partition, position, error, resolution) VALUES ('" +
               projection + "', " + std::to_string(home_) + ", " + position + ", 'a test', 'skipped')");
        tamper("UPDATE projection.checkpoint SET position = " + position + at);
    }
    /// The versions that all events have, by resource, and those that they should have.
    std::map<std::string, std::vector<std::int64_t>> versions() {
        std::map<std::string, std::vector<std::int64_t>> all;
        for (auto const& event : history()) {
            if (event.meta.seq > 0) all[to_string(event.meta.subject)].push_back(event.meta.seq);
        }
        return all;
    }
    std::map<std::string, std::vector<std::int64_t>> sequence() {
        auto all = versions();
        for (auto& [subject, numbers] : all) std::iota(numbers.begin(), numbers.end(), 1);
        return all;
    }
};

TEST_F(SkippedEventTest, RowsThatLackASkippedEventAreNotDecidedOn) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    settle();
    auto const folded = first_->engine.head(home_).position;
    stop_read_models();
    ASSERT_EQ(told(make(renaming(ada, "lady@example.test"), {Kind::staff, ada})), "200");
    skip("staff");
    restart();
    EXPECT_EQ(stats(*first_).base, folded) << "the skipped event is folded from the log";
    EXPECT_EQ(onboarding("lady"), "409 DUPLICATE_RESOURCE");
    EXPECT_EQ(onboarding("ada"), "201");
}

// Its version tells nothing of what it lacks.
TEST_F(SkippedEventTest, RowsFoldedPastASkippedEventAreNotDecidedOn) {
    ASSERT_EQ(told(staff("ada")), "201");
    auto const ada = last_id_;
    ASSERT_EQ(told(shift()), "200");
    auto const taken = last_id_;
    settle();
    auto const folded = first_->engine.head(home_).position;
    stop_read_models();
    ASSERT_EQ(told(make(renaming(ada, "lady@example.test"), {Kind::staff, ada})), "200");
    skip("staff");
    ASSERT_EQ(told(assign(taken, ada)), "200");  // two events: assigned, filled
    skip("shift", 1);
    commands::UpdateStaff moved;
    moved.id = ada;
    moved.lastName = core::Name("Lovelace");
    ASSERT_EQ(told(make(moved, {Kind::staff, ada})), "200");
    fold_read_models();
    settle();
    stop_read_models();
    restart();
    EXPECT_EQ(stats(*first_).base, folded);
    EXPECT_EQ(onboarding("lady"), "409 DUPLICATE_RESOURCE") << "her address, which her row lacks";
    EXPECT_EQ(onboarding("ada"), "201");
    EXPECT_EQ(told(deactivate(ada)), "409 STAFF_HAS_FUTURE_SHIFTS") << "hers, as the shift's row does not tell";
    EXPECT_EQ(history().size(), records().size()) << "and the chain goes on";
    EXPECT_EQ(versions(), sequence()) << "each resource's events are numbered without a gap";
}

}  // namespace
}  // namespace workforce::tests
