// Read models are the fold of the log: live, rebuilt, by two processes, through outages.
#include <random>
#include <thread>

#include "core/connection.hpp"
#include "projections/poison.hpp"
#include "tests/integration/projections/fixture.hpp"

namespace workforce::tests {
namespace {

using events::Kind;

/// A history that has every event, resources that change across batches, and sandbox rows beside live ones.
class History {
   public:
    History(events::EventLog& log, events::Keyring& keyring, int partition, unsigned seed)
        : writer_(log, keyring, partition), random_(seed), base_(1000 * (partition + 1)) {
        writer_.meta.organization = base_;
        events::OrganizationCreated organization;
        organization.name = "Größe & Söhne";
        writer_.add(Kind::organization, base_, organization);
        events::UserCreated user;
        user.email = core::Email("ada@example.test");
        user.firstName = core::Name("Ada");
        user.lastName = core::Name("Lovelace");
        writer_.add(Kind::user, base_, user);
        writer_.meta.actor = {events::ActorType::user, base_, base_};
        events::ApiKeyCreated key;
        key.name = "key";
        key.scopes = {"shifts:read"};
        writer_.add(Kind::api_key, base_, key);
        for (int i = 0; i < 3; ++i)
            writer_.add(Kind::facility, base_ + i, facility_created("House " + std::to_string(i)));
    }

    void grow(int events) {
        for (int i = 0; i < events; ++i) {
            one();
            if (random_() % 4 == 0) writer_.append();
        }
        writer_.append();
    }

   private:
    void one() {
        writer_.meta.sandbox = false;
        writer_.meta.facility = base_ + random_() % 3;
        auto const dice = random_() % 12;
        if (dice < 2 || shifts_.empty()) {
            core::Id const id = base_ + static_cast<core::Id>(shifts_.size());
            shifts_.push_back(random_() % 4 == 0);
            writer_.meta.sandbox = shifts_.back();
            return writer_.add(Kind::shift, id,
                               shift_posted(writer_.meta.facility, "Nachtdienst \"N\\1\"", "2026-07-24T20:00:00Z"));
        }
        if (dice == 2 || staff_ == 0)
            return writer_.add(Kind::staff, base_ + staff_++, staff_onboarded("Grace", "Hopper"));
        if (dice == 3) return change_staff();
        if (dice == 4) return change_facility();
        change_shift();
    }
    void change_staff() {
        core::Id const id = base_ + static_cast<core::Id>(random_() % static_cast<unsigned>(staff_));
        events::StaffUpdated update;
        update.lastName = core::Personal<core::Name>(core::Name("Müller"));
        update.hourlyRate = core::Rate{1250};
        switch (random_() % 3) {
            case 0:
                return writer_.add(Kind::staff, id, update);
            case 1:
                return writer_.add(Kind::staff, id, events::StaffDeactivated{});
            default:
                return writer_.add(Kind::staff, id, events::StaffReactivated{});
        }
    }
    void change_facility() {
        events::FacilityUpdated update;
        update.code = "C" + std::to_string(random_() % 100);
        writer_.add(Kind::facility, base_ + random_() % 3, update);
    }
    void change_shift() {
        auto const place = random_() % shifts_.size();
        core::Id const id = base_ + static_cast<core::Id>(place);
        writer_.meta.sandbox = shifts_[place];
        core::Id const staff = base_ + random_() % 5;
        events::ShiftUpdated update;
        update.title = "Frühdienst";
        update.urgency = events::Urgency::high;
        switch (random_() % 8) {
            case 0:
                return writer_.add(Kind::shift, id, update);
            case 1:
                return writer_.add(
                    Kind::shift, id,
                    events::ShiftStaffAssigned{staff, events::AssignmentSource::direct, {{"overtime", "agreed"}}});
            case 2:
                return writer_.add(Kind::shift, id, events::ShiftFilled{{staff}});
            case 3:
                return writer_.add(Kind::shift, id, events::ShiftUnassigned{staff});
            case 4:
                return writer_.add(Kind::shift, id, events::ShiftVacancyOpened{1});
            case 5:
                return writer_.add(Kind::shift, id, events::ShiftCancelled{"rain"});
            case 6:
                return writer_.add(Kind::shift, id, events::ShiftReopened{});
            default:
                return writer_.add(Kind::shift, id, events::ShiftDeleted{});
        }
    }

    EventWriter writer_;
    std::mt19937 random_;
    core::Id base_;
    std::vector<bool> shifts_;  // whether each is a sandbox row
    core::Id staff_ = 0;
};

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
        options.cache = 4;
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
        ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'workforce' AND datname = "
            "current_database()");
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
        auto const status = runner.progress().status();
        ASSERT_EQ(status.stopped.size(), 2u);  // at both partitions
        EXPECT_NE(status.stopped[0].reason.find("rebuild"), std::string::npos);
    }
    rebuild({"facility"});
    fold();
    EXPECT_EQ(ask("SELECT count(*) FROM read.facility"), "2");
}

}  // namespace
}  // namespace workforce::tests
