// Staff: unique addresses, scope, leaving with and without shifts ahead, and coming back.
#include "commands/staff.hpp"

#include <gtest/gtest.h>

#include "commands/shift.hpp"
#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::CreateStaff;
using commands::DeactivateStaff;
using commands::ReactivateStaff;
using commands::UpdateStaff;

CreateStaff person(std::string const& email) {
    CreateStaff command;
    command.firstName = core::Name("Grace");
    command.lastName = core::Name("Hill");
    command.email = core::Email(email);
    return command;
}

/// The login of a person, who is told of by the users that name them.
TEST(UpdateStaff, ShowsTheUserWhoNamesThePerson) {
    Given given;
    given.organization().staff(11).staff(12);
    auto const name = [&](Id user, Id staff) {
        events::UserCreated created;
        created.email = core::Email("user" + std::to_string(user) + "@example.test");
        created.staffId = core::Nullable<Id>(staff);
        given.event({events::Kind::user, user}, events::UserEvent(std::move(created)));
    };
    auto const shown = [&](Id staff) {
        UpdateStaff command;
        command.id = staff;
        return given.after(command).userId;
    };
    EXPECT_EQ(shown(11).value, std::nullopt);
    name(31, 11);
    name(32, 11);
    EXPECT_EQ(shown(11).value, 31);
    EXPECT_EQ(shown(12).value, std::nullopt);
    given.event({events::Kind::user, 31}, events::UserEvent(events::UserDeactivated{}));
    EXPECT_EQ(shown(11).value, 32);
    events::UserUpdated moved;
    moved.staffId = core::Nullable<Id>(Id{12});
    given.event({events::Kind::user, 32}, events::UserEvent(moved));
    EXPECT_EQ(shown(11).value, 31) << "who was deactivated is still the person's login";
    EXPECT_EQ(shown(12).value, 32);
    given.event({events::Kind::user, 31}, events::UserEvent(events::UserErased{}));
    EXPECT_EQ(shown(11).value, std::nullopt);
}

UpdateStaff update(Id id) {
    UpdateStaff command;
    command.id = id;
    return command;
}

TEST(CreateStaff, Onboards) {
    Given given;
    given.organization().facility(1);
    EXPECT_EQ(given.when(person("grace@example.test")).summary(), "staff.onboarded");
    auto const staff = given.after(person("grace@example.test"));
    EXPECT_EQ(staff.id, 101);
    EXPECT_EQ(staff.organizationId, Given::kOrganization);
    EXPECT_TRUE(staff.isActive);
    EXPECT_TRUE(staff.facilityIds.empty());
}

TEST(CreateStaff, AddressesAreUniqueInTheOrganization) {
    Given given;
    given.organization().facility(1).staff(11);
    auto const outcome = given.when(person("staff11@example.test"));
    EXPECT_EQ(outcome.summary(), "DUPLICATE_RESOURCE");
    EXPECT_NE(outcome.details().find(R"("field":"email","existingId":11)"), std::string::npos);
    // Of those who left, too.
    given.event({events::Kind::staff, 11}, events::StaffEvent(events::StaffDeactivated{}));
    EXPECT_EQ(given.when(person("staff11@example.test")).summary(), "DUPLICATE_RESOURCE");
    // The sandbox has its own.
    given.context.sandbox = true;
    EXPECT_EQ(given.when(person("staff11@example.test")).summary(), "staff.onboarded");
}

TEST(CreateStaff, AnAddressGivenUpIsFree) {
    Given given;
    given.organization().staff(11);
    auto moved = update(11);
    moved.email = core::Personal<core::Email>(core::Email("new@example.test"));
    given.after(moved);
    EXPECT_EQ(given.when(person("staff11@example.test")).summary(), "staff.onboarded");
    EXPECT_EQ(given.when(person("new@example.test")).summary(), "DUPLICATE_RESOURCE");
}

