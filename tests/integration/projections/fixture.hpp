// A log of two partitions or more, its read models, and what tests of both ask of them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "core/database.hpp"
#include "events/facility.hpp"
#include "events/log/postgres/postgres_log.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"
#include "projections/engine/rebuild.hpp"
#include "projections/engine/runner.hpp"
#include "tests/support/event_writer.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::tests {

inline constexpr int kTestPartitions = 2;

inline events::FacilityCreated facility_created(std::string const& name) {
    events::FacilityCreated facility;
    facility.name = name;
    facility.timezone = "Europe/Berlin";
    return facility;
}

inline events::StaffOnboarded staff_onboarded(std::string const& first, std::string const& last) {
    events::StaffOnboarded staff;
    staff.firstName = core::Name(first);
    staff.lastName = core::Name(last);
    staff.email = core::Email(first + "@example.test");
    staff.specialty = "ICU";
    staff.skills = {"Triage", "a \"quoted\" one"};
    return staff;
}

/// A shift of eight hours.
inline events::ShiftPosted shift_posted(core::Id facility, std::string const& title, std::string const& starts) {
    events::ShiftPosted shift;
    shift.facilityId = facility;
    shift.title = title;
    shift.startsAt = *core::parse_timestamp(starts);
    shift.endsAt = {shift.startsAt.ms + 8 * 3'600'000};
    shift.timezone = "Europe/Berlin";
    shift.date = core::local_date(shift.startsAt, shift.timezone);
    shift.department = "Emergency";
    return shift;
}

class ProjectionsTest : public testing::Test {
   public:
    ProjectionsTest(ProjectionsTest const&) = delete;
    ProjectionsTest& operator=(ProjectionsTest const&) = delete;
    ~ProjectionsTest() override { log_->stop(); }

   protected:
    explicit ProjectionsTest(int partitions = kTestPartitions) {
        events::PostgresLog::initialize(database_.url(), partitions);
        events::PostgresLogOptions options;
        options.database_url = database_.url();
        log_ = std::make_unique<events::PostgresLog>(options);
    }

    core::ConnectionOptions connection() const { return {.url = database_.url()}; }
    projections::RunnerOptions runner_options(std::size_t batch = 2000) const {
        return {.connection = connection(), .batch_records = batch};
    }
    core::DatabaseOptions reader_options() const {
        core::DatabaseOptions options;
        options.connection = {.url = database_.url(), .role = "workforce_reader"};
        options.threads = 2;
        return options;
    }
    /// Runs until the log's heads are folded; fails the test when that takes half a minute.
    void fold(projections::Runner& runner) {
        for (int i = 0; i < log_->partitions(); ++i) {
            EXPECT_TRUE(wait_for(runner, i, log_->head(i).position)) << "partition " << i;
        }
    }
    /// As above, by a runner of its own with one session, which prepares each statement once.
    void fold() {
        auto options = runner_options();
        options.connections = 1;
        projections::Runner runner(*log_, keyring_, options);
        fold(runner);
    }
    static bool wait_for(projections::Runner& runner, int partition, std::int64_t position,
                         std::string const& projection = {},
                         std::chrono::milliseconds time = std::chrono::seconds(30)) {
        return await(
            runner.progress().wait_for(partition, position, std::chrono::steady_clock::now() + time, projection));
    }

    /// The first field of the first row, as the superuser sees it.
    std::string ask(std::string const& sql) { return database_.ask(sql); }
    /// Every table of the read models with a digest of its rows.
    std::map<std::string, std::string> checksums() {
        std::map<std::string, std::string> all;
        for (auto const& table : database_.query(
                 "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'read'::regnamespace")) {
            std::string const name = table[0].c_str();
            auto const digest = database_.query(
                "SELECT count(*) || ' ' || md5(string_agg(t::text, E'\\n' ORDER BY organization_id, is_sandbox, id)) "
                "FROM read." +
                name + " t");
            all[name] = digest[0][0].c_str();
        }
        return all;
    }

    TestDatabase database_;
    MemoryKeyring keyring_;
    std::unique_ptr<events::EventLog> log_;
};

}  // namespace workforce::tests
