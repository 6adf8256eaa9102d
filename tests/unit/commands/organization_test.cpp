// Organizations.
#include "commands/organization.hpp"

#include <gtest/gtest.h>

#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

using commands::CreateOrganization;

TEST(CreateOrganization, Once) {
    Given given;
    CreateOrganization command;
    command.name = "Harbour Care";
    EXPECT_EQ(given.when(command).summary(), "organization.created");
    auto const organization = given.after(command);
    EXPECT_EQ(organization.id, Given::kOrganization);
    EXPECT_TRUE(organization.isActive);
    EXPECT_EQ(organization.settings.approvalTtlHours.value, 72);
    EXPECT_EQ(organization.settings.overtimeMultiplier.hundredths, 150);
    EXPECT_EQ(given.when(command).summary(), "DUPLICATE_RESOURCE");
}

TEST(UpdateOrganization, WhatChangedAlone) {
    Given given;
    commands::UpdateOrganization command;
    command.id = Given::kOrganization;
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
    given.organization();
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.timezone = core::TimeZoneName("Europe/Berlin");  // as it is
    command.settings.emplace().minRestMinutes = core::Int<0, 2880>{600};
    EXPECT_EQ(given.when(command).summary(), "organization.updated");
    auto const after = given.after(command);
    EXPECT_EQ(after.settings.minRestMinutes.value, 600);
    EXPECT_EQ(after.settings.approvalTtlHours.value, 72);
    EXPECT_EQ(given.when(command).summary(), "nothing");
}

TEST(UpdateOrganization, WhatIsFixedAndWhoMayNot) {
    Given given;
    given.organization();
    commands::UpdateOrganization command;
    command.id = Given::kOrganization;
    command.type = events::OrganizationType::customer;
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.type = events::OrganizationType::internal;
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
    command.id = Given::kOrganization + 1;
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
    command.id = Given::kOrganization;
    given.context.facilities = {1};
    EXPECT_EQ(given.when(command).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.sandbox = true;
    EXPECT_EQ(given.when(command).summary(), "NOT_FOUND");
}

TEST(CreateOrganization, TheInternalOneByTheSystemAlone) {
    Given given;
    CreateOrganization command;
    command.name = "Another platform";
    command.type = events::OrganizationType::internal;
    EXPECT_EQ(given.when(command).summary(), "VALIDATION_ERROR");
    given.context.actor = {};
    EXPECT_EQ(given.when(command).summary(), "organization.created");
}

constexpr commands::DeactivateOrganization kDeactivate{Given::kOrganization};
constexpr commands::ReactivateOrganization kReactivate{Given::kOrganization};

TEST(DeactivateOrganization, AndBackOnceEach) {
    Given given;
    EXPECT_EQ(given.when(kDeactivate).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(kReactivate).summary(), "NOT_FOUND");
    given.organization();
    EXPECT_EQ(given.when(kReactivate).summary(), "nothing");
    EXPECT_EQ(given.when(kDeactivate).summary(), "organization.deactivated");
    EXPECT_FALSE(given.after(kDeactivate).isActive);
    EXPECT_EQ(given.when(kDeactivate).summary(), "nothing");
    EXPECT_EQ(given.when(kReactivate).summary(), "organization.reactivated");
    EXPECT_TRUE(given.after(kReactivate).isActive);
}

TEST(UpdateOrganization, IsActiveStandsForTheCommands) {
    Given given;
    given.organization();
    commands::UpdateOrganization command;
    command.id = Given::kOrganization;
    command.isActive = true;
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.isActive = false;
    command.industry = core::ShortText("healthcare");
    EXPECT_EQ(given.when(command).summary(), "organization.updated organization.deactivated");
    EXPECT_FALSE(given.after(command).isActive);
    EXPECT_EQ(given.when(command).summary(), "nothing");
    command.isActive = true;
    EXPECT_EQ(given.when(command).summary(), "organization.reactivated");
    Given internal;
    internal.organization(events::OrganizationType::internal);
    command.isActive = false;
    EXPECT_EQ(internal.when(command).summary(), "LAST_SUPER_ADMIN");
}

TEST(DeactivateOrganization, ByNobodyWhomFacilitiesBind) {
    Given given;
    given.organization();
    EXPECT_EQ(given.when(commands::DeactivateOrganization{Given::kOrganization + 1}).summary(), "NOT_FOUND");
    EXPECT_EQ(given.when(commands::ReactivateOrganization{Given::kOrganization + 1}).summary(), "NOT_FOUND");
    given.context.facilities = {1};
    EXPECT_EQ(given.when(kDeactivate).summary(), "FACILITY_SCOPE_VIOLATION");
    EXPECT_EQ(given.when(kReactivate).summary(), "FACILITY_SCOPE_VIOLATION");
    given.context.sandbox = true;
    EXPECT_EQ(given.when(kDeactivate).summary(), "NOT_FOUND");
}

TEST(RecordUsageExport, SaysWhatLeftAndChangesNothing) {
    Given given;
    given.organization();
    auto const before = given.view().organization().updatedAt;
    commands::RecordUsageExport const command{tests::at("2026-06-24T10:00:00Z"), tests::at("2026-07-24T10:00:00Z"),
                                              core::Nullable<core::Id>(1), false, 12};
    auto const event = given.when(command).event<events::OrganizationUsageExported>();
    EXPECT_EQ(core::to_json(event),
              R"({"from":"2026-06-24T10:00:00.000Z","to":"2026-07-24T10:00:00.000Z","facilityId":1,)"
              R"("allOrganizations":false,"rows":12})");
    given.context.facilities = {1};
    given.context.now = tests::at("2026-07-24T11:00:00Z");
    given.after(command);
    EXPECT_EQ(given.view().organization().updatedAt, before);
    EXPECT_EQ(Given().when(command).summary(), "NOT_FOUND");
}

TEST(DeactivateOrganization, NotTheOneThatRunsTheInstallation) {
    Given given;
    given.organization(events::OrganizationType::internal);
    EXPECT_EQ(given.when(kDeactivate).summary(), "LAST_SUPER_ADMIN");
}

}  // namespace
}  // namespace workforce::tests
