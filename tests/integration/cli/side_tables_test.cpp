// Every table beside log and read models says what becomes of it in a backup, and how an erasure reaches it.
#include "cli/side_tables.hpp"

#include <gtest/gtest.h>

#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <set>

#include "tests/support/test_database.hpp"

namespace workforce::tests {
namespace {

TEST(SideTables, AllAreDeclaredAndThere) {
    TestDatabase database;
    std::set<std::string> there;
    pqxx::connection connection(database.url());
    for (auto const& row : pqxx::nontransaction(connection)
                               .exec("SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n "
                                     "ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition "
                                     "AND n.nspname IN ('ops', 'auth', 'vault', 'reactor', 'usage')")) {
        there.emplace(row[0].c_str());
    }
    std::set<std::string> declared;
    for (auto const& table : cli::kSideTables) {
        declared.emplace(table.name);
        EXPECT_FALSE(table.restore.empty()) << table.name;
        EXPECT_FALSE(table.erasure.empty()) << table.name;
    }
    EXPECT_EQ(declared, there);
}

}  // namespace
}  // namespace workforce::tests
