// Past states, told from a log in Postgres.
#include "events/as_of.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "core/json.hpp"
#include "events/log/postgres/postgres_log.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"
#include "tests/support/event_writer.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using events::PersonalFields;

class AsOfTest : public testing::Test {
   protected:
    AsOfTest() {
        events::PostgresLog::initialize(database_.url(), 2);
        events::PostgresLogOptions options;
        options.database_url = database_.url();
        log_ = std::make_unique<events::PostgresLog>(options);
        writer_ = std::make_unique<EventWriter>(*log_, keyring_, 1);
        writer_->meta.organization = 9;
    }

    events::PastState past(events::AggregateRef const& aggregate, std::string const& time,
                           PersonalFields personal = PersonalFields::hidden, bool sandbox = false) {
        return events::state_as_of(*log_, aggregate, sandbox, *core::parse_timestamp(time), personal, keyring_,
                                   [](std::int64_t) {});
    }

    TestDatabase database_;
    MemoryKeyring keyring_;
    std::unique_ptr<events::PostgresLog> log_;
    std::unique_ptr<EventWriter> writer_;
};

TEST_F(AsOfTest, AShiftAtEachOfItsTimes) {
    events::ShiftPosted posted;
    posted.facilityId = 3;
    posted.title = R"(Night "subject":"shift/43")";
    posted.timezone = "Europe/Berlin";
    writer_->add(Kind::shift, 42, events::ShiftEvent(posted));                         // 08:00:01
    writer_->add(Kind::shift, 43, events::ShiftEvent(posted));                         // 08:00:02
    writer_->add(Kind::shift, 42, events::ShiftEvent(events::ShiftCancelled{"ill"}));  // 08:00:03
    writer_->add(Kind::shift, 42, events::ShiftEvent(events::ShiftReopened{}));        // 08:00:04
    writer_->add(Kind::shift, 42, events::ShiftEvent(events::ShiftDeleted{}));         // 08:00:05
    writer_->append();

    auto const before = past({Kind::shift, 42}, "2026-07-24T08:00:00.999Z");
    EXPECT_TRUE(before.ever);
    EXPECT_EQ(before.state, "null");
    EXPECT_EQ(before.version, 0);
    EXPECT_TRUE(before.events.empty());
    EXPECT_EQ(before.read, 5);

    auto const status = [&](std::string const& time) {
        auto const state = past({Kind::shift, 42}, time);
        return core::from_stored_json<events::Shift>(state.state).status;
    };
    EXPECT_EQ(status("2026-07-24T08:00:01Z"), events::ShiftStatus::open);
    EXPECT_EQ(status("2026-07-24T08:00:02.999Z"), events::ShiftStatus::open);
    EXPECT_EQ(status("2026-07-24T10:00:03+02:00"), events::ShiftStatus::cancelled);
    EXPECT_EQ(status("2026-07-24T08:00:04Z"), events::ShiftStatus::open);

    auto const cancelled = past({Kind::shift, 42}, "2026-07-24T08:00:03Z");
    EXPECT_EQ(cancelled.version, 2);
    EXPECT_EQ(cancelled.partition, 1);
    EXPECT_EQ(cancelled.organization, 9);
    ASSERT_EQ(cancelled.events.size(), 2U);
    EXPECT_EQ(cancelled.events[1].position, 2);
    EXPECT_EQ(cancelled.events[1].body, log_->read(1, 2, 1, 1)[0].body) << "as stored";

    auto const deleted = past({Kind::shift, 42}, "2026-07-24T08:00:05Z");
    EXPECT_EQ(deleted.state, "null");
    EXPECT_EQ(deleted.events.size(), 4U);
}

TEST_F(AsOfTest, WhatNeverWas) {
    writer_->meta.sandbox = true;
    events::ShiftPosted posted;
    posted.timezone = "Europe/Berlin";
    writer_->append(Kind::shift, 42, events::ShiftEvent(posted));
    auto const now = "2027-01-01T00:00:00Z";
    EXPECT_TRUE(past({Kind::shift, 42}, now, PersonalFields::hidden, true).ever);
    EXPECT_FALSE(past({Kind::shift, 42}, now).ever) << "the sandbox's is not live";
    EXPECT_FALSE(past({Kind::shift, 4}, now).ever);
    EXPECT_FALSE(past({Kind::staff, 42}, now).ever);
}

TEST_F(AsOfTest, PersonalFieldsAreShownToThoseWhoMaySeeThem) {
    events::StaffOnboarded person;
    person.firstName = core::Name("Ada");
    person.lastName = core::Name("Byron");
    person.email = core::Email("ada@example.test");
    person.specialty = "Nurse";
    writer_->append(Kind::staff, 8, events::StaffEvent(person));
    auto const now = "2027-01-01T00:00:00Z";
    auto const hidden = past({Kind::staff, 8}, now).state;
    EXPECT_EQ(hidden.find("Ada"), std::string::npos) << hidden;
    EXPECT_NE(hidden.find(R"("firstName":{"sealed":"***"})"), std::string::npos) << hidden;
    EXPECT_NE(hidden.find(R"("specialty":"Nurse")"), std::string::npos) << hidden;
    EXPECT_NE(hidden.find(R"("isActive":true)"), std::string::npos) << hidden;
    auto const open = past({Kind::staff, 8}, now, PersonalFields::open);
    EXPECT_NE(open.state.find(R"("firstName":"Ada")"), std::string::npos) << open.state;
    EXPECT_EQ(open.events[0].body.find(R"("Ada")"), std::string::npos) << "stored events stay sealed";
    keyring_.destroy("staff/8");
    auto const erased = past({Kind::staff, 8}, now, PersonalFields::open).state;
    EXPECT_NE(erased.find(R"("firstName":"")"), std::string::npos) << erased;
    EXPECT_NE(erased.find(R"("isActive":false)"), std::string::npos) << erased;
}

}  // namespace
}  // namespace workforce::tests
