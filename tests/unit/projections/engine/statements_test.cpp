// Texts of statements made of fragments, and text as lists search it.
#include "projections/engine/statements.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/utf8.hpp"
#include "projections/sql.hpp"

namespace workforce::tests {
namespace {

TEST(StatementsTest, ReplacesFragmentsAndSections) {
    EXPECT_EQ(projections::with_fragments("a /*x*/ b /*x*/ /*y*/", {{"x", "1"}, {"y", "2"}}), "a 1 b 1 2");
    EXPECT_EQ(projections::with_section("a /*x*/ b /*end x*/ c /*x*/d/*end x*/", "x", "?"), "a ? c ?");
    EXPECT_EQ(projections::with_section("a", "x", "?"), "a");
    EXPECT_THROW(projections::with_section("a /*x*/ b", "x", "?"), std::logic_error);
}

TEST(StatementsTest, OperatorsAloneGoAcrossOrganizations) {
    projections::ScopedStatement const statement("find", "WHERE /*organization*/ o = $1 AND /*end organization*/ true");
    EXPECT_EQ(statement.of({.organization = 7}).sql, "WHERE /*organization*/ o = $1 AND /*end organization*/ true");
    EXPECT_EQ(statement.of({.organization = 7, .operator_access = true}).name, "find");
    EXPECT_EQ(statement.of({}).name, "find");
    EXPECT_EQ(statement.of({.operator_access = true}).name, "find.across");
    EXPECT_EQ(statement.of({.operator_access = true}).sql, "WHERE $1::bigint = 0 AND true");
    EXPECT_FALSE(projections::tenant({.organization = 7, .operator_access = true}).operator_access);
}

TEST(StatementsTest, OwnRowsAreOfOneOrganization) {
    projections::ScopedStatement const statement(
        "find", "WHERE /*tenant*/ /*organization*/ o = $1 AND /*end organization*/ true /*end tenant*/", "s = $5");
    for (projections::Scope scope : {projections::Scope{.organization = 7}, {.operator_access = true}}) {
        scope.own.emplace();
        EXPECT_EQ(statement.of(scope).name, "find.own");
        EXPECT_EQ(statement.of(scope).sql,
                  "WHERE /*tenant*/ /*organization*/ o = $1 AND /*end organization*/ true /*end tenant*/ AND (s = $5)");
    }
    EXPECT_EQ(statement.of({.organization = 7}).name, "find");
    EXPECT_THROW(projections::with_own_rows("WHERE true", "s = $5"), std::logic_error);
}

/// Whoever adds a statement over tenants' rows must mark its condition, or the test that takes it away passes it by.
TEST(StatementsTest, EveryQueryMarksItsTenant) {
    for (auto const& file : projections::sql::kFiles) {
        bool const query = file.text.find("FROM read.") != std::string_view::npos;
        // Of an organization's users and keys by their ids, in a session of that organization.
        bool const names = file.name == "activity/users.sql" || file.name == "audit/names.sql" ||
                           file.name == "usage/by_key.sql" || file.name == "usage/rows.sql";
        // Of all who wait, under the role that sees all of them; and pages, whose condition a test of their own takes
        // away (event_tap_test.cpp).
        bool const events = file.name == "event_tap/news.sql" || file.name == "event_tap/page.sql";
        if (!query || names || events) continue;
        EXPECT_NE(file.text.find("/*tenant*/"), std::string_view::npos) << file.name;
    }
}

TEST(SearchTextTest, FoldsCaseBeyondAscii) {
    EXPECT_EQ(core::fold_case("Night SHIFT"), "night shift");
    EXPECT_EQ(core::fold_case("STRASSE"), core::fold_case("straße"));
    EXPECT_EQ(core::fold_case("ÀB"), core::fold_case("àb"));
    EXPECT_EQ(core::fold_case("A\u0300"), core::fold_case("\u00c0")) << "composed and not";
    EXPECT_EQ(core::fold_case("\xff"
                              "A"),
              "\xff"
              "a")
        << "no UTF-8";
}

}  // namespace
}  // namespace workforce::tests
