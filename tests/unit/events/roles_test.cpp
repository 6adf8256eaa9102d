// What roles may do.
#include "events/roles.hpp"

#include <gtest/gtest.h>

#include "core/scopes.hpp"

namespace workforce::events {
namespace {

bool role_permits(Role role, bool internal, core::Permission permission, Reach reach = Reach::all_rows) {
    return permissions_of_role(role, internal, reach)[permission.index()];
}

TEST(Roles, TheTableHasEveryPermissionAndEachRoleItsMark) {
    EXPECT_TRUE(permissions_of_role(Role::super_admin, true, Reach::own_rows).all());
    EXPECT_TRUE(permissions_of_role(Role::staff, false, Reach::own_rows).any());
}

TEST(Roles, SomePermissionsAreOfTheInternalOrganization) {
    for (auto const role : {Role::admin, Role::manager}) {
        EXPECT_TRUE(role_permits(role, true, "api_keys.manage"));
        EXPECT_FALSE(role_permits(role, false, "api_keys.manage"));
    }
    EXPECT_FALSE(role_permits(Role::facility_admin, true, "api_keys.manage"));
    EXPECT_TRUE(role_permits(Role::admin, true, "organizations.manage"));
    EXPECT_FALSE(role_permits(Role::manager, true, "organizations.manage"));
}

TEST(Roles, WhatReachesOwnRowsOpensNoOthers) {
    EXPECT_FALSE(role_permits(Role::staff, false, "shifts.view"));
    EXPECT_TRUE(role_permits(Role::staff, false, "shifts.view", Reach::own_rows));
    EXPECT_FALSE(role_permits(Role::staff, false, "shifts.edit", Reach::own_rows));
    EXPECT_FALSE(role_permits(Role::admin, true, "notifications.view"));
    EXPECT_TRUE(role_permits(Role::admin, true, "notifications.view", Reach::own_rows));
}

TEST(Roles, StaffSeeTheirOwn) {
    auto const own =
        permissions_of_role(Role::staff, false, Reach::own_rows) & ~permissions_of_role(Role::staff, false);
    for (core::Permission const permission : {core::Permission("staff.view"), core::Permission("shifts.view"),
                                              core::Permission("timesheets.view"), core::Permission("payroll.view")}) {
        EXPECT_TRUE(own[permission.index()]) << permission.name();
    }
    for (core::Permission const permission :
         {core::Permission("facilities.view"), core::Permission("users.view"), core::Permission("staff.edit")}) {
        EXPECT_FALSE(own[permission.index()]) << permission.name();
    }
}

TEST(Roles, AreThoseOfTheTable) {
    EXPECT_TRUE(role_permits(Role::scheduler, false, "shifts.assign"));
    EXPECT_FALSE(role_permits(Role::scheduler, false, "shifts.override"));
    EXPECT_TRUE(role_permits(Role::payroll_manager, false, "payroll.run"));
    EXPECT_FALSE(role_permits(Role::manager, false, "payroll.view"));
    EXPECT_TRUE(role_permits(Role::sales_rep, false, "crm.delete"));
    EXPECT_FALSE(role_permits(Role::sales_rep, false, "staff.view"));
    EXPECT_TRUE(role_permits(Role::viewer, false, "guardrails.view"));
    EXPECT_FALSE(role_permits(Role::viewer, false, "guardrails.edit"));
}

}  // namespace
}  // namespace workforce::events
