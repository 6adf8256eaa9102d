// Finds, lists, pages and filters, also of who sees rows of their own alone; and that nobody sees what is another's.
#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "net/byte_budget.hpp"
#include "projections/api_keys/api_keys.hpp"
#include "projections/facilities/facilities.hpp"
#include "projections/organizations/organizations.hpp"
#include "projections/shifts/shifts.hpp"
#include "projections/staff/candidates.hpp"
#include "projections/staff/staff.hpp"
#include "projections/users/users.hpp"
#include "tests/integration/projections/queries_fixture.hpp"
#include "tests/support/await.hpp"
#include "tests/support/list_rows.hpp"

namespace workforce::tests {
namespace {

/// The filter of what has the text.
template <class Filter>
Filter having(char const* text) {
    Filter filter;
    filter.q = text;
    return filter;
}
constexpr auto shifts_having = having<ShiftFilter>;
constexpr auto staff_having = having<projections::StaffFilter>;

TEST_F(QueriesTest, FindsByIdWithinTheScopeOnly) {
    auto const shift = await(projections::shifts().find(reader_, seven_, 2));
    ASSERT_TRUE(shift);
    EXPECT_EQ(shift->version, 3);
    EXPECT_EQ(core::from_stored_json<events::Shift>(shift->doc).assignedStaffIds, Ids{1});
    auto const assignments = await(projections::find_document(reader_, projections::assignments_by_shift(), seven_, 2));
    ASSERT_TRUE(assignments);
    EXPECT_EQ(core::from_stored_json<std::vector<events::Assignment>>(assignments->doc).at(0).staffId, 1);

    EXPECT_FALSE(await(projections::shifts().find(reader_, seven_, 9))) << "deleted";
    EXPECT_FALSE(await(projections::shifts().find(reader_, seven_, 30))) << "another organization's";
    EXPECT_FALSE(await(projections::shifts().find(reader_, seven_, 20))) << "of the sandbox";
    EXPECT_TRUE(await(projections::shifts().find(reader_, {.organization = 7, .sandbox = true}, 20)));
    EXPECT_FALSE(await(projections::shifts().find(reader_, {.organization = 7, .sandbox = true}, 2)));
    EXPECT_FALSE(await(projections::shifts().find(reader_, {.organization = 7, .facilities = {2}}, 2)))
        << "at another facility";
    EXPECT_TRUE(await(projections::shifts().find(reader_, {.organization = 7, .facilities = {1, 2}}, 2)));
    EXPECT_FALSE(await(projections::shifts().find(reader_, {}, 2))) << "no organization, and no operator";
    EXPECT_TRUE(await(projections::shifts().find(reader_, operators_, 30)));
    EXPECT_FALSE(await(projections::shifts().find(reader_, operators_, 20)))
        << "operators do not mix sandbox and live either";

    auto const shown =
        await(projections::facilities().find(reader_, {.organization = 7, .sandbox = true, .facilities = {1}}, 1));
    ASSERT_TRUE(shown);
    auto const facility = core::from_stored_json<events::Facility>(shown->doc);
    EXPECT_EQ(facility.name.value, "North (sandbox)");
    EXPECT_EQ(facility.phone.value + facility.address.city.value, "") << "no contact data";
    EXPECT_EQ(facility.timezone.value, "Europe/Berlin");
    EXPECT_FALSE(
        await(projections::facilities().find(reader_, {.organization = 7, .sandbox = true, .facilities = {1}}, 2)));
    EXPECT_FALSE(await(projections::facilities().find(reader_, seven_, 3)));
    EXPECT_TRUE(await(projections::staff().find(reader_, {.organization = 7, .facilities = {2}}, 3)))
        << "of no facility";
    EXPECT_FALSE(await(projections::staff().find(reader_, {.organization = 7, .facilities = {2}}, 1)));
    EXPECT_TRUE(await(projections::api_keys().find(reader_, seven_, 6)));
    EXPECT_TRUE(await(projections::users().find(reader_, seven_, 5)));
    EXPECT_TRUE(await(projections::organizations().find(reader_, operators_, 8)));
    EXPECT_FALSE(await(projections::organizations().find(reader_, seven_, 8)));
}

TEST_F(QueriesTest, PagesThroughTiesInBothDirections) {
    struct Case {
        Scope scope;
        ShiftFilter filter;
        std::size_t rows;
    };
    for (auto const& [scope, filter, rows] : std::vector<Case>{{seven_, {}, 8},
                                                               {seven_, shifts_having("day"), 7},
                                                               {{.organization = 7, .facilities = {1}}, {}, 4},
                                                               {{.organization = 7, .facilities = {1, 2}}, {}, 8},
                                                               {operators_, {}, 9}}) {
        expect_pages(scope, filter, rows);
    }
    EXPECT_EQ(shift_ids(seven_), shift_ids(seven_, {}, "startsAt"));
    EXPECT_EQ(shift_ids(seven_, {}, "-urgency"), (Ids{7, 3, 6, 2, 5, 1, 8, 4}));
}

/// Rows of 100 KB each, and small ones among them.
TEST_F(QueriesTest, PagesOfLargeRowsEndEarly) {
    constexpr std::size_t kLarge = 100'000;
    for (core::Id id = 101; id <= 112; ++id) {
        auto person = staff_onboarded("Ada", "Large " + std::to_string(id));
        person.facilityIds = {1};
        if (id % 4 != 0) {
            std::vector<events::WorkHistoryItem> history(kLarge / 2'000);
            for (auto& item : history) item.description = std::string(2'000, 'h');
            person.workHistory = std::move(history);
        }
        add(7, Kind::staff, id, person);
    }
    writer_.append();
    fold();
    net::ByteBudget budget({.authenticated = 8'000'000});
    auto const holder = net::holder_of(core::Lane(7, false));
    auto const page_of = [&](Scope const& scope, char const* text, PageRequest const& request) {
        return await(list_rows(reader_, projections::staff(), scope, staff_having(text), request));
    };
    for (auto const& scope : {seven_, Scope{.organization = 7, .facilities = {1}}, operators_}) {
        for (std::string const sort : {"createdAt", "-createdAt", "lastName"}) {
            for (auto const& [most, rows] :
                 {std::pair(2 * kBytes, 12), {350'000, 5}, {250'000, 4}, {std::size_t{1}, 1}}) {
                Ids seen;
                PageRequest request{.limit = 200, .sort = sort, .room = {most, &budget, holder}};
                for (bool more = true; more;) {
                    auto const page = page_of(scope, "large 1", request);
                    ASSERT_TRUE(page);
                    auto const ids = ids_of(page->rows);
                    ASSERT_FALSE(ids.empty());
                    EXPECT_LE(static_cast<int>(ids.size()), rows) << most;
                    EXPECT_EQ(page->held.bytes(), page->rows.size());
                    EXPECT_EQ(budget.used(), page->rows.size());
                    seen.insert(seen.end(), ids.begin(), ids.end());
                    more = page->has_more;
                    request.after = page->next;
                }
                if (sort.starts_with('-')) std::reverse(seen.begin(), seen.end());
                EXPECT_EQ(seen, (Ids{101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112})) << sort << most;
                EXPECT_EQ(budget.used(), 0U);
            }
        }
    }
    EXPECT_FALSE(page_of(seven_, "large 1", {.limit = 3})->next.empty()) << "rows end it before bytes do";
    EXPECT_EQ(ids_of(page_of(seven_, "large 1", {.limit = 3})->rows).size(), 3U);
    // Where others hold all that there is, it is refused.
    ASSERT_TRUE(budget.take(holder, 3'950'000));
    auto const refused = page_of(seven_, "", {.room = {kBytes, &budget, holder}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, core::Code::service_unavailable);
}

TEST_F(QueriesTest, RefusesUnknownSortsAndForeignCursors) {
    auto const unknown = await(list_rows(reader_, projections::shifts(), seven_, {}, {.sort = "title; DROP TABLE"}));
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, core::Code::validation_error);
    for (std::vector<std::string> const& after :
         {std::vector<std::string>{"x"}, {"no moment", "1"}, {"2026-07-24", "x"}}) {
        auto const refused = await(list_rows(reader_, projections::shifts(), seven_, {}, {.after = after}));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, core::Code::invalid_cursor);
    }
}

TEST_F(QueriesTest, FiltersShifts) {
    using events::ShiftStatus;
    auto const sorted = [](Ids ids) {
        std::sort(ids.begin(), ids.end());
        return ids;
    };
    EXPECT_EQ(shift_ids(seven_, {.status = {{ShiftStatus::assigned, ShiftStatus::completed}}}), Ids{2});
    EXPECT_EQ(sorted(shift_ids(seven_, {.from = core::parse_date("2026-07-25"), .to = core::parse_date("2026-07-25")})),
              (Ids{1, 4, 7}));
    EXPECT_EQ(sorted(shift_ids(seven_, {.to = core::parse_date("2026-07-24")})), (Ids{3, 6}));
    EXPECT_EQ(sorted(shift_ids(seven_, {.urgency = {{events::Urgency::critical, events::Urgency::low}}})),
              (Ids{3, 4, 7, 8}));
    EXPECT_EQ(shift_ids(seven_, {.department = "EMERGENCY"}).size(), 8u);
    EXPECT_EQ(shift_ids(seven_, {.department = "Emerg"}).size(), 0u);
    EXPECT_EQ(shift_ids(seven_, {.specialty = "ICU"}).size(), 0u);
    EXPECT_EQ(shift_ids(seven_, {.staffId = 1}), Ids{2});
    EXPECT_EQ(shift_ids(seven_, shifts_having("straße")), Ids{4}) << "case folding makes them one";
    EXPECT_EQ(shift_ids(seven_, shifts_having("MERGEN")).size(), 8u);
    EXPECT_EQ(shift_ids(seven_, shifts_having("%")).size(), 0u);
    ShiftFilter changed;
    changed.updatedSince = core::parse_timestamp("2200-01-01T00:00:00Z");
    EXPECT_EQ(shift_ids(seven_, changed).size(), 0u);
    EXPECT_EQ(sorted(shift_ids({.organization = 7, .facilities = {1}})), (Ids{2, 4, 6, 8}));
    EXPECT_EQ(shift_ids({.organization = 7, .facilities = {1, 2, 3}}).size(), 8u);
    EXPECT_EQ(shift_ids(operators_).size(), 9u);
    EXPECT_EQ(shift_ids({.organization = 8, .operator_access = true}), Ids{30});
    EXPECT_EQ(shift_ids({.organization = 7, .sandbox = true}), Ids{20});
}

TEST_F(QueriesTest, OpenShiftsAreThoseThatHaveNotEnded) {
    add(7, Kind::shift, 50, shift_posted(1, "past", "2001-07-24T06:00:00Z"));
    add(7, Kind::shift, 51, shift_posted(1, "future", "2099-07-24T06:00:00Z"));
    add(7, Kind::shift, 52, shift_posted(1, "staffed", "2099-07-24T06:00:00Z"));
    add(7, Kind::shift, 52, events::ShiftStaffAssigned{1, events::AssignmentSource::direct, {}});
    add(7, Kind::shift, 52, events::ShiftFilled{{1}});
    writer_.append();
    fold();
    auto const open = shift_ids(seven_, {.open = true});
    EXPECT_EQ(std::count(open.begin(), open.end(), 50), 0);
    EXPECT_EQ(std::count(open.begin(), open.end(), 51), 1);
    EXPECT_EQ(std::count(open.begin(), open.end(), 52), 0);
    EXPECT_EQ(shift_ids(seven_, {.open = false}).size(), 11u) << "narrows nothing";
}

TEST_F(QueriesTest, FiltersStaffAndFacilities) {
    EXPECT_EQ(staff_ids(seven_), (Ids{1, 2, 3})) << "by last name, case aside";
    EXPECT_EQ(staff_ids(seven_, {}, "-hourlyRate").front(), 2);
    EXPECT_EQ(staff_ids(seven_, {.isActive = std::nullopt}).size(), 4u);
    EXPECT_EQ(staff_ids(seven_, {.isActive = core::BoolOrAny{false}}), Ids{4});
    EXPECT_EQ(staff_ids(seven_, {.isActive = core::BoolOrAny{}}).size(), 4u);
    EXPECT_EQ(staff_ids(seven_, staff_having("zoË")), Ids{3});
    EXPECT_EQ(staff_ids(seven_, staff_having("alan@")), Ids{2});
    EXPECT_EQ(staff_ids(seven_, staff_having("grace hop")), Ids{1});
    EXPECT_EQ(staff_ids(seven_, {.specialty = "icu"}).size(), 3u);
    EXPECT_EQ(staff_ids(seven_, {.skill = "a \"quoted\" ONE"}), (Ids{1, 3}));
    EXPECT_EQ(
        staff_ids(seven_, {.employmentType = {{events::EmploymentType::contract, events::EmploymentType::per_diem}}}),
        Ids{2});
    EXPECT_EQ(staff_ids({.organization = 7, .facilities = {2}}), (Ids{2, 3}));
    auto const facilities = [&](Scope const& scope, projections::FacilityFilter const& filter = {}) {
        return ids_of(await(list_rows(reader_, projections::facilities(), scope, filter, {}))->rows);
    };
    EXPECT_EQ(facilities(seven_), (Ids{1, 2}));
    EXPECT_EQ(facilities({.organization = 7, .sandbox = true, .facilities = {2}}), Ids{2});
    EXPECT_EQ(facilities(seven_, having<projections::FacilityFilter>("SOUT")), Ids{2});
    EXPECT_EQ(facilities(seven_, {.isActive = core::BoolOrAny{false}}), Ids{});
    EXPECT_EQ(facilities(operators_), (Ids{3, 1, 2}));
}

TEST_F(QueriesTest, APersonsUserIsTheOneWhoNamesThem) {
    auto const links = [&](core::Id staff) {
        auto const user_of = [](std::string const& doc) {
            return core::from_stored_json<events::Staff>(doc).userId.value;
        };
        auto const found = await(projections::staff().find(reader_, seven_, staff));
        auto const user = user_of(found.value().doc);
        auto const listed = await(list_rows(reader_, projections::staff(), seven_, {.isActive = std::nullopt}, {}));
        for (auto const& each : core::from_stored_json<std::vector<events::Staff>>(listed->rows)) {
            if (each.id == staff) EXPECT_EQ(each.userId.value, user);
        }
        auto const documents = await(projections::find_staff_documents(reader_, seven_, {staff}, {}));
        EXPECT_EQ(user_of(documents->docs.at(0).second), user);
        EXPECT_EQ(user_of(await(projections::staff().find(reader_, operators_, staff)).value().doc), user);
        return user;
    };
    auto const named = [&](core::Id user, std::optional<core::Id> staff) {
        events::UserUpdated updated;
        updated.staffId.emplace().value = staff;
        add(7, Kind::user, user, updated);
    };
    auto const step = [&] {
        writer_.append();
        fold();
    };
    EXPECT_EQ(links(1), std::nullopt);
    events::UserCreated user;
    user.email = core::Email("second@example.test");
    user.staffId.value = 1;
    add(7, Kind::user, 15, user);
    named(5, 1);
    step();
    EXPECT_EQ(links(1), 5);
    EXPECT_EQ(links(2), std::nullopt);
    add(7, Kind::user, 5, events::UserDeactivated{});
    step();
    EXPECT_EQ(links(1), 15) << "who can sign in goes before who can't";
    named(15, 2);
    step();
    EXPECT_EQ(links(1), 5) << "who was deactivated is still the person's login";
    EXPECT_EQ(links(2), 15);
    auto const before = ask("SELECT string_agg(t::text, E'\n' ORDER BY id) FROM read.user_account t");
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {"user", "staff"}, {});
    EXPECT_EQ(ask("SELECT string_agg(t::text, E'\n' ORDER BY id) FROM read.user_account t"), before);
    EXPECT_EQ(links(1), 5);
    EXPECT_EQ(links(2), 15);
    named(15, std::nullopt);
    add(7, Kind::user, 5, events::UserErased{});
    step();
    EXPECT_EQ(links(1), std::nullopt);
    EXPECT_EQ(links(2), std::nullopt);
}

TEST_F(QueriesTest, FiltersStaffByTheirCredentials) {
    using enum events::CredentialStatus;
    add(7, Kind::credential, 1, credential_of(1, verified));
    add(7, Kind::credential, 2, credential_of(1, expired));
    add(7, Kind::credential, 3, credential_of(2, pending));
    add(7, Kind::credential, 4, credential_of(3, rejected));
    add(7, Kind::credential, 4, events::CredentialDeleted{});
    add(7, Kind::credential, 5, credential_of(4, expired));
    add(7, Kind::credential, 20, credential_of(6, verified), true);
    add(8, Kind::credential, 30, credential_of(5, verified));
    writer_.append();
    fold();
    EXPECT_EQ(staff_ids(seven_, {.credentialStatus = {{verified}}}), Ids{1});
    EXPECT_EQ(staff_ids(seven_, {.credentialStatus = {{expired}}}), Ids{1}) << "active ones, as without the filter";
    EXPECT_EQ(staff_ids(seven_, {.isActive = std::nullopt, .credentialStatus = {{expired}}}).size(), 2u);
    EXPECT_EQ(staff_ids(seven_, {.credentialStatus = {{verified, expired, pending}}}), (Ids{1, 2})) << "each once";
    EXPECT_EQ(staff_ids(seven_, {.credentialStatus = {{rejected, revoked}}}), Ids{}) << "the one there was is gone";
    EXPECT_EQ(staff_ids({.organization = 7, .facilities = {2}}, {.credentialStatus = {{verified, pending}}}), Ids{2});
    EXPECT_EQ(staff_ids({.organization = 7, .sandbox = true}, {.credentialStatus = {{verified}}}), Ids{6});
    EXPECT_EQ(staff_ids(operators_, {.credentialStatus = {{verified}}}).size(), 2u);
}

TEST_F(QueriesTest, CandidatesHaveTheirVerifiedCredentialsWhereTheseAreAskedFor) {
    using enum events::CredentialStatus;
    auto ends = credential_of(1, verified);
    ends.type = events::StaffCredentialType::training;
    ends.name = "Fire Drill";
    ends.expiresOn = *core::parse_date("2001-02-03");
    add(7, Kind::credential, 1, ends);
    add(7, Kind::credential, 2, credential_of(1, pending));
    add(7, Kind::credential, 3, credential_of(3, verified));
    add(7, Kind::credential, 4, credential_of(3, verified));
    add(7, Kind::credential, 4, events::CredentialDeleted{});
    writer_.append();
    fold();
    auto const candidates = [&](bool with_credentials) {
        auto found = await(projections::find_candidates(
            reader_, seven_, {.facility = 1, .specialty = "ICU", .with_credentials = with_credentials}));
        std::ranges::sort(found, {}, &projections::Candidate::staff);
        return found;
    };
    auto const found = candidates(true);
    ASSERT_EQ(found.size(), 2u) << "1, and 3, who is of no facility";
    ASSERT_EQ(found[0].credentials.size(), 1u);
    auto const& training = found[0].credentials[0];
    EXPECT_EQ(training.type, events::StaffCredentialType::training);
    EXPECT_EQ(training.status, verified);
    EXPECT_EQ(training.name.value, "Fire Drill");
    EXPECT_EQ(training.expiresOn.value, core::parse_date("2001-02-03"));
    ASSERT_EQ(found[1].credentials.size(), 1u);
    EXPECT_FALSE(found[1].credentials[0].expiresOn.value);
    for (auto const& candidate : candidates(false)) EXPECT_TRUE(candidate.credentials.empty());
}

/// Whose own rows: staff 1 works at facility 1 and is on shift 2 there; on shift 70, at facility 2, they are with
/// staff 2.
class OwnRowsQueriesTest : public QueriesTest {
   protected:
    OwnRowsQueriesTest() {
        add(7, Kind::shift, 70, shift_posted(2, "away", "2026-07-24T06:00:00Z"));
        for (core::Id const person : {1, 2}) {
            add(7, Kind::shift, 70, events::ShiftStaffAssigned{person, events::AssignmentSource::direct, {}});
        }
        add(7, Kind::shift, 70, events::ShiftFilled{{1, 2}});
        add(7, Kind::shift, 71, shift_posted(1, "another's", "2026-07-24T06:00:00Z"));
        add(7, Kind::shift, 71, events::ShiftStaffAssigned{2, events::AssignmentSource::direct, {}});
        add(7, Kind::shift, 71, events::ShiftFilled{{2}});
        add(7, Kind::shift, 72, shift_posted(1, "called off", "2026-07-24T06:00:00Z"));
        add(7, Kind::shift, 72, events::ShiftCancelled{});
        add(7, Kind::shift, 73, shift_posted(1, "was mine", "2026-07-24T06:00:00Z"));
        add(7, Kind::shift, 73, events::ShiftStaffAssigned{1, events::AssignmentSource::direct, {}});
        add(7, Kind::shift, 73, events::ShiftDeleted{});
        writer_.append();
        fold();
    }