TEST(CreateStaff, WorksAtTheCallersFacilitiesUnlessNamed) {
    Given given;
    given.organization().facility(1).facility(2);
    given.context.facilities = {1};
    EXPECT_EQ(given.when(person("a@example.test")).event<events::StaffOnboarded>().facilityIds, std::vector<Id>{1});
    auto command = person("a@example.test");
    command.facilityIds = {1, 2};
    EXPECT_EQ(given.when(command).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.facilities = {};
    EXPECT_EQ(given.when(command).summary(), "staff.onboarded");
    command.facilityIds = {1, 9};
    EXPECT_EQ(given.when(command).summary(), "FACILITY_SCOPE_VIOLATION");
}

TEST(CreateStaff, NamesEachFacilityOnce) {
    Given given;
    given.organization().facility(1).facility(2);
    auto command = person("a@example.test");
    command.facilityIds = {2, 1, 2, 2};
    auto const made = given.after(command);
    EXPECT_EQ(made.facilityIds, (std::vector<Id>{2, 1}));
    auto change = update(made.id);
    change.facilityIds = {{2, 1, 1}};
    EXPECT_EQ(given.when(change).summary(), "nothing");
    change.facilityIds = {{1, 1}};
    EXPECT_EQ(given.when(change).event<events::StaffUpdated>().facilityIds, std::vector<Id>{1});
}

TEST(CreateStaff, NamesAllWrongFieldsAtOnce) {
    EXPECT_EQ(faults_in<CreateStaff>(R"({"firstName":"A","email":"x","workHistory":[
                  {"facility":"F","position":"P","startDate":"2020-01-01","endDate":"2019-12-31"},
                  {"facility":"F","position":"P","startDate":"2020-01-01","endDate":"2020-01-01"},
                  {"facility":"F","position":"P","startDate":"2020-01-01"},
                  {"facility":"F","startDate":"x","endDate":"2020-01-01"}]})"),
              "lastName required, email email, workHistory[0].endDate order, workHistory[3].position required, "
              "workHistory[3].startDate date");
    EXPECT_EQ(faults_in<UpdateStaff>(R"({"hourlyRate":"1","workHistory":[
                  {"facility":"F","position":"P","startDate":"2020-01-01","endDate":"2019-12-31"}]})"),
              "hourlyRate type, workHistory[0].endDate order");
}

TEST(UpdateStaff, APartialEmergencyContactMerges) {
    Given given;
    given.organization().staff(11);
    auto command = update(11);
    command.emergencyContact.emplace().name = "Kim";
    command.emergencyContact->phone = core::Phone("+1 555");
    given.after(command);
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.emergencyContact.emplace().phone = core::Phone("+1 556");
    auto const outcome = given.when(command);
    ASSERT_EQ(outcome.summary(), "staff.updated");
    EXPECT_EQ(outcome.event<events::StaffUpdated>().emergencyContact->value.name.value, "Kim") << "events are whole";
    auto const& contact = given.after(command).emergencyContact.value;
    EXPECT_EQ(contact.name.value, "Kim");
    EXPECT_EQ(contact.phone.value, "+1 556");
    EXPECT_EQ(contact.relationship.value, "");
    command.emergencyContact.emplace().name = "";
    EXPECT_EQ(given.after(command).emergencyContact.value.name.value, "") << "an empty text is a value";
    EXPECT_EQ(faults_in<UpdateStaff>(R"({"emergencyContact":{"phone":"call me","name":1}})"),
              "emergencyContact.name type, emergencyContact.phone phone");
}

TEST(UpdateStaff, CarriesOnlyWhatChanged) {
    Given given;
    given.organization().staff(11);
    EXPECT_EQ(given.when(update(11)).summary(), "nothing");
    auto command = update(11);
    command.firstName = core::Personal<core::Name>(core::Name("Ada"));
    command.isActive = true;
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.hourlyRate = core::Rate{3875};
    auto const outcome = given.when(command);
    ASSERT_EQ(outcome.summary(), "staff.updated");
    EXPECT_FALSE(outcome.event<events::StaffUpdated>().firstName);
    EXPECT_EQ(given.after(command).hourlyRate.hundredths, 3875);
    EXPECT_EQ(given.when(command).summary(), "nothing");
}

TEST(UpdateStaff, KeepsAddressesUnique) {
    Given given;
    given.organization().staff(11).staff(12);
    auto command = update(11);
    command.email = core::Personal<core::Email>(core::Email("staff12@example.test"));
    EXPECT_EQ(given.when(command).summary(), "DUPLICATE_RESOURCE");
    command.email = core::Personal<core::Email>(core::Email("staff11@example.test"));
    EXPECT_EQ(given.when(command).summary(), "nothing");
}

