// Facilities: unique names and codes, scope, and leaving with shifts ahead.
#include "commands/facility.hpp"

#include <gtest/gtest.h>

#include "tests/support/given_shift.hpp"

namespace workforce::tests {
namespace {

using commands::CreateFacility;
using commands::DeactivateFacility;
using commands::UpdateFacility;

CreateFacility named(std::string const& name, std::string const& code = {}) {
    CreateFacility command;
    command.name = name;
    command.code = code;
    return command;
}

UpdateFacility facility_update(Id id) {
    UpdateFacility command;
    command.id = id;
    return command;
}

TEST(CreateFacility, TakesTheOrganizationsZoneUnlessNamed) {
    Given given;
    given.organization();
    auto command = named("Elm House");
    EXPECT_EQ(given.when(command).summary(), "facility.created");
    auto const facility = given.after(command);
    EXPECT_EQ(facility.id, 101);
    EXPECT_EQ(facility.timezone.value, "Europe/Berlin");
    EXPECT_TRUE(facility.isActive && facility.autoStart && facility.autoComplete && facility.claimsNeedApproval);
    command.name = "Oak House";
    command.timezone = "America/New_York";
    EXPECT_EQ(given.when(command).event<events::FacilityCreated>().timezone.value, "America/New_York");
}

TEST(CreateFacility, NamesAndCodesAreUnique) {
    Given given;
    given.organization();
    given.after(named("Elm House", "ELM"));
    EXPECT_EQ(given.when(named("Elm House")).summary(), "DUPLICATE_RESOURCE");
    EXPECT_NE(given.when(named("Elm House")).details().find(R"("field":"name","existingId":101)"), std::string::npos);
    EXPECT_EQ(given.when(named("Oak House", "ELM")).summary(), "DUPLICATE_RESOURCE");
    given.context.new_ids = {102};
    given.after(named("Oak House"));
    EXPECT_EQ(given.when(named("Ash House")).summary(), "facility.created");  // having no code is not having the same
}

TEST(CreateFacility, IsNotForCallersOfFacilitiesNorTheSandbox) {
    Given given;
    given.organization().facility(1);
    given.context.facilities = {1};
    EXPECT_EQ(given.when(named("Elm House")).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.facilities = {};
    given.context.sandbox = true;
    EXPECT_EQ(given.when(named("Elm House")).summary(), "FORBIDDEN");
}

TEST(UpdateFacility, MergesObjectsAndCarriesOnlyWhatChanged) {
    Given given;
    given.organization().facility(1);
    EXPECT_EQ(given.when(facility_update(1)).summary(), "nothing");
    auto command = facility_update(1);
    command.name = core::Name("Facility 1");
    command.address.emplace().city = core::ShortText("Bremen");
    command.schedulingRules.emplace().overtime = events::RuleLevel::block;
    command.schedulingRules->timeOff = events::RuleLevel::block;  // as it is
    auto const outcome = given.when(command);
    ASSERT_EQ(outcome.summary(), "facility.updated");
    auto const& updated = outcome.event<events::FacilityUpdated>();
    EXPECT_FALSE(updated.name);
    EXPECT_FALSE(updated.schedulingRules->timeOff);
    auto const facility = given.after(command);
    EXPECT_EQ(facility.address.city.value, "Bremen");
    EXPECT_EQ(facility.schedulingRules.overtime, events::RuleLevel::block);
    EXPECT_EQ(facility.schedulingRules.minRest, events::RuleLevel::flag);
    EXPECT_EQ(given.when(command).summary(), "nothing");
}

TEST(UpdateFacility, KeepsNamesAndCodesUnique) {
    Given given;
    given.organization().facility(1).facility(2);
    auto command = facility_update(1);
    command.name = core::Name("Facility 2");
    EXPECT_EQ(given.when(command).summary(), "DUPLICATE_RESOURCE");
    command.name = core::Name("Facility 1");
    EXPECT_EQ(given.when(command).summary(), "nothing");
    auto coded = facility_update(2);
    coded.code = core::Text<0, 32>("X");
    given.after(coded);
    command.code = core::Text<0, 32>("X");
    EXPECT_EQ(given.when(command).summary(), "DUPLICATE_RESOURCE");
}

TEST(Facilities, OutsideTheCallersReachAreNotThere) {
    Given given;
    given.organization().facility(1).facility(2);
    auto command = facility_update(2);
    command.name = core::Name("Elm House");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeactivateFacility{2}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(facility_update(9)).summary(), "NOT_FOUND");
    // A sandbox sees the facility, which is live; it can't change it.
    given.context.facilities = {2};
    given.context.sandbox = true;
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(DeactivateFacility{2}).summary(), "NOT_FOUND");
}

TEST(DeactivateFacility, NotWithShiftsAhead) {
    Given given;
    given.organization().facility(1).facility(2).staff(11);
    given.shift(20, 1, "2026-07-20", "08:00", "16:00");  // over
    given.shift(21, 1, "2026-07-25", "08:00", "16:00").on_shift(21, events::ShiftCancelled{});
    given.shift(22, 1, "2026-07-24", "08:00", "16:00", 1, {11});
    given.on_shift(22, events::ShiftStarted{}).on_shift(22, events::ShiftCompleted{});
    given.shift(23, 2, "2026-07-25", "08:00", "16:00");
    EXPECT_EQ(given.when(DeactivateFacility{1}).summary(), "facility.deactivated");
    auto const refused = given.when(DeactivateFacility{2});
    EXPECT_EQ(refused.summary(), "FACILITY_IN_USE");
    EXPECT_EQ(refused.details(), R"({"shiftId":23})");
    auto by_patch = facility_update(2);
    by_patch.isActive = false;
    EXPECT_EQ(given.when(by_patch).summary(), "FACILITY_IN_USE");
    given.context.now = at("2026-07-25T16:00:00Z");
    EXPECT_EQ(given.when(DeactivateFacility{2}).summary(), "facility.deactivated");
}

TEST(DeactivateFacility, AndBack) {
    Given given;
    given.organization().facility(1);
    EXPECT_FALSE(given.after(DeactivateFacility{1}).isActive);
    EXPECT_EQ(given.when(DeactivateFacility{1}).summary(), "nothing");
    auto command = facility_update(1);
    command.isActive = true;
    EXPECT_EQ(given.when(command).summary(), "facility.reactivated");
    EXPECT_TRUE(given.after(command).isActive);
    EXPECT_EQ(given.when(command).summary(), "nothing");
}

}  // namespace
}  // namespace workforce::tests
