// The dashboard's figures and activity, notifications, and what a sandbox has: as the scope that asks sees them.
#include "projections/dashboard/dashboard.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "events/lead.hpp"
#include "projections/notifications/notifications.hpp"
#include "projections/sandbox/sandboxes.hpp"
#include "projections/staff/staff.hpp"
#include "tests/integration/projections/queries_fixture.hpp"
#include "tests/support/await.hpp"
#include "tests/support/list_rows.hpp"

namespace workforce::tests {
namespace {

TEST_F(QueriesTest, DashboardCountsWhatTheScopeSees) {
    auto const now = *core::parse_timestamp("2026-07-24T00:00:00Z");
    auto const all = await(projections::dashboard_stats(reader_, seven_, now));
    EXPECT_EQ(all.activeStaff, 3);
    EXPECT_EQ(all.openShifts, 7);
    EXPECT_EQ(all.urgentShifts, 3);  // 3, 6, 7; 2 is assigned
    EXPECT_EQ(all.filledShifts, 1);
    EXPECT_EQ(all.totalFacilities, 2);
    EXPECT_EQ(core::to_json(all.complianceRate), "100");
    auto const other_month =
        await(projections::dashboard_stats(reader_, seven_, *core::parse_timestamp("2026-07-31T22:30:00Z")));
    EXPECT_EQ(other_month.filledShifts, 0) << "at the facility it is August";
    EXPECT_EQ(other_month.openShifts, 0);
    auto const one = await(projections::dashboard_stats(reader_, {.organization = 7, .facilities = {2}}, now));
    EXPECT_EQ(one.activeStaff, 2);
    EXPECT_EQ(one.filledShifts, 0);
    EXPECT_EQ(one.totalFacilities, 1);
    auto const sandbox = await(projections::dashboard_stats(reader_, {.organization = 7, .sandbox = true}, now));
    EXPECT_EQ(sandbox.openShifts, 1);
    EXPECT_EQ(sandbox.totalFacilities, 2);
}

/// What people have to show. Of organization 7 staff 1, 2 and 3 are active, at facility 1, at 2 and at none.
class CredentialFiguresTest : public QueriesTest {
   protected:
    /// A credential as credential_of() makes one, and where it differs.
    struct Held {
        core::Id person = 1;
        events::CredentialStatus status = events::CredentialStatus::verified;
        std::optional<int> ends_in{};  ///< days from today; nothing: never
        events::StaffCredentialType type = events::StaffCredentialType::license;
        std::string name = "RN";
        bool sandbox = false;
        core::Id organization = 7;
    };
    core::Id hold(Held const& held) {
        auto added = credential_of(held.person, held.status);
        added.type = held.type;
        added.name = held.name;
        if (held.ends_in) added.expiresOn = core::Date{core::local_date(core::now(), "UTC").days + *held.ends_in};
        add(held.organization, Kind::credential, ++last_, added, held.sandbox);
        return last_;
    }
    void require(core::Id facility, std::vector<events::RequiredCredential> required) {
        events::FacilityUpdated updated;
        updated.requiredCredentialTypes = std::move(required);
        add(7, Kind::facility, facility, updated);
    }
    projections::DashboardStats figures(Scope const& scope) {
        writer_.append();
        fold();
        return await(projections::dashboard_stats(reader_, scope, core::now()));
    }
    std::string rate(Scope const& scope) { return core::to_json(figures(scope).complianceRate); }
    std::int64_t expiring(Scope const& scope) { return figures(scope).expiringCredentials; }

    Scope const sandbox_{.organization = 7, .sandbox = true};
    Scope const first_{.organization = 7, .facilities = {1}};
    Scope const second_{.organization = 7, .facilities = {2}};

