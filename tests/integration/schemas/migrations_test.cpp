// The migration runner against a real database.
#include "schemas/migrations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <memory>
#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>

#include "core/database.hpp"
#include "tests/support/test_database.hpp"

namespace workforce::schemas {
namespace {

using tests::TestDatabase;
using Names = std::vector<std::string>;

constexpr sql::File kFirst{"migrations/0001_first.sql", "CREATE TABLE public.first (i int)"};
constexpr sql::File kSecond{"migrations/0002_second.sql", "CREATE TABLE public.second (i int)"};
constexpr std::array kOne{kFirst};
constexpr std::array kTwo{kFirst, kSecond};

pqxx::result query(std::string const& url, std::string const& text) {
    pqxx::connection connection(url);
    return pqxx::nontransaction(connection).exec(text);
}

class Migrations : public testing::Test {
   protected:
    TestDatabase database_{TestDatabase::Schema::empty};
};

TEST_F(Migrations, ApplyWhatIsMissingOnce) {
    EXPECT_EQ(schema_state(database_.url(), kTwo).state, SchemaState::missing);
    EXPECT_EQ(migrate(database_.url(), kOne), Names{"0001_first.sql"});
    auto const behind = schema_state(database_.url(), kTwo);
    EXPECT_EQ(behind.state, SchemaState::behind);
    EXPECT_EQ(behind.database_version, 1);
    EXPECT_EQ(behind.program_version, 2);
    EXPECT_EQ(migrate(database_.url(), kTwo), Names{"0002_second.sql"});
    EXPECT_EQ(schema_state(database_.url(), kTwo).state, SchemaState::current);
    EXPECT_EQ(migrate(database_.url(), kTwo), Names{});
    EXPECT_EQ(query(database_.url(), "SELECT FROM public.second").size(), 0U);
}

TEST_F(Migrations, FailedOneLeavesNothing) {
    constexpr std::array broken{
        kFirst, sql::File{"migrations/0002_broken.sql", "CREATE TABLE public.half (i int); SELECT 1/0"}};
    EXPECT_THROW(migrate(database_.url(), broken), pqxx::sql_error);
    EXPECT_EQ(schema_state(database_.url(), broken).database_version, 1);
    EXPECT_TRUE(query(database_.url(), "SELECT to_regclass('public.half')")[0][0].is_null());
    EXPECT_EQ(migrate(database_.url(), kTwo), Names{"0002_second.sql"});
}

TEST_F(Migrations, RefuseChangedHistory) {
    migrate(database_.url(), kTwo);
    constexpr std::array changed{kFirst, sql::File{"migrations/0002_second.sql", "CREATE TABLE public.other (i int)"}};
    EXPECT_THROW(migrate(database_.url(), changed), MigrationError);
    constexpr std::array squeezed_in{sql::File{"migrations/0000_zeroth.sql", "SELECT 1"}, kFirst, kSecond};
    EXPECT_THROW(migrate(database_.url(), squeezed_in), MigrationError);
}

TEST_F(Migrations, RefuseNewerDatabase) {
    migrate(database_.url(), kTwo);
    EXPECT_EQ(schema_state(database_.url(), kOne).state, SchemaState::too_new);
    try {
        migrate(database_.url(), kOne);
        FAIL() << "migrated";
    } catch (MigrationError const& error) {
        std::string const text = error.what();
        EXPECT_EQ(text.find('\n'), std::string::npos);
        EXPECT_NE(text.find("version 2"), std::string::npos) << text;
    }
}

TEST_F(Migrations, UnreachableDatabaseIsOneLine) {
    try {
        schema_state("host=/nonexistent user=nobody dbname=none");
        FAIL() << "reached";
    } catch (core::DatabaseUnavailable const& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
}

// Concurrent starts: on one database they wait for each other; roles are shared by all databases of the server.
TEST_F(Migrations, ConcurrentlyOnOneAndOnSeveralDatabases) {
    std::vector<std::unique_ptr<TestDatabase>> databases;
    std::vector<std::future<Names>> runs;
    for (int i = 0; i < 3; ++i) databases.push_back(std::make_unique<TestDatabase>(TestDatabase::Schema::empty));
    for (auto const& database : databases) {
        for (int i = 0; i < 2; ++i) {
            runs.push_back(std::async(std::launch::async, [url = database->url()] { return migrate(url); }));
        }
    }
    std::size_t applied = 0;
    for (auto& run : runs) applied += run.get().size();
    EXPECT_EQ(applied % databases.size(), 0U);
    EXPECT_GT(applied, 0U);
    for (auto const& database : databases) EXPECT_EQ(schema_state(database->url()).state, SchemaState::current);
}

TEST_F(Migrations, LogIsAppendOnlyForItsWriterAndHiddenFromQueries) {
    migrate(database_.url());
    auto const allowed = [&](std::string const& role, std::string const& table, std::string const& privilege) {
        return query(database_.url(), "SELECT has_schema_privilege('" + role + "', split_part('" + table +
                                          "', '.', 1), 'USAGE') AND has_table_privilege('" + role + "', '" + table +
                                          "', '" + privilege + "')")[0][0]
            .as<bool>();
    };
    EXPECT_TRUE(allowed("workforce_writer", "log.event", "INSERT"));
    EXPECT_TRUE(allowed("workforce_projector", "log.event", "SELECT"));
    for (std::string const role : {"workforce_writer", "workforce_projector", "workforce_reader"}) {
        for (std::string const privilege : {"UPDATE", "DELETE", "TRUNCATE"}) {
            EXPECT_FALSE(allowed(role, "log.event", privilege)) << role << privilege;
            EXPECT_FALSE(allowed(role, "log.claim", privilege)) << role << privilege;
        }
    }
    for (std::string const table :
         {"log.event", "log.partition", "log.claim", "log.installation", "vault.person_key"}) {
        EXPECT_FALSE(allowed("workforce_reader", table, "SELECT")) << table;
    }
}

}  // namespace
}  // namespace workforce::schemas
