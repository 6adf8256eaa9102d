// Statements and parameters that a declaration gives.
#include "projections/engine/read_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "events/facility.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"
#include "tests/support/await.hpp"
#include "tests/support/list_rows.hpp"

namespace workforce::tests {

struct CrewFilter : projections::ListFilter {
    std::optional<std::vector<events::EmploymentType>> type{};
    std::optional<core::Date> from{};
    std::optional<core::ShortText> skill{};
};
BOOST_DESCRIBE_STRUCT(CrewFilter, (projections::ListFilter), (type, from, skill))

namespace {

using Crew = projections::ReadModel<events::StaffRecord, CrewFilter>;
using Sites = projections::ReadModel<events::Facility>;
using Records = projections::ReadModel<events::ShiftRecord>;

auto crew_columns() {
    return Crew::declare("crew", "crew_member")
        .seen_at("t.facility_id = ANY ($facilities)")
        .own_if("t.id = $staff OR t.site = ANY ($facilities)")
        .shown_if("t.id > 0")
        .column("type", [](auto const& person) { return person.employmentType; })
        .column("facility_ids", [](auto const& person) -> auto const& { return person.facilityIds; });
}

Crew const& crew() {
    static Crew const model = crew_columns()
                                  .filter<&CrewFilter::type>("t.type = ANY ($type)")
                                  .filter<&CrewFilter::from>("t.date >= $from")
                                  .where("t.at >= $from::date::timestamptz")
                                  .filter<&CrewFilter::skill>("t.skill_key = $skill", projections::folded)
                                  .search([](auto const& person) { return person.specialty; })
                                  .stamped()
                                  .sort("type", "type")
                                  .sort("createdAt", "created_at");
    return model;
}

events::Facility in_sandbox(events::Facility const& live) {
    auto shown = live;
    shown.name.value += "!";
    return shown;
}

TEST(ReadModelTest, LoadsWhatTheStateIsMadeOf) {
    EXPECT_EQ(crew().load().name, "crew_load");
    EXPECT_EQ(crew().load().sql, R"(-- The rows that a batch's events go on from.
SELECT t.id, t.version, t.doc, t.internals, t.deleted
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[]) AS k(organization_id, is_sandbox, id)
CROSS JOIN LATERAL (
    SELECT * FROM crew_member t
    WHERE t.organization_id = k.organization_id AND t.is_sandbox = k.is_sandbox AND t.id = k.id
    LIMIT 1
) AS t
)");
    Records const records = Records::declare("record");
    EXPECT_THAT(std::string(records.load().sql),
                testing::HasSubstr("t.doc, t.assignments, t.deleted, t.former_staff_ids, t.template_date\n"));
}

TEST(ReadModelTest, WritesAnArrayAColumn) {
    EXPECT_EQ(
        crew().upsert().sql,
        R"(-- Writes the rows of a batch: parallel arrays, and documents as texts with a separator that JSON never holds unescaped.
INSERT INTO crew_member (organization_id, is_sandbox, id, version, lacks_event, erased, type, facility_ids, search, created_at, updated_at, doc)
SELECT u.organization_id, u.is_sandbox, u.id, u.version, u.lacks_event, u.erased, u.type, u.facility_ids::bigint[], u.search, u.created_at, u.updated_at, u.doc
FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[], $5::boolean[], $6::boolean[], $7::text[], $8::text[], $9::text[], $10::timestamptz[], $11::timestamptz[], string_to_array($12, E'\x1e')) AS u(organization_id, is_sandbox, id, version, lacks_event, erased, type, facility_ids, search, created_at, updated_at, doc)
ON CONFLICT (organization_id, is_sandbox, id) DO UPDATE SET version = excluded.version, lacks_event = crew_member.lacks_event OR excluded.lacks_event, erased = crew_member.erased OR excluded.erased, type = excluded.type, facility_ids = excluded.facility_ids, search = excluded.search, created_at = excluded.created_at, updated_at = excluded.updated_at, doc = excluded.doc
)");
    Records const records =
        Records::declare("record").json("assignments", [](auto const& record) { return record.assignments; });
    EXPECT_THAT(std::string(records.upsert().sql),
                testing::HasSubstr(R"($5::boolean[], string_to_array($6, E'\x1e'), string_to_array($7, E'\x1e')) AS)"));
}

