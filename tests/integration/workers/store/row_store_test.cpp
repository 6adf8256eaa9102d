// Look-ups of what memory evicted.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>

#include "core/connection.hpp"
#include "events/lead.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"
#include "tests/support/test_database.hpp"
#include "workers/store/row_store.hpp"

namespace workforce::tests {
namespace {

using commands::Need;

class RowStoreTest : public testing::Test {
   protected:
    static constexpr core::Id kOrganization = 7;

    /// Gives the tables that grow with history so many more rows of one organization, none of which is looked up: live
    /// ones, or what was `deleted` in the sandbox of facility 1.
    void grow(int rows, bool deleted = false) {
        auto const add = [&](std::string_view table, std::string_view columns, std::string_view values) {
            owner_.execute_sql(
                fmt::format("INSERT INTO read.{} (organization_id, is_sandbox, id, {}) "
                            "SELECT {}, {}, n, {} FROM generate_series({}, {}) AS n",
                            table, columns, kOrganization, deleted, values, rows_ + 1, rows_ + rows));
        };
        add("answer", "key, answered_at", "gen_random_uuid(), now()");
        add("staff",
            "deleted, facility_ids, version, is_active, employment_type, hourly_rate, created_at, updated_at, "
            "last_name_key, specialty_key, skill_keys, search, doc",
            (deleted ? "true, '{1}'" : "false, '{}'") +
                std::string(R"(, 1, true, 'full_time', 0, now(), now(), '', '', '{}', '',)"
                            R"( format('{"email":"%s@x.test"}', n))"));
        add("shift",
            "deleted, version, facility_id, status, urgency_rank, date, starts_at, ends_at, created_at, updated_at, "
            "staff_ids, department_key, specialty_key, search, doc, assignments",
            (deleted ? "true" : "false") +
                std::string(", 1, 1, 'open', 0, now(), now(), now(), now(), now(), ARRAY[n], '', '', '', '{}', '[]'"));
        rows_ += rows;
    }

    template <class I, class Part>
    static void add_key(commands::LookUp& wanted, bool sandbox, Part const& part, core::Timestamp from = {}) {
        wanted.needs.insert({.what = Need::What::index,
                             .kind = I::kKind,
                             .organization = kOrganization,
                             .sandbox = sandbox,
                             .text = commands::index_key<I>(sandbox, part),
                             .from = from});
    }

    /// What a batch of commands may want at once, of which nothing is there.
    static commands::LookUp batch() {
        commands::LookUp wanted;
        for (core::Id n = 1; n <= 25; ++n) {
            auto const id = 1'000'000 + n;
            wanted.needs.insert({.what = Need::What::answer, .organization = kOrganization, .text = std::to_string(n)});
            add_key<events::StaffByEmail>(wanted, false, std::to_string(n));
            wanted.needs.insert({.kind = events::Kind::staff, .organization = kOrganization, .id = id});
            wanted.needs.insert({.kind = events::Kind::shift, .organization = kOrganization, .id = id});
            add_key<events::BookingsOfPerson>(wanted, false, id);
        }
        return wanted;
    }

    /// How many rows, and entries of indexes, each table has given to sessions that have ended.
    std::map<std::string, std::int64_t> rows_read() {
        std::map<std::string, std::int64_t> rows;
        owner_.execute_sql("SELECT pg_stat_clear_snapshot()");
        for (auto const& row :
             owner_.execute_sql("SELECT relname, seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i"
                                " WHERE i.relid = t.relid) FROM pg_stat_user_tables t WHERE schemaname = 'read'")) {
            rows.emplace(core::read<std::string>(row[0]), core::read<std::int64_t>(row[1]));
        }
        return rows;
    }

    /// Waits until the store's sessions have ended.
    void await_end_of_sessions() {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        auto const sessions = [&] {
            return core::read<int>(
                owner_.execute_sql("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                                   "current_database() AND pid <> pg_backend_pid() AND "
                                   "backend_type = 'client backend'")[0][0]);
        };
        while (sessions() > 0 && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        ASSERT_EQ(sessions(), 0);
    }

    TestDatabase database_;
    core::Connection owner_{{.url = database_.url()}};
    int rows_ = 0;
};

TEST_F(RowStoreTest, PlansOfSmallTablesServeGrownOnes) {
    grow(5);
    owner_.execute_sql("VACUUM ANALYZE");
    auto const before = rows_read();
    {
        workers::RowStore store({.url = database_.url()}, 1);
        for (int i = 0; i < 10; ++i) store.find(batch());  // after some, a session keeps its plans
        grow(20'000);
        for (int i = 0; i < 5; ++i) store.find(batch());
    }
    ASSERT_NO_FATAL_FAILURE(await_end_of_sessions());
    for (auto const& [table, rows] : rows_read()) EXPECT_LT(rows, before.at(table) + 20'000) << table;
}

TEST_F(RowStoreTest, WhatResetsDeletedIsNotReadAgain) {
    grow(5'000, true);
    owner_.execute_sql("VACUUM ANALYZE");
    auto const before = rows_read();
    {
        workers::RowStore store({.url = database_.url()}, 1);
        commands::LookUp wanted;
        add_key<events::StaffOfFacility>(wanted, true, core::Id{1});
        add_key<events::ShiftsOfFacility>(wanted, true, core::Id{1});
        add_key<events::LeadsOfFacility>(wanted, true, core::Id{1});
        store.find(wanted);
    }
    ASSERT_NO_FATAL_FAILURE(await_end_of_sessions());
    for (auto const& [table, rows] : rows_read()) EXPECT_LT(rows, before.at(table) + 5'000) << table;
}

TEST_F(RowStoreTest, FindsAllOfAnIndexWithTimes) {
    grow(3);
    workers::RowStore store({.url = database_.url()}, 1);
    auto const found = [&](core::Timestamp from) {
        commands::LookUp wanted;
        add_key<events::BookingsOfPerson>(wanted, false, core::Id{2}, from);
        auto const keys = store.find(wanted).keys;
        return keys.empty() ? 0 : keys.front().entries.size();
    };
    EXPECT_EQ(found(commands::kEver), 1U);
    EXPECT_EQ(found({}), 1U);
}

// A start of the program tells; no decision has to find out.
TEST_F(RowStoreTest, TellsWhatIndexesLack) {
    workers::RowStore store({.url = database_.url()}, 1);
    auto const lacking = [&]() -> std::string {
        try {
            store.require_indexes();
            return "";
        } catch (std::runtime_error const& error) {
            return error.what();
        }
    };
    EXPECT_EQ(lacking(), "");
    owner_.execute_sql("DROP INDEX read.credential_by_holder");
    EXPECT_THAT(lacking(), testing::HasSubstr("no database index over read.credential.staff_id;"));
    owner_.execute_sql("ALTER TABLE read.staff RENAME COLUMN email TO mail");
    EXPECT_THAT(lacking(), testing::HasSubstr("no column read.staff.email;"));
}

}  // namespace
}  // namespace workforce::tests
