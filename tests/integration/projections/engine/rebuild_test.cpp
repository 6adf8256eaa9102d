// Rebuilds beside live traffic: readers, live projections, other sessions and an early end.
#include <fmt/format.h>
#include <chrono>
#include <pqxx/connection>
#include <pqxx/nontransaction>

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <pqxx/transaction>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/connection.hpp"
#include "projections/engine/checkpoints.hpp"
#include "tests/integration/projections/engine/history.hpp"
#include "tests/support/at_length.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using projections::RebuildProgress;

/// What a table is besides its rows, in lines that compare.
constexpr std::string_view kTraits = R"(
SELECT string_agg(line, E'\n' ORDER BY line) FROM (
    SELECT format('%s owner %s rls %s %s options %s', c.relname, c.relowner::regrole, c.relrowsecurity,
                  c.relforcerowsecurity, c.reloptions) AS line
    FROM pg_class c WHERE c.relnamespace = 'read'::regnamespace AND c.relkind IN ('r', 'i')
    UNION ALL
    SELECT format('%s %s', tablename, indexdef) FROM pg_indexes WHERE schemaname = 'read'
    UNION ALL
    SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'read'::regnamespace
    UNION ALL
    SELECT p::text FROM pg_policies p WHERE schemaname = 'read'
    UNION ALL
    SELECT format('%s %s', relname, a) FROM pg_class, aclexplode(relacl) a WHERE relnamespace = 'read'::regnamespace
    UNION ALL
    SELECT format('%s.%s %s', attrelid::regclass, attname, a) FROM pg_attribute, aclexplode(attacl) a
    WHERE attrelid::regclass::text LIKE 'read.%'
    UNION ALL
    SELECT format('%s %s %s %s %s %s', attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attnotnull,
                  attcollation)
    FROM pg_attribute WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'read'::regnamespace) AND attnum > 0
) AS all_of_them)";

class RebuildTest : public ProjectionsTest {
   protected:
    using ProjectionsTest::ProjectionsTest;

    projections::RebuildResult rebuild(std::function<void(RebuildProgress const&)> const& progress = {},
                                       std::vector<std::string> const& names = {}, std::size_t batch = 64) {
        projections::RebuildOptions options{.connection = connection()};
        options.batch_records = batch;
        return projections::rebuild(*log_, keyring_, options, names, progress);
    }
    /// A session as queries have it, for one organization.
    std::unique_ptr<core::Connection> reader(core::Id organization) {
        auto session = std::make_unique<core::Connection>(reader_options().connection);
        session->use({organization, false, false});
        return session;
    }
};