TEST(UpdateStaff, SeesWhomItsFacilitiesMeet) {
    Given given;
    given.organization().facility(1).facility(2).staff(11, {1}).staff(12, {2}).staff(13).staff(14, {1, 2});
    given.context.facilities = {1};
    auto const tried = [&](Id id) {
        auto command = update(id);
        command.specialty = core::ShortText("icu");
        return given.when(command).summary();
    };
    EXPECT_EQ(tried(11), "staff.updated");
    EXPECT_EQ(tried(12), "NOT_FOUND");
    EXPECT_EQ(tried(13), "staff.updated");
    EXPECT_EQ(tried(14), "staff.updated");
    EXPECT_EQ(given.when(DeactivateStaff{12, {}}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(ReactivateStaff{12}).summary(), "NOT_FOUND");
    given.context.facilities = {};
    given.context.sandbox = true;
    EXPECT_EQ(tried(11), "NOT_FOUND");
    EXPECT_EQ(given.when(DeactivateStaff{11, {}}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(ReactivateStaff{11}).summary(), "NOT_FOUND");
}

TEST(UpdateStaff, AddsOnlyFacilitiesWithinReach) {
    Given given;
    given.organization().facility(1).facility(2).facility(3).staff(14, {1, 2});
    given.context.facilities = {1};
    auto const tried = [&](std::vector<Id> facilities) {
        auto command = update(14);
        command.facilityIds = std::move(facilities);
        return given.when(command).summary();
    };
    EXPECT_EQ(tried({1, 2}), "nothing");  // what GET showed, sent back
    EXPECT_EQ(tried({1, 2, 3}), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(tried({2}), "staff.updated");
}

TEST(DeactivateStaff, WithNothingAhead) {
    Given given;
    given.organization().facility(1).staff(11);
    given.shift(20, 1, "2026-07-20", "08:00", "16:00", 1, {11});  // past, and never worked
    EXPECT_EQ(given.when(DeactivateStaff{11, {}}).summary(), "staff.deactivated");
    EXPECT_FALSE(given.after(DeactivateStaff{11, {}}).isActive);
    EXPECT_EQ(given.when(DeactivateStaff{11, true}).summary(), "nothing");
    EXPECT_EQ(given.when(DeactivateStaff{99, {}}).summary(), "NOT_FOUND");
}

TEST(CreateStaff, MayBeInactiveFromTheBeginning) {
    Given given;
    given.organization();
    CreateStaff command;
    command.firstName = core::Name("Ada");
    command.lastName = core::Name("Byron");
    command.email = core::Email("ada@example.test");
    command.isActive = true;
    EXPECT_EQ(given.when(command).summary(), "staff.onboarded");
    command.isActive = false;
    EXPECT_EQ(given.when(command).summary(), "staff.onboarded staff.deactivated");
    EXPECT_FALSE(given.after(command).isActive);
}

TEST(DeactivateStaff, RemovesFromShiftsAheadOnlyByForce) {
    Given given;
    given.organization().facility(1).staff(11).staff(12);
    given.shift(21, 1, "2026-07-25", "08:00", "16:00", 1, {11});
    given.shift(22, 1, "2026-07-26", "08:00", "16:00", 3, {11, 12});
    given.shift(23, 1, "2026-07-24", "08:00", "16:00", 1, {11}).on_shift(23, events::ShiftStarted{});
    given.shift(24, 1, "2026-07-27", "08:00", "16:00", 1, {11}).on_shift(24, events::ShiftCancelled{});
    auto const refused = given.when(DeactivateStaff{11, {}});
    EXPECT_EQ(refused.summary(), "STAFF_HAS_FUTURE_SHIFTS");
    EXPECT_EQ(refused.details(), R"({"shiftId":21})");
    EXPECT_EQ(given.when(DeactivateStaff{11, false}).summary(), "STAFF_HAS_FUTURE_SHIFTS");
    auto by_patch = update(11);
    by_patch.isActive = false;
    EXPECT_EQ(given.when(by_patch).summary(), "STAFF_HAS_FUTURE_SHIFTS");
    // The running shift goes on with the person; the cancelled one holds nobody.
    EXPECT_EQ(given.when(DeactivateStaff{11, true}).summary(),
              "shift.unassigned shift.vacancy_opened shift.unassigned staff.deactivated");
    given.after(DeactivateStaff{11, true});
    EXPECT_EQ(given.view().get<events::ShiftRecord>(21)->shift.status, events::ShiftStatus::open);
    EXPECT_EQ(given.view().get<events::ShiftRecord>(22)->shift.assignedStaffIds, std::vector<Id>{12});
    EXPECT_EQ(given.view().get<events::ShiftRecord>(23)->shift.assignedStaffIds, std::vector<Id>{11});
}

TEST(ReactivateStaff, BringsBack) {
    Given given;
    given.organization().staff(11);
    EXPECT_EQ(given.when(ReactivateStaff{11}).summary(), "nothing");
    auto command = update(11);
    command.isActive = false;
    EXPECT_EQ(given.when(command).summary(), "staff.deactivated");
    given.after(command);
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.isActive = true;
    EXPECT_EQ(given.when(command).summary(), "staff.reactivated");
    EXPECT_TRUE(given.after(ReactivateStaff{11}).isActive);
    EXPECT_EQ(given.when(ReactivateStaff{99}).summary(), "NOT_FOUND");
}

}  // namespace
}  // namespace workforce::tests