   private:
    core::Id last_ = 0;
};

TEST_F(CredentialFiguresTest, WhoeverHasWhatTheirFacilitiesRequireComplies) {
    require(1, {{"", "license", "Registered Nurse"}, {"", "training", ""}});
    EXPECT_EQ(rate(seven_), "66.7");
    EXPECT_EQ(rate(first_), "50") << "3, who works at none, is seen from each";
    EXPECT_EQ(rate(second_), "100");
    EXPECT_EQ(rate(operators_), "75");
    EXPECT_EQ(rate({.organization = 9}), "100") << "of nobody";
    hold({.name = "REGISTERED nurse"});
    EXPECT_EQ(rate(seven_), "66.7") << "one of two";
    hold({.ends_in = 0, .type = events::StaffCredentialType::training, .name = "whatever"});
    EXPECT_EQ(rate(seven_), "100") << "names are equal in any case, and the last day counts";
    require(2, {{"", "license", ""}});
    EXPECT_EQ(rate(second_), "50");
    events::StaffUpdated moved;
    moved.facilityIds = std::vector<core::Id>{1, 2};
    add(7, Kind::staff, 1, moved);
    EXPECT_EQ(rate(first_), "100") << "the license serves both";
    require(2, {{"", "immunization", ""}});
    EXPECT_EQ(rate(first_), "50") << "what the other facility requires is required there, too";
}

TEST_F(CredentialFiguresTest, WhatIsNotVerifiedOrIsAnotherThingMeetsNothing) {
    using enum events::CredentialStatus;
    require(1, {{"", "license", "RN"}});
    auto const ended = hold({.ends_in = -1});
    for (auto const status : {pending, rejected, revoked}) hold({.status = status});
    hold({.type = events::StaffCredentialType::certification});
    hold({.name = "RN II"});
    hold({.person = 2});
    add(7, Kind::credential, hold({}), events::CredentialDeleted{});
    EXPECT_EQ(rate(seven_), "66.7");
    hold({.ends_in = 1});
    EXPECT_EQ(rate(seven_), "66.7") << "what has ended has expired, whether that was noticed or not";
    add(7, Kind::credential, ended, events::CredentialDeleted{});
    EXPECT_EQ(rate(seven_), "100") << "and the others do no harm";
    auto const past = hold({.status = expired, .type = events::StaffCredentialType::other});
    EXPECT_EQ(rate(seven_), "66.7") << "an expired one does, whatever it is";
    hold({.person = 3, .status = expired});
    EXPECT_EQ(rate(seven_), "33.3");
    EXPECT_EQ(rate(second_), "50");
    hold({.person = 4, .status = expired});
    EXPECT_EQ(rate(seven_), "33.3") << "4 is not active";
    add(7, Kind::credential, past, events::CredentialDeleted{});
    EXPECT_EQ(rate(seven_), "66.7");
}

TEST_F(CredentialFiguresTest, WhatIsRequiredOfASpecialtyIsOfWhoHasIt) {
    require(1, {{"Cardiology", "license", ""}});
    require(2, {{"ER", "license", ""}, {"icu", "license", ""}});
    EXPECT_EQ(rate(seven_), "100") << "1 has another one, and texts are exact";
    require(2, {{"ER", "license", ""}, {"ICU", "license", ""}});
    EXPECT_EQ(rate(seven_), "66.7") << "the specialty";
    hold({.person = 2});
    EXPECT_EQ(rate(seven_), "100");
    require(2, {{"Cardiology", "training", ""}});
    EXPECT_EQ(rate(seven_), "66.7") << "a skill";
    hold({.person = 2, .type = events::StaffCredentialType::training});
    EXPECT_EQ(rate(seven_), "100");
}

TEST_F(CredentialFiguresTest, TheSandboxHasFiguresOfItsOwn) {
    using enum events::CredentialStatus;
    require(1, {{"", "license", ""}});
    auto sandy = staff_onboarded("Sandy", "Beach");
    sandy.facilityIds = {1};
    add(7, Kind::staff, 21, sandy, true);
    hold({.person = 1, .ends_in = 5});
    EXPECT_EQ(rate(sandbox_), "50") << "a facility requires the same there";
    EXPECT_EQ(expiring(sandbox_), 0);
    hold({.person = 21, .ends_in = 5, .sandbox = true});
    hold({.person = 21, .status = pending, .ends_in = 5, .sandbox = true});
    EXPECT_EQ(rate(sandbox_), "100");
    EXPECT_EQ(expiring(sandbox_), 2);
    hold({.person = 21, .status = expired, .sandbox = true});
    EXPECT_EQ(rate(sandbox_), "50");
    EXPECT_EQ(rate(seven_), "100");
    EXPECT_EQ(expiring(seven_), 1);
}

TEST_F(CredentialFiguresTest, ThoseExpireSoonThatEndWithinThirtyDays) {
    using enum events::CredentialStatus;
    hold({.status = pending, .ends_in = 0});
    hold({.ends_in = 30});
    hold({.ends_in = 31});
    hold({.ends_in = -1});
    hold({});
    for (auto const status : {expired, rejected, revoked}) hold({.status = status, .ends_in = 5});
    add(7, Kind::credential, hold({.ends_in = 5}), events::CredentialDeleted{});
    EXPECT_EQ(expiring(seven_), 2);
    hold({.person = 2, .ends_in = 5});
    hold({.person = 5, .ends_in = 5, .organization = 8});
    EXPECT_EQ(expiring(seven_), 3);
    EXPECT_EQ(expiring(first_), 2);
    EXPECT_EQ(expiring(second_), 1);
    EXPECT_EQ(expiring(sandbox_), 0);
    EXPECT_EQ(expiring(operators_), 4);
    hold({.person = 4, .ends_in = 5});
    EXPECT_EQ(expiring(seven_), 4) << "of who is not active, too";
}

TEST_F(QueriesTest, ActivityIsNewestFirstAndNamesItsUser) {
    writer_.meta.actor = {events::ActorType::user, 5, 5};
    add(7, Kind::shift, 40, shift_posted(2, "late", "2026-07-24T06:00:00Z"));
    writer_.meta.actor = {events::ActorType::user, 99, 99};
    add(7, Kind::facility, 2, events::FacilityDeactivated{});
    auto const last = writer_.append();
    fold();
    auto const items = await(projections::recent_activity(reader_, seven_, 3));
    ASSERT_EQ(items.size(), 3u);
    EXPECT_EQ(items[0].id, last * 1024);
    EXPECT_EQ(items[0].action, "facility.deactivated");
    EXPECT_EQ(items[0].resource, "facility:2");
    EXPECT_EQ(items[0].user.name, "Operator");
    EXPECT_EQ(items[1].user.name, "Ada Lovelace");
    EXPECT_EQ(items[1].user.email, "ada@example.test");
    EXPECT_EQ(items[2].user.id, 0);
    EXPECT_EQ(items[2].user.name, "System");
    auto const there = await(projections::recent_activity(reader_, {.organization = 7, .facilities = {1}}, 100));
    std::set<std::string> resources;
    for (auto const& item : there) resources.insert(item.resource);
    EXPECT_EQ(resources, (std::set<std::string>{"facility:1", "shift:2", "shift:4", "shift:6", "shift:8", "staff:1"}));
    EXPECT_EQ(await(projections::recent_activity(reader_, operators_, 1)).at(0).id, last * 1024);
    auto const keys = await(projections::recent_activity(reader_, seven_, 100));
    for (auto const& item : keys) EXPECT_FALSE(item.action.starts_with("api_key") || item.action.starts_with("user"));
}

TEST_F(QueriesTest, ActivityOfASandboxNamesItsUser) {
    writer_.meta.actor = {events::ActorType::api_key, 6, 5};
    add(7, Kind::shift, 41, shift_posted(1, "practice", "2026-07-24T06:00:00Z"), true);
    writer_.append();
    fold();
    auto const items =
        await(projections::recent_activity(reader_, {.organization = 7, .sandbox = true, .facilities = {1}}, 100));
    ASSERT_EQ(items.size(), 2u);
    EXPECT_EQ(items[0].user.name, "Ada Lovelace");
    EXPECT_EQ(items[0].user.email, "ada@example.test");
    EXPECT_EQ(items[1].user.name, "System");
}

TEST_F(QueriesTest, ActivityNamesAKeyThatNoUserStandsBehind) {
    events::ApiKeyCreated theirs;
    theirs.name = "An operator's";
    add(8, Kind::api_key, 16, theirs);
    auto const posted = [&](core::Id id, core::Id key, bool sandbox) {
        writer_.meta.actor = {events::ActorType::api_key, key, 0};
        add(7, Kind::shift, id, shift_posted(1, "by a key", "2026-07-24T06:00:00Z"), sandbox);
        writer_.append();
        fold();
        return await(projections::recent_activity(reader_, {.organization = 7, .sandbox = sandbox}, 1)).at(0).user;
    };
    for (bool const sandbox : {false, true}) {
        auto const user = posted(sandbox ? 43 : 42, 6, sandbox);
        EXPECT_EQ(user.name, "key") << sandbox;
        EXPECT_EQ(user.id, 0);
        EXPECT_EQ(user.email, "");
    }
    EXPECT_EQ(posted(44, 16, false).name, "Operator") << "of another organization";
    EXPECT_EQ(await(projections::recent_activity(reader_, operators_, 1)).at(0).user.name, "An operator's");
}

TEST_F(QueriesTest, ActivityIsOfTheKindsThatAreAskedFor) {
    auto const kinds = [&](std::vector<Kind> const& asked) {
        std::set<std::string> found;
        for (auto const& item : await(projections::recent_activity(reader_, seven_, 100, asked))) {
            found.insert(item.resource.substr(0, item.resource.find(':')));
        }
        return found;
    };
    EXPECT_EQ(kinds({Kind::staff, Kind::facility}), (std::set<std::string>{"facility", "staff"}));
    EXPECT_EQ(kinds({Kind::shift}), (std::set<std::string>{"shift"}));
    EXPECT_EQ(kinds({}), (std::set<std::string>{}));
    EXPECT_EQ(await(projections::recent_activity(reader_, seven_, 1, std::vector{Kind::facility})).size(), 1u)
        << "the limit counts what is shown";
}

/// What tells facilities of whom an event only names: the event itself, or what was before it.
TEST_F(QueriesTest, ActivityOfAFacilityHasWhatHappensToItsStaff) {
    auto const seen = [&](core::Id facility) {
        std::vector<std::string> actions;
        for (auto const& item :
             await(projections::recent_activity(reader_, {.organization = 7, .facilities = {facility}}, 100))) {
            if (item.resource == "staff:1") actions.insert(actions.begin(), item.action);
        }
        return actions;
    };
    using ActionList = std::vector<std::string>;
    EXPECT_EQ(seen(1), ActionList{"staff.onboarded"});
    // Events of old, without the attribute, each folded by a runner that remembers nothing.
    for (events::StaffEvent const& event :
         {events::StaffEvent(events::StaffDeactivated{}), events::StaffEvent(events::StaffReactivated{})}) {
        add(7, Kind::staff, 1, event);
        writer_.append();
        fold();
    }
    EXPECT_EQ(seen(1), (ActionList{"staff.onboarded", "staff.deactivated", "staff.reactivated"}));
    events::StaffUpdated moved;
    moved.facilityIds = std::vector<core::Id>{2};
    add(7, Kind::staff, 1, moved);
    add(7, Kind::staff, 1, events::StaffDeactivated{});
    writer_.meta.facilities = {1, 2};
    add(7, Kind::staff, 1, events::StaffReactivated{});
    writer_.meta.facilities = {};
    writer_.append();
    fold();
    EXPECT_EQ(seen(1), (ActionList{"staff.onboarded", "staff.deactivated", "staff.reactivated", "staff.reactivated"}));
    EXPECT_EQ(seen(2), (ActionList{"staff.updated", "staff.deactivated", "staff.reactivated"}));
    auto const live = ask("SELECT string_agg(a::text, E'\\n' ORDER BY id) FROM read.activity a");
    projections::rebuild(*log_, keyring_, {.connection = connection(), .batch_records = 1}, {"activity"}, {});
    EXPECT_EQ(ask("SELECT string_agg(a::text, E'\\n' ORDER BY id) FROM read.activity a"), live);
    for (auto const& item : await(projections::recent_activity(reader_, {.organization = 7, .facilities = {2}}, 100))) {
        EXPECT_NE(item.resource, "staff:3") << "who is tied to no facility is the whole organization's";
    }
}

TEST_F(QueriesTest, NotificationsAreTheirUsersAlone) {
    for (core::Id const id : {1, 2, 3}) add(7, Kind::notification, id, notification_to(5));
    add(7, Kind::notification, 3, events::NotificationRead{});
    auto cancelled = notification_to(5);
    cancelled.type = events::NotificationType::shift_cancelled;
    add(7, Kind::notification, 4, cancelled);
    add(7, Kind::notification, 5, notification_to(6));
    add(7, Kind::notification, 6, notification_to(5), true);
    writer_.append();
    fold();
    auto const listed = [&](projections::OwnNotificationFilter const& filter, Scope const& scope) {
        auto const& model = projections::notifications();
        return ids_of(await(model.lists().run(reader_, scope, {}, model.filters(filter)))->rows);
    };
    Scope const live{.organization = 7};
    EXPECT_EQ(listed({{}, 5}, live), (Ids{1, 2, 3, 4}));
    EXPECT_EQ(listed({{}, 5}, {.organization = 7, .facilities = {1}}), (Ids{1, 2, 3, 4})) << "whatever facility";
    EXPECT_EQ(listed({{.unread = true}, 5}, live), (Ids{1, 2, 4}));
    EXPECT_EQ(listed({{.unread = false}, 5}, live), (Ids{3}));
    EXPECT_EQ(listed({{.type = {{events::NotificationType::shift_cancelled}}}, 5}, live), (Ids{4}));
    EXPECT_EQ(listed({{}, 6}, live), (Ids{5}));
    EXPECT_EQ(listed({{}, 0}, live), (Ids{})) << "nobody's";
    EXPECT_EQ(listed({{}, 5}, {.organization = 7, .sandbox = true}), (Ids{6}));
    EXPECT_EQ(listed({{}, 5}, {.organization = 8}), (Ids{}));
    EXPECT_EQ(await(projections::count_unread(reader_, live, 5)), 3);
    EXPECT_EQ(await(projections::count_unread(reader_, live, 7)), 0);
    EXPECT_EQ(await(projections::unread_ids(reader_, live, 5, 0, 2)), (Ids{1, 2}));
    EXPECT_EQ(await(projections::unread_ids(reader_, live, 5, 2, 2)), (Ids{4}));
}

TEST_F(QueriesTest, SandboxContentIsWhatIsOfTheFacilityAlone) {
    auto const of = [&](core::Id facility) {
        return await(
            projections::sandbox_content(reader_, {.organization = 7, .sandbox = true, .facilities = {facility}}));
    };
    EXPECT_EQ(of(1).counts, (events::SandboxCounts{{events::Kind::shift, 1}})) << "the person is of no facility";
    EXPECT_FALSE(of(1).last_reset);
    auto sandy = staff_onboarded("Sandy", "Beach");
    sandy.facilityIds = {1};
    add(7, Kind::staff, 21, sandy, true);
    sandy.facilityIds = {1, 2};
    add(7, Kind::staff, 22, sandy, true);
    events::LeadCreated lead;
    lead.facilityId = core::Id{1};
    add(7, Kind::lead, 20, lead, true);
    add(7, Kind::sandbox, 1, events::SandboxReset{{9, {}, {{Kind::staff, 1}}}}, true);
    writer_.append();
    fold();
    EXPECT_EQ(of(1).counts,
              (events::SandboxCounts{{events::Kind::staff, 1}, {events::Kind::shift, 1}, {events::Kind::lead, 1}}));
    EXPECT_EQ(of(1).last_reset.value().seed, 9);
    EXPECT_EQ(of(1).last_reset.value().seeded.of(Kind::staff), 1);
    EXPECT_EQ(of(2).counts, events::SandboxCounts());
    add(7, Kind::staff, 21, events::StaffDeleted{}, true);
    add(7, Kind::shift, 20, events::ShiftDeleted{}, true);
    add(7, Kind::lead, 20, events::LeadDeleted{}, true);
    writer_.append();
    fold();
    EXPECT_EQ(of(1).counts, events::SandboxCounts());
    auto const lists =
        await(list_rows(reader_, projections::staff(), Scope{.organization = 7, .sandbox = true}, {}, {}));
    EXPECT_EQ(ids_of(lists->rows), (Ids{22, 6})) << "who was deleted is on no list";
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {"staff", "sandbox"}, {});
    EXPECT_EQ(ask("SELECT string_agg(id::text, ',' ORDER BY id) FROM read.staff WHERE deleted"), "21");
    EXPECT_EQ(of(1).last_reset.value().seed, 9);
}

}  // namespace
}  // namespace workforce::tests