TEST(ReadModelTest, FindsInTheScope) {
    EXPECT_EQ(crew().by_id().of({.organization = 7}).sql, R"(-- One resource by its id.
SELECT t.doc, t.version
FROM read.crew_member t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
  AND t.id = $3
  AND ($4::bigint[] IS NULL OR t.facility_id = ANY ($4))
  AND t.id > 0
)");
    Sites const sites = Sites::declare("site");
    EXPECT_THAT(std::string(sites.by_id().of({.organization = 7}).sql),
                testing::HasSubstr("AND ($4::bigint[] IS NULL OR $4::bigint[] IS NULL OR true)\n"));
}

TEST(ReadModelTest, OwnRowsAreThoseOfTheDeclaration) {
    projections::Scope const scope{.organization = 7, .own = projections::OwnRows{3, {}}};
    auto const own = crew().by_id().of(scope);
    EXPECT_EQ(own.name, "crew_find.own");
    EXPECT_EQ(own.sql, R"(-- One resource by its id.
SELECT t.doc, t.version
FROM read.crew_member t
WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/ AND (($5::bigint IS NULL OR $6::bigint[] IS NULL OR true) AND (t.id = $5 OR t.site = ANY ($6)))
  AND t.id = $3
  AND ($4::bigint[] IS NULL OR t.facility_id = ANY ($4))
  AND t.id > 0
)");
    EXPECT_EQ(projections::list_own_text(crew().spec()),
              "($13::bigint IS NULL OR $14::bigint[] IS NULL OR true) AND (t.id = $13 OR t.site = ANY ($14))")
        << "behind the five filters";
    auto wrong = crew().spec();
    wrong.own = "t.user_id = $user";
    EXPECT_THROW(projections::find_own_text(wrong), std::logic_error);
}

TEST(ReadModelTest, WithoutADeclarationNobodyHasRowsOfTheirOwn) {
    Crew const model = crew_columns()
                           .own_if("")
                           .filter<&CrewFilter::type>("t.type = ANY ($type)")
                           .filter<&CrewFilter::from>("t.date >= $from")
                           .filter<&CrewFilter::skill>("t.skill_key = $skill", projections::folded)
                           .search([](auto const& person) { return person.specialty; })
                           .stamped()
                           .sort("type", "type");
    projections::Scope const scope{.organization = 7, .own = projections::OwnRows{3, {1}}};
    EXPECT_THROW(static_cast<void>(model.by_id().of(scope)), std::logic_error);
    core::Database nowhere{{.connection = {.url = "postgresql://127.0.0.1:1/none"}, .threads = 1}};
    EXPECT_THROW(await(list_rows(nowhere, model, scope)), std::logic_error);
    CrewFilter filter;
    filter.skill = "Night";
    EXPECT_THROW(await(list_rows(nowhere, model, scope, filter)), std::logic_error);
    EXPECT_THROW(await(model.find(nowhere, scope, 3)), std::logic_error);
    EXPECT_THROW(await(model.find(nowhere, {.organization = 7}, 3)), core::DatabaseUnavailable) << "it asks";
}

TEST(ReadModelTest, ShowsWhatIsBesideTheResource) {
    Sites const sites = Sites::declare("site").beside("(SELECT '{\"used\":true}')");
    auto const shown =
        testing::HasSubstr("SELECT left(t.doc, -1) || ',' || substr((SELECT '{\"used\":true}'), 2) AS doc, t.");
    EXPECT_THAT(std::string(sites.by_id().of({.organization = 7}).sql), shown);
    EXPECT_THAT(projections::list_text(sites.spec()), shown);
    EXPECT_THAT(std::string(sites.load().sql), testing::HasSubstr("SELECT t.id, t.version, t.doc\n"))
        << "states are made of the resource alone";
}