    static Scope own(core::Id staff, Ids facilities = {}) {
        return {.organization = 7, .own = projections::OwnRows{staff, std::move(facilities)}};
    }
    static Ids sorted(Ids ids) {
        std::sort(ids.begin(), ids.end());
        return ids;
    }
    /// Those that a find shows of all there are, by the document and by its assignments alike.
    Ids found(Scope const& scope) {
        Ids ids;
        for (core::Id id = 1; id <= 80; ++id) {
            bool const shown = await(projections::shifts().find(reader_, scope, id)).has_value();
            auto const assignments =
                await(projections::find_document(reader_, projections::assignments_by_shift(), scope, id));
            EXPECT_EQ(assignments.has_value(), shown) << id;
            if (shown) ids.push_back(id);
        }
        return ids;
    }
};

TEST_F(OwnRowsQueriesTest, ShiftsAreOnesOwnAndOpenOnesWhereOneWorks) {
    Ids const everywhere{1, 2, 3, 4, 5, 6, 7, 8, 70};
    Ids const at_one{2, 4, 6, 8, 70};
    EXPECT_EQ(sorted(shift_ids(own(1))), everywhere) << "own ones, and open ones of every facility";
    EXPECT_EQ(sorted(shift_ids(own(1, {1}))), at_one) << "an own one elsewhere is one's own";
    EXPECT_EQ(sorted(shift_ids(own(1, {1, 2}))), everywhere);
    EXPECT_EQ(sorted(shift_ids(own(2, {1}))), (Ids{4, 6, 8, 70, 71}));
    EXPECT_EQ(sorted(shift_ids(own(0, {1}))), (Ids{4, 6, 8})) << "without a staff record";
    EXPECT_EQ(sorted(shift_ids(own(5))), (Ids{1, 3, 4, 5, 6, 7, 8})) << "of a person of another organization";
    auto one = own(1, {1});
    one.facilities = {1};
    EXPECT_EQ(sorted(shift_ids(one)), (Ids{2, 4, 6, 8})) << "of one facility where that is asked for";
    for (auto const& scope : {own(1), own(1, {1}), own(2, {1}), own(0, {1}), one}) {
        EXPECT_EQ(found(scope), sorted(shift_ids(scope)));
    }
}

TEST_F(OwnRowsQueriesTest, FiltersNarrowFurther) {
    using events::ShiftStatus;
    auto const mine = own(1, {1});
    EXPECT_EQ(shift_ids(mine, {.status = {{ShiftStatus::assigned, ShiftStatus::cancelled}}}, "createdAt"),
              (Ids{2, 70}));
    EXPECT_EQ(sorted(shift_ids(mine, {.staffId = 1})), (Ids{2, 70}));
    EXPECT_EQ(shift_ids(mine, {.staffId = 2}), Ids{70}) << "whom one works with";
    EXPECT_EQ(shift_ids(own(0), {.staffId = 2}), Ids{});
    EXPECT_EQ(shift_ids(mine, shifts_having("another")), Ids{});
    EXPECT_EQ(shift_ids(mine, shifts_having("away")), Ids{70});
    EXPECT_EQ(shift_ids(mine, {.to = core::parse_date("2026-07-24")}).size(), 2u) << "6 and 70";
    for (auto const& [scope, filter, rows] :
         {std::tuple(mine, ShiftFilter(), 5), {mine, shifts_having("day"), 3}, {own(1), ShiftFilter(), 9}}) {
        expect_pages(scope, filter, static_cast<std::size_t>(rows));
    }
}

TEST_F(OwnRowsQueriesTest, OfStaffThereIsOneselfAlone) {
    EXPECT_EQ(staff_ids(own(1)), Ids{1});
    EXPECT_EQ(staff_ids(own(1, {2})), Ids{1}) << "wherever one works";
    EXPECT_EQ(staff_ids(own(0)), Ids{});
    EXPECT_EQ(staff_ids(own(5)), Ids{}) << "of another organization";
    EXPECT_EQ(staff_ids(own(6)), Ids{}) << "of the sandbox";
    EXPECT_EQ(staff_ids(own(1), staff_having("alan")), Ids{});
    EXPECT_EQ(staff_ids(own(4)), Ids{}) << "not active";
    EXPECT_EQ(staff_ids(own(4), {.isActive = core::BoolOrAny{false}}), Ids{4});
    EXPECT_TRUE(await(projections::staff().find(reader_, own(1), 1)));
    EXPECT_FALSE(await(projections::staff().find(reader_, own(1), 2)));
    EXPECT_FALSE(await(projections::staff().find(reader_, own(1), 3))) << "of no facility";
    EXPECT_FALSE(await(projections::staff().find(reader_, own(5), 5)));
}

TEST_F(OwnRowsQueriesTest, OwnRowsAreOfOneOrganizationAndOneSide) {
    auto practice = own(6);
    practice.sandbox = true;
    EXPECT_EQ(shift_ids(practice), Ids{20});
    EXPECT_EQ(staff_ids(practice), Ids{6});
    auto operators = own(1);
    operators.organization = 0;
    operators.operator_access = true;
    EXPECT_EQ(shift_ids(operators), Ids{}) << "nobody has rows of their own in all of them";
    EXPECT_FALSE(await(projections::staff().find(reader_, operators, 1)));
}

}  // namespace
}  // namespace workforce::tests
