// What a caller bound to facilities may do to persons whom it shares with others, and what its refusals tell.
#include <gtest/gtest.h>

#include "commands/shift.hpp"
#include "commands/staff.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::AssignStaff;
using commands::CreateStaff;
using commands::DeactivateStaff;
using commands::ReactivateStaff;
using commands::UpdateStaff;

constexpr auto kViolation = "FACILITY_SCOPE_VIOLATION";

/// Facilities 1–3; staff 11 of facility 1, 12 of 1 and 2, 13 of none, 14 of 1 and 3. The caller is bound to 1 and 3.
Given two_facilities(events::SchedulingRules const& rules = {}) {
    Given given;
    given.organization().facility(1, "UTC", rules).facility(2, "UTC", rules).facility(3);
    given.staff(11, {1}).staff(12, {1, 2}).staff(13).staff(14, {1, 3});
    given.context.facilities = {1, 3};
    return given;
}

Outcome set_active(Given const& given, Id id, bool active) {
    UpdateStaff command;
    command.id = id;
    command.isActive = active;
    return given.when(command);
}

Outcome move(Given const& given, Id id, std::vector<Id> facilities) {
    UpdateStaff command;
    command.id = id;
    command.facilityIds = std::move(facilities);
    return given.when(command);
}

AssignStaff assign_one(Id shift, Id staff) {
    AssignStaff command;
    command.id = shift;
    command.staffId = staff;
    return command;
}

TEST(FacilityScope, OnlyOnesOwnPeopleAreDeactivated) {
    auto given = two_facilities();
    struct {
        Id staff;
        std::string summary;
    } const cases[] = {{11, "staff.deactivated"}, {14, "staff.deactivated"}, {12, kViolation}, {13, kViolation}};
    for (auto const& [staff, summary] : cases) {
        EXPECT_EQ(given.when(DeactivateStaff{staff, {}}).summary(), summary) << staff;
        EXPECT_EQ(given.when(DeactivateStaff{staff, true}).summary(), summary) << staff;
        EXPECT_EQ(set_active(given, staff, false).summary(), summary) << staff;
    }
    given.context.facilities = {};
    for (auto const& [staff, summary] : cases) {
        EXPECT_EQ(given.when(DeactivateStaff{staff, {}}).summary(), "staff.deactivated") << staff;
    }
}

TEST(FacilityScope, OnlyOnesOwnPeopleAreReactivated) {
    auto given = two_facilities();
    for (Id const id : {11, 12, 13})
        given.event({events::Kind::staff, id}, events::StaffEvent(events::StaffDeactivated{}));
    EXPECT_EQ(given.when(ReactivateStaff{11}).summary(), "staff.reactivated");
    EXPECT_EQ(set_active(given, 11, true).summary(), "staff.reactivated");
    for (Id const id : {12, 13}) {
        EXPECT_EQ(given.when(ReactivateStaff{id}).summary(), kViolation) << id;
        EXPECT_EQ(set_active(given, id, true).summary(), kViolation) << id;
        EXPECT_EQ(set_active(given, id, false).summary(), "nothing") << "what GET showed, sent back";
    }
}

TEST(FacilityScope, ForceTakesNobodyOffAnotherFacilitysShifts) {
    auto given = two_facilities();
    given.shift(21, 2, "2026-07-25", "08:00", "16:00", 1, {11});
    auto const forced = given.when(DeactivateStaff{11, true});
    EXPECT_EQ(forced.summary(), kViolation);
    EXPECT_EQ(forced.details(), "") << "nothing is named";
    EXPECT_EQ(forced.result.error().message.find("21"), std::string::npos);
    auto const refused = given.when(DeactivateStaff{11, {}});
    EXPECT_EQ(refused.summary(), "STAFF_HAS_FUTURE_SHIFTS");
    EXPECT_EQ(refused.details(), "");
    EXPECT_EQ(set_active(given, 11, false).details(), "");

    given.shift(22, 1, "2026-07-26", "08:00", "16:00", 1, {11});
    EXPECT_EQ(given.when(DeactivateStaff{11, true}).summary(), kViolation);
    EXPECT_EQ(given.when(DeactivateStaff{11, {}}).details(), R"({"shiftId":22})") << "the first that the caller sees";

    given.on_shift(21, events::ShiftCancelled{});
    EXPECT_EQ(given.when(DeactivateStaff{11, true}).summary(),
              "shift.unassigned shift.vacancy_opened staff.deactivated");
}