TEST(ReadModelTest, ListsInTheOrderOfTheDeclaration) {
    EXPECT_EQ(
        projections::list_text(crew().spec()),
        R"(-- A page of resources. The inner limit is a constant, so that the planner goes by an index's order for any page.
SELECT CASE WHEN /*fits*/ THEN page.doc END, page.key, page.id
FROM (
    SELECT t.doc, t./*key*/ AS key, t.id
    FROM read.crew_member t
    WHERE /*tenant*/ /*organization*/ t.organization_id = $1 AND /*end organization*/ t.is_sandbox = $2 /*end tenant*/
      AND /*facilities*/ (t.facility_id = ANY ($3)) /*end facilities*/
      AND t.id > 0
      AND /*after*/ (t./*key*/, t.id) /*beyond*/ ($5::/*type*/, $6::bigint) /*end after*/
      /*filters*/
      AND ($8::text[] IS NULL OR t.type = ANY ($8))
      AND ($9::date IS NULL OR t.date >= $9)
      AND t.at >= $9::date::timestamptz
      AND ($10::text IS NULL OR t.skill_key = $10)
      AND ($11::text IS NULL OR strpos(t.search, $11) > 0)
      AND ($12::timestamptz IS NULL OR t.updated_at >= $12)
      /*end filters*/
    ORDER BY t./*key*/ /*direction*/, t.id /*direction*/
    LIMIT 201
) page
ORDER BY page.key /*direction*/, page.id /*direction*/
LIMIT $4
)");
    EXPECT_THAT(crew().sort_names(), testing::ElementsAre("type", "-type", "createdAt", "-createdAt"));
    EXPECT_EQ(crew().spec().sorts.back().type, "timestamptz");
}

TEST(ReadModelTest, FiltersBecomeParameters) {
    using P = core::Parameter;
    EXPECT_EQ(crew().filters({}), std::vector<P>(5));
    CrewFilter filter;
    filter.type = {events::EmploymentType::contract, events::EmploymentType::per_diem};
    filter.from = core::parse_date("2026-07-24");
    filter.skill = "Ärzte";
    filter.q = "NIGHT";
    filter.updatedSince = core::Timestamp{0};
    EXPECT_EQ(crew().filters(filter), (std::vector<P>{"{\"contract\",\"per_diem\"}", "2026-07-24", "ärzte", "night",
                                                      "1970-01-01T00:00:00.000Z"}));
    filter = {};
    filter.type.emplace();
    filter.skill = "";
    EXPECT_EQ(crew().filters(filter), std::vector<P>(5)) << "what is empty narrows nothing";
}

TEST(ReadModelTest, RowsBecomeParameters) {
    using P = core::Parameter;
    projections::Row<events::StaffRecord> person{.id = 5, .organization = 7, .version = 3, .erased = true};
    person.state.facilityIds = {1, 2};
    person.state.specialty = "a \"b\"";
    auto const parameters = crew().write(std::vector{&std::as_const(person)});
    ASSERT_EQ(parameters.size(), 12u);
    EXPECT_EQ(std::vector<P>(parameters.begin(), parameters.begin() + 9),
              (std::vector<P>{"{7}", "{f}", "{5}", "{3}", "{f}", "{t}", R"({"full_time"})", R"({"{1,2}"})",
                              R"({"a \"b\""})"}));
    EXPECT_EQ(parameters.back(), core::to_json(resource_of(person.state)));
}

TEST(ReadModelTest, LiveRowsHaveATwinInTheSandbox) {
    Sites const sites =
        Sites::declare("site").in_sandbox(in_sandbox).column("name", [](auto const& site) -> auto const& {
            return site.name;
        });
    projections::Row<events::Facility> live{.id = 1, .organization = 7, .version = 1};
    live.state.name = "North";
    auto practice = live;
    practice.sandbox = true;
    auto const parameters = sites.write(std::vector<projections::Row<events::Facility> const*>{&live, &practice});
    EXPECT_EQ(parameters.at(1), "{f,t,t}");
    EXPECT_EQ(parameters.at(5), R"({"North","North!","North"})");
}

TEST(ReadModelTest, RefusesADeclarationThatDoesNotAddUp) {
    auto const unfiltered = [] { Crew const model = crew_columns().sort("type", "type"); };
    EXPECT_THROW(unfiltered(), std::logic_error) << "filters without a rule";
    EXPECT_THROW(crew_columns().sort("size", "size"), std::logic_error);
    auto spec = crew().spec();
    spec.conditions.push_back({"t.size > $size"});
    EXPECT_THROW(projections::list_text(spec), std::logic_error);
    spec.conditions.back() = {"t.at >= COALESCE($from::date::timestamptz, '-infinity')"};
    EXPECT_THROW(projections::list_text(spec), std::logic_error) << "no index would serve it";
}

}  // namespace
}  // namespace workforce::tests