TEST_F(RebuildTest, SwapsInBesideLiveWritesAndReads) {
    History first(*log_, keyring_, 0, 1), second(*log_, keyring_, 1, 2);
    first.grow(300);
    second.grow(300);
    projections::Runner runner(*log_, keyring_, runner_options(20));
    fold(runner);
    std::atomic<bool> stop{false};
    std::jthread const writer([&] {
        while (!stop) {  // at the pace of the live projections
            first.grow(5);
            second.grow(5);
            fold(runner);
        }
    });
    std::atomic<int> reads{0};
    // Each row that was there stays visible, by plans made anew each time and by prepared ones, whatever their context.
    auto const read = [&](bool switches_context) {
        core::Connection session(reader_options().connection);
        core::Statement const count{"count", "SELECT count(*) FROM read.shift WHERE organization_id = $1"};
        std::map<core::Id, std::int64_t> least;
        for (core::Id organization = 1000; !stop;
             organization = switches_context ? 3000 - organization : organization) {
            session.use({organization, false, false});
            auto const found = core::read<std::int64_t>(session.execute(count, organization)[0][0]);
            if (found < least[organization]) return fmt::format("{} rows became {}", least[organization], found);
            least[organization] = found;
            ++reads;
            std::this_thread::sleep_for(
                std::chrono::milliseconds(1));  // there are some hundred reads a rebuild all the same
        }
        return std::string();
    };
    auto steady = std::async(std::launch::async, read, false);
    auto switching = std::async(std::launch::async, read, true);
    // Readers wait for it, also where the test ends before its time.
    std::shared_ptr<void> const ending(nullptr, [&](void*) { stop = true; });
    auto const before = ask(std::string(kTraits));
    auto const reads_on = [](std::future<std::string> const& reader) {
        return reader.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    };
    for (int i = 0; i < (at_length() ? 5 : 2); ++i) {
        auto const reads_before = reads.load();
        rebuild();
        while (reads.load() < reads_before + 20 && reads_on(steady) && reads_on(switching))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    stop = true;
    EXPECT_EQ(steady.get(), "");
    EXPECT_EQ(switching.get(), "");
    fold(runner);
    EXPECT_TRUE(runner.progress().status().stopped.empty());
    EXPECT_EQ(ask(std::string(kTraits)), before);
    auto const live = checksums();
    rebuild();
    EXPECT_EQ(checksums(), live);
    EXPECT_EQ(ask("SELECT count(*) FROM pg_class WHERE relnamespace = 'rebuild'::regnamespace"), "0");
}

TEST_F(RebuildTest, CatchesUpWithLiveProjectionsThatAreFaster) {
    History first(*log_, keyring_, 0, 1), second(*log_, keyring_, 1, 2);
    // Ten times what a shadow's transaction takes: on any machine the live projections are the faster ones.
    constexpr std::size_t kShadowBatch = 60;
    projections::Runner runner(*log_, keyring_, runner_options(10 * kShadowBatch));
    // Always ahead of the live projections, but by no more than they fold soon: what a slow machine folds slowly is
    // written slowly. It ends, so that a chase would.
    constexpr int kMost = 400'000;
    constexpr std::int64_t kAhead = 5000;
    std::atomic<int> written{0};
    std::jthread const writer([&](std::stop_token const& stop) {
        while (!stop.stop_requested() && written < kMost) {
            first.grow(50);
            second.grow(50);
            written += 100;
            for (int i = 0; i < 2; ++i) wait_for(runner, i, log_->head(i).position - kAhead);
        }
    });
    while (written < 4000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    rebuild({}, {}, kShadowBatch);
    EXPECT_LT(written, kMost) << "the swap came only once nobody wrote any more";
}

TEST_F(RebuildTest, CarriesWhatOperatorsChanged) {
    EventWriter writer(*log_, keyring_, 0);
    writer.append(Kind::facility, 1, facility_created("House"));
    fold();
    ask("DO $$ BEGIN CREATE ROLE \"Odd analyst\" NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
    ask("GRANT SELECT (id, doc) ON read.facility TO \"Odd analyst\"");
    ask("GRANT SELECT ON read.facility TO \"Odd analyst\" WITH GRANT OPTION");
    ask("CREATE POLICY \"some rows\" ON read.facility AS RESTRICTIVE FOR ALL TO \"Odd analyst\" USING (id > 7) "
        "WITH CHECK (id < 8)");
    ask("ALTER TABLE read.facility SET (autovacuum_vacuum_scale_factor = 0.01), FORCE ROW LEVEL SECURITY");
    ask("CREATE INDEX \"Odd index\" ON read.facility (lower(timezone) DESC) WITH (fillfactor = 60) WHERE id > 3");
    auto const before = ask(std::string(kTraits));
    EXPECT_NE(before.find("Odd index"), std::string::npos);
    rebuild();
    EXPECT_EQ(ask(std::string(kTraits)), before);
    ask("DROP OWNED BY \"Odd analyst\"");
    ask("DROP ROLE \"Odd analyst\"");
}

TEST_F(RebuildTest, RowLevelSecurityBindsSessionsThatWereThereBefore) {
    EventWriter writer(*log_, keyring_, 0);
    for (core::Id const id : {7, 8}) {
        writer.meta.organization = id;
        writer.append(Kind::facility, id, facility_created("House"));
    }
    fold();
    auto const of_seven = reader(7);
    core::Statement const all{"all", "SELECT coalesce(string_agg(id::text, ','), '') FROM read.facility"};
    auto const seen = [&] { return core::read<std::string>(of_seven->execute(all)[0][0]); };
    for (int i = 0; i < 10; ++i) EXPECT_EQ(seen(), "7");  // past the executions whose plans are made anew
    rebuild();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(seen(), "7");
    of_seven->use({8, false, false});
    EXPECT_EQ(seen(), "8");
    of_seven->use({});
    EXPECT_EQ(seen(), "");
}

TEST_F(RebuildTest, ReadersGoOnWhileALockKeepsTheSwapWaiting) {
    EventWriter writer(*log_, keyring_, 0);
    writer.append(Kind::facility, 1, facility_created("House"));
    fold();
    auto const other = reader(0);
    core::Statement const count{"count", "SELECT count(*) FROM read.facility"};
    pqxx::connection holding(database_.url());
    auto held = std::make_unique<pqxx::work>(holding);
    held->exec("SELECT count(*) FROM read.facility");
    std::promise<void> waits;
    int waited = 0;
    auto rebuilt = std::async(std::launch::async, [&] {
        return rebuild([&](RebuildProgress const& progress) {
            if (progress.doing == "waiting for a lock" && ++waited == 2) waits.set_value();
        });
    });
    ASSERT_EQ(waits.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
    EXPECT_EQ(core::read<int>(other->execute(count)[0][0]), 0);  // of no organization; but it is answered
    held.reset();
    rebuilt.get();
    EXPECT_EQ(ask("SELECT count(*) FROM read.facility WHERE NOT is_sandbox"), "1");
}

TEST_F(RebuildTest, LockThatReadersDoNotMindIsNotWaitedForInSilence) {
    EventWriter writer(*log_, keyring_, 0);
    writer.append(Kind::facility, 1, facility_created("House"));
    fold();
    pqxx::connection holding(database_.url());
    auto held = std::make_unique<pqxx::work>(holding);
    held->exec("LOCK TABLE read.facility IN SHARE UPDATE EXCLUSIVE MODE");  // as VACUUM and CREATE INDEX do
    std::promise<void> waits;
    bool told = false;
    auto rebuilt = std::async(std::launch::async, [&] {
        return rebuild([&](RebuildProgress const& progress) {
            if (progress.doing == "waiting for a lock" && !std::exchange(told, true)) waits.set_value();
        });
    });
    EXPECT_EQ(waits.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
    held.reset();
    rebuilt.get();
    EXPECT_EQ(ask("SELECT count(*) FROM read.facility WHERE NOT is_sandbox"), "1");
}

/// Holds a table against the swap for a while, each time that this waits for it.
class Hindrance {
   public:
    Hindrance(std::string url, std::string table)
        : url_(std::move(url)), table_(std::move(table)), thread_([this](std::stop_token const& stop) { run(stop); }) {}

   private:
    static constexpr std::chrono::milliseconds kHold{150};
    static constexpr std::chrono::milliseconds kLook{5};  // between two looks, for there are many who look

    void run(std::stop_token const& stop) const {
        pqxx::connection holding(url_), looking(url_);
        while (!stop.stop_requested()) {
            pqxx::work held(holding);
            held.exec("SELECT FROM " + table_ + " LIMIT 1");
            auto const awaited = [&] {
                return !pqxx::nontransaction(looking)
                            .exec(
                                "SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation "
                                "= '" +
                                table_ + "'::regclass")
                            .empty();
            };
            while (!stop.stop_requested() && !awaited()) std::this_thread::sleep_for(kLook);
            std::this_thread::sleep_for(kHold);
        }
    }

    std::string const url_;
    std::string const table_;
    std::jthread thread_;
};

TEST_F(RebuildTest, WaitsForManyTablesDoNotAddUp) {
    EventWriter writer(*log_, keyring_, 0);
    writer.append(Kind::facility, 1, facility_created("House"));
    fold();
    std::deque<Hindrance> hindrances;
    for (auto const& type : projections::registry())
        hindrances.emplace_back(database_.url(), fmt::format("read.{}", type.table));
    bool waited = false;
    rebuild([&](RebuildProgress const& progress) {
        if (progress.doing != "waiting for a lock") return;
        waited = true;
        hindrances.clear();
    });
    EXPECT_TRUE(waited) << "no lock was waited for longer than 0.4 s, but all of them together were";
    EXPECT_EQ(ask("SELECT count(*) FROM read.facility WHERE NOT is_sandbox"), "1");
}

TEST_F(RebuildTest, SecondOneIsRefused) {
    EventWriter writer(*log_, keyring_, 0);
    writer.append(Kind::facility, 1, facility_created("House"));
    std::string refused;
    rebuild([&](RebuildProgress const&) {
        if (!refused.empty()) return;
        try {
            rebuild();
        } catch (std::runtime_error const& error) {
            refused = error.what();
        }
    });
    EXPECT_NE(refused.find("another rebuild"), std::string::npos) << refused;
    EXPECT_EQ(ask("SELECT count(*) FROM read.facility WHERE NOT is_sandbox"), "1");
}

TEST_F(RebuildTest, EarlyEndLeavesLiveTablesAsTheyWere) {
    History history(*log_, keyring_, 0, 3);
    history.grow(200);
    fold();
    auto const live = checksums();
    auto const checkpoints = "SELECT string_agg(c::text, E'\\n' ORDER BY c::text) FROM projection.checkpoint c";
    auto const standing = ask(checkpoints);
    // Its sessions end in the middle, as they do when its process dies: nothing is tidied up.
    EXPECT_ANY_THROW(rebuild([&](RebuildProgress const& progress) {
        if (progress.events > 100)
            ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'workforce' AND "
                "datname = "
                "current_database()");
    }));
    EXPECT_EQ(checksums(), live);
    EXPECT_EQ(ask(checkpoints), standing);
    EXPECT_NE(ask("SELECT count(*) FROM pg_class WHERE relnamespace = 'rebuild'::regnamespace"), "0");
    rebuild();
    EXPECT_EQ(checksums(), live);
    EXPECT_EQ(ask("SELECT count(*) FROM pg_class WHERE relnamespace = 'rebuild'::regnamespace"), "0");
}

TEST_F(RebuildTest, LiveProjectionForgetsTheRowsThatItRemembered) {
    EventWriter writer(*log_, keyring_, 0);
    writer.append(Kind::facility, 1, facility_created("House"));
    projections::Runner runner(*log_, keyring_, runner_options());
    fold(runner);
    rebuild();
    // As if the row that it remembers lacked an event that was skipped, and the rebuilt one had it.
    ask("UPDATE read.facility SET doc = replace(doc, 'Berlin', 'Paris')");
    events::FacilityUpdated coded;
    coded.code = "C1";
    EXPECT_TRUE(wait_for(runner, 0, writer.append(Kind::facility, 1, coded)));
    EXPECT_NE(ask("SELECT doc FROM read.facility").find("Paris"), std::string::npos) << "the row is loaded anew";
    EXPECT_GT(runner.counters().lost_races, 0u);
}

TEST_F(RebuildTest, OtherRevisionStopsLiveProjectionsOfTheOldOne) {
    EventWriter writer(*log_, keyring_, 0);
    auto const first = writer.append(Kind::facility, 1, facility_created("House"));
    projections::Runner old(*log_, keyring_, runner_options());
    EXPECT_TRUE(wait_for(old, 0, first));
    std::vector<projections::ProjectionType> newer(projections::registry().begin(), projections::registry().end());
    for (auto& type : newer) ++type.revision;
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {"facility"}, {}, newer);
    auto const revision_of = [&](std::string const& name) {
        return ask("SELECT DISTINCT revision FROM projection.checkpoint WHERE projection = '" + name + "'");
    };
    for (auto const& type : newer) {
        auto const wanted = type.name == "facility" ? type.revision : type.revision - 1;
        EXPECT_EQ(revision_of(std::string(type.name)), std::to_string(wanted)) << type.name;
    }
    core::Connection connection(projections::aimed_at(this->connection(), projections::Tables::live));
    auto const outdated = projections::outdated(connection, newer);
    EXPECT_EQ(outdated.size(), newer.size() - 1) << "all but facility";
    EXPECT_EQ(std::count(outdated.begin(), outdated.end(), "facility"), 0);
    EXPECT_EQ(projections::outdated(connection, projections::registry()), std::vector<std::string>{"facility"});
    auto const next = writer.append(Kind::facility, 2, facility_created("Hut"));
    EXPECT_TRUE(wait_for(old, 0, next, "activity"));
    EXPECT_FALSE(wait_for(old, 0, next, "facility")) << "it does not write rows of its own revision among the newer";
    EXPECT_EQ(ask("SELECT count(*) FROM read.facility WHERE NOT is_sandbox"), "1");
    projections::Runner young(*log_, keyring_, runner_options(), newer);
    EXPECT_TRUE(wait_for(young, 0, next, "facility"));
}

/// A log that has events in one of its partitions alone, as a young installation's has.
class MostlyEmptyRebuildTest : public RebuildTest {
   protected:
    MostlyEmptyRebuildTest() : RebuildTest(6) {}
};

TEST_F(MostlyEmptyRebuildTest, EveryPartitionIsOfTheNewRevision) {
    EventWriter writer(*log_, keyring_, 4);
    auto const last = writer.append(Kind::facility, 1, facility_created("House"));
    for (int const revision : {12, 13}) {  // of projections that have never run, and of those that have
        std::vector<projections::ProjectionType> newer(projections::registry().begin(), projections::registry().end());
        for (auto& type : newer) type.revision = revision;
        projections::rebuild(*log_, keyring_, {.connection = connection()}, {}, {}, newer);
        EXPECT_EQ(ask("SELECT string_agg(DISTINCT partition || ' ' || position || ' ' || revision, ', ') "
                      "FROM projection.checkpoint"),
                  fmt::format("0 -1 {0}, 1 -1 {0}, 2 -1 {0}, 3 -1 {0}, 4 {1} {0}, 5 -1 {0}", revision, last));
        projections::Runner runner(*log_, keyring_, runner_options(), newer);
        fold(runner);
        EXPECT_TRUE(runner.progress().status().stopped.empty());
    }
}

TEST_F(RebuildTest, CheckpointsPastTheLogsEndComeBackToIt) {
    EventWriter writer(*log_, keyring_, 0);
    writer.append(Kind::facility, 1, facility_created("House"));
    fold();
    auto const live = checksums();
    ask("UPDATE projection.checkpoint SET position = position + 100");  // as when an older log was restored
    rebuild();
    EXPECT_EQ(checksums(), live);
    EXPECT_EQ(ask("SELECT string_agg(DISTINCT position::text, ',' ) FROM projection.checkpoint WHERE partition = 0"),
              "0");
}

}  // namespace
}  // namespace workforce::tests