TEST(FacilityScope, FacilitiesOfAPersonChangeWithinOnesOwn) {
    auto const given = two_facilities();
    struct {
        Id staff;
        std::vector<Id> facilities;
        std::string summary;
    } const cases[] = {
        {12, {1, 2}, "nothing"},           // what GET showed, sent back
        {12, {1, 2, 3}, "staff.updated"},  // adds one's own
        {12, {2, 1}, "staff.updated"},     // another order
        {12, {2}, "staff.updated"},        // gives up one's own
        {12, {1}, kViolation},             // strips another's
        {12, {3}, kViolation},
        {12, {}, kViolation},
        {11, {1, 2}, kViolation},
        {11, {1, 9}, kViolation},
        {11, {3}, "staff.updated"},
        {11, {}, kViolation},
        {13, {}, "nothing"},
        {13, {1}, kViolation},
    };
    for (auto const& c : cases) {
        EXPECT_EQ(move(given, c.staff, c.facilities).summary(), c.summary) << c.staff << " " << c.facilities.size();
    }
}

TEST(FacilityScope, OfOneRequestThePersonAsItWasDecides) {
    auto const given = two_facilities();
    UpdateStaff command;
    command.id = 12;
    command.facilityIds = {1};
    command.isActive = false;
    EXPECT_EQ(given.when(command).summary(), kViolation);
    command.facilityIds = {1, 2};
    EXPECT_EQ(given.when(command).summary(), kViolation);
}

TEST(FacilityScope, WhatTheOrganizationLacksIsAViolationForAll) {
    auto given = two_facilities();
    given.context.facilities = {};
    EXPECT_EQ(move(given, 11, {1, 9}).summary(), kViolation);
    EXPECT_EQ(move(given, 11, {1, 2}).summary(), "staff.updated");
    CreateStaff create;
    create.firstName = core::Name("Grace");
    create.lastName = core::Name("Hill");
    create.email = core::Email("grace@example.test");
    create.facilityIds = {9};
    EXPECT_EQ(given.when(create).summary(), kViolation);
}

TEST(FacilityScope, ADoubleBookingNamesNoForeignShift) {
    auto given = two_facilities();
    given.shift(21, 2, "2026-07-25", "08:00", "16:00", 1, {12}).shift(22, 1, "2026-07-25", "12:00", "20:00", 2);
    given.shift(23, 3, "2026-07-27", "08:00", "16:00", 1, {12}).shift(24, 1, "2026-07-27", "12:00", "20:00", 2);
    auto const foreign = given.when(assign_one(22, 12));
    EXPECT_EQ(foreign.summary(), "STAFF_DOUBLE_BOOKED");
    EXPECT_NE(foreign.details().find(R"("staffId":12)"), std::string::npos);
    EXPECT_EQ(foreign.details().find("shiftId"), std::string::npos) << foreign.details();
    EXPECT_NE(given.when(assign_one(24, 12)).details().find(R"("shiftId":23)"), std::string::npos);

    commands::CreateShift posted;
    posted.facilityId = 1;
    posted.title = "Late";
    posted.date = day("2026-07-25");
    posted.startTime = clock("15:00");
    posted.endTime = clock("23:00");
    posted.assignedStaffIds = {12};
    commands::CreateShifts many;
    many.shifts = {posted};
    EXPECT_EQ(given.when(posted).summary(), "STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(given.when(posted).details().find("shiftId"), std::string::npos);
    EXPECT_EQ(given.when(many).details().find("shiftId"), std::string::npos);

    given.shift(25, 1, "2026-07-25", "17:00", "20:00", 1, {12});
    commands::UpdateShift earlier;
    earlier.id = 25;
    earlier.startTime = clock("15:00");
    EXPECT_EQ(given.when(earlier).summary(), "STAFF_DOUBLE_BOOKED");
    EXPECT_EQ(given.when(earlier).details().find("shiftId"), std::string::npos) << given.when(earlier).details();
    given.context.facilities = {};
    EXPECT_NE(given.when(earlier).details().find(R"("shiftId":21)"), std::string::npos);
}

TEST(FacilityScope, AWarningNamesNoForeignShift) {
    events::SchedulingRules rules;
    rules.doubleBooking = events::RuleLevel::flag;
    auto given = two_facilities(rules);
    given.shift(21, 2, "2026-07-25", "08:00", "16:00", 1, {12}).shift(22, 1, "2026-07-25", "12:00", "20:00", 2);
    auto const outcome = given.when(assign_one(22, 12));
    ASSERT_EQ(outcome.summary(), "shift.staff_assigned");
    EXPECT_EQ(outcome.result->warnings.at(0).shiftId, std::nullopt);
}

TEST(FacilityScope, ADuplicateNamesNobodyWhomTheCallerCanNotSee) {
    auto given = two_facilities();
    given.staff(15, {2});
    UpdateStaff command;
    command.id = 11;
    command.email = core::Personal<core::Email>(core::Email("staff15@example.test"));
    EXPECT_EQ(given.when(command).summary(), "DUPLICATE_RESOURCE");
    EXPECT_EQ(given.when(command).details(), R"({"field":"email"})");
    command.email = core::Personal<core::Email>(core::Email("staff12@example.test"));
    EXPECT_EQ(given.when(command).details(), R"({"field":"email","existingId":12})");
}

}  // namespace
}  // namespace workforce::tests
