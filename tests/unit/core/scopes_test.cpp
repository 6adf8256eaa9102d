// Which scopes satisfy which permissions: the matching of spec 5.2 and the categories of the catalogue.
#include "core/scopes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace workforce::core {
namespace {

bool one_permits(std::string const& scope, std::string_view permission) {
    std::vector<std::string> const scopes{scope};
    return permits(scopes, permission);
}

/// Every permission there is.
std::vector<std::string> permissions() {
    std::vector<std::string> all;
    std::pair<std::string, std::vector<std::string>> const resources[] = {
        {"organizations", {"view", "manage"}},
        {"users", {"view", "create", "edit", "deactivate"}},
        {"facilities", {"view", "create", "edit", "deactivate"}},
        {"staff", {"view", "create", "edit", "deactivate", "view_credentials", "manage_credentials"}},
        {"credentials", {"view", "edit", "verify"}},
        {"shifts", {"view", "create", "edit", "delete", "assign", "override"}},
        {"scheduling", {"view", "edit", "request"}},
        {"timesheets", {"view", "create", "edit", "approve"}},
        {"payroll", {"view", "run"}},
        {"crm", {"view", "create", "edit", "delete"}},
        {"communications", {"view", "create"}},
        {"notifications", {"view", "edit"}},
        {"analytics", {"view"}},
        {"integrations", {"view", "manage_webhooks"}},
        {"events", {"view"}},
        {"audit", {"view"}},
        {"apps", {"view", "edit"}},
        {"agents", {"view", "run", "approve", "manage"}},
        {"ai", {"approve_actions"}},
        {"guardrails", {"view", "edit"}},
        {"sandbox", {"manage"}},
        {"api_keys", {"manage"}},
    };
    for (auto const& [resource, actions] : resources) {
        for (auto const& action : actions) all.push_back(resource + "." + action);
    }
    return all;
}

/// What a scope satisfies, of all permissions.
std::set<std::string> reach(std::string const& scope) {
    std::set<std::string> reached;
    for (auto const& permission : permissions()) {
        if (one_permits(scope, permission)) reached.insert(permission);
    }
    return reached;
}

using Set = std::set<std::string>;

TEST(Scopes, ReachExactlyWhatTheCatalogueSays) {
    std::pair<std::string, Set> const cases[] = {
        {"staff:read", {"staff.view", "staff.view_credentials"}},
        {"staff:write", {"staff.create", "staff.edit", "staff.deactivate", "staff.manage_credentials"}},
        {"staff:*",
         {"staff.view", "staff.view_credentials", "staff.create", "staff.edit", "staff.deactivate",
          "staff.manage_credentials"}},
        {"credentials:read", {"credentials.view"}},
        {"credentials:write", {"credentials.edit"}},
        {"credentials:verify", {"credentials.verify"}},
        {"shifts:read", {"shifts.view"}},
        {"shifts:write", {"shifts.create", "shifts.edit", "shifts.delete"}},
        {"shifts:assign", {"shifts.assign"}},
        {"shifts:override", {"shifts.override"}},
        {"shifts:*",
         {"shifts.view", "shifts.create", "shifts.edit", "shifts.delete", "shifts.assign", "shifts.override"}},
        {"timesheets:write", {"timesheets.create", "timesheets.edit"}},
        {"timesheets:approve", {"timesheets.approve"}},
        {"payroll:read", {"payroll.view"}},
        {"payroll:run", {"payroll.run"}},
        {"crm:read", {"crm.view"}},
        {"crm:write", {"crm.create", "crm.edit", "crm.delete"}},
        {"crm:*", {"crm.view", "crm.create", "crm.edit", "crm.delete"}},
        {"integrations:write", {"integrations.manage_webhooks"}},
        {"agents:run", {"agents.run"}},
        {"agents:approve", {"agents.approve"}},
        {"agents:manage", {"agents.manage"}},
        {"organizations:manage", {"organizations.manage"}},
        {"ai:approve_actions", {"ai.approve_actions"}},
        {"ai:*", {"ai.approve_actions"}},
        {"scheduling:read", {"scheduling.view", "shifts.view"}},
        {"scheduling:write", {"scheduling.edit", "shifts.create", "shifts.edit", "shifts.delete", "shifts.assign"}},
        {"scheduling:request", {"scheduling.request"}},
        {"scheduling:*",
         {"scheduling.view", "scheduling.edit", "scheduling.request", "shifts.view", "shifts.create", "shifts.edit",
          "shifts.delete", "shifts.assign"}},
        {"hr:read", {"staff.view", "staff.view_credentials", "credentials.view"}},
        {"hr:write",
         {"staff.create", "staff.edit", "staff.deactivate", "staff.manage_credentials", "credentials.edit"}},
        {"finance:read", {"timesheets.view", "payroll.view"}},
        {"finance:*", {"timesheets.view", "payroll.view"}},
    };
    for (auto const& [scope, reached] : cases) EXPECT_EQ(reach(scope), reached) << scope;
}

TEST(Scopes, OneStarReachesEverything) {
    auto const all = permissions();
    EXPECT_EQ(reach("*"), Set(all.begin(), all.end()));
    EXPECT_EQ(reach("*:*"), Set{});
    EXPECT_EQ(reach("*:read"), Set{});
}

TEST(Scopes, NeverReachMoreThanTheyName) {
    for (auto const* scope : {"", ":", "staff", "staff:", "staff:rea", "Staff:read", "staffs:read", "staff.read",
                              "staff: *", "sta:*", ":read"}) {
        EXPECT_EQ(reach(scope), Set{}) << scope;
    }
    EXPECT_FALSE(permits({}, "staff.view"));
}

TEST(Scopes, AliasesOfActions) {
    for (auto const* action : {"view", "view_credentials", "read", "list"}) {
        EXPECT_TRUE(one_permits("staff:read", "staff." + std::string(action))) << action;
        EXPECT_FALSE(one_permits("staff:write", "staff." + std::string(action))) << action;
    }
    for (auto const* action :
         {"create", "edit", "update", "delete", "deactivate", "manage_credentials", "manage_webhooks", "write"}) {
        EXPECT_TRUE(one_permits("staff:write", "staff." + std::string(action))) << action;
        EXPECT_FALSE(one_permits("staff:read", "staff." + std::string(action))) << action;
    }
    EXPECT_TRUE(one_permits("shifts:write", "shifts.write"));
}

TEST(Scopes, WriteNeverImpliesRead) {
    for (auto const& scope : scope_catalogue()) {
        if (!scope.name.ends_with(":write")) continue;
        for (auto const& reached : reach(std::string(scope.name))) {
            EXPECT_FALSE(reached.ends_with(".view") || reached.ends_with(".view_credentials"))
                << scope.name << " " << reached;
        }
    }
}

TEST(Scopes, OnlyTheirOwnReachSpecialActions) {
    for (auto const& scope : scope_catalogue()) {
        auto const resource = scope.name.substr(0, scope.name.find(':'));
        for (auto const& reached : reach(std::string(scope.name))) {
            for (auto const* special : {"verify", "approve", "run", "override", "manage"}) {
                if (!reached.ends_with("." + std::string(special))) continue;
                EXPECT_EQ(reached, std::string(resource) + "." + special) << scope.name;
                EXPECT_TRUE(scope.name.ends_with(":" + std::string(special))) << scope.name;
            }
        }
    }
    for (auto const* category : {"scheduling:*", "hr:*", "finance:*"}) {
        for (auto const* permission :
             {"shifts.override", "credentials.verify", "timesheets.approve", "payroll.run", "organizations.manage"}) {
            EXPECT_FALSE(one_permits(category, permission)) << category << " " << permission;
        }
    }
}

TEST(Scopes, AnyOfThemSuffices) {
    std::vector<std::string> const scopes{"crm:read", "finance:read"};
    EXPECT_TRUE(permits(scopes, "payroll.view"));
    EXPECT_TRUE(permits(scopes, "crm.view"));
    EXPECT_FALSE(permits(scopes, "crm.edit"));
}

TEST(Catalogue, DefaultGrantIsEveryReadButAppsAndAgents) {
    for (auto const& scope : scope_catalogue()) {
        bool const withheld = scope.name.starts_with("apps:") || scope.name.starts_with("agents:");
        EXPECT_EQ(scope.in_default_grant, scope.name.ends_with(":read") && !withheld) << scope.name;
    }
}

TEST(Catalogue, HasTheScopesOfTheSpecOnce) {
    Set names;
    for (auto const& scope : scope_catalogue()) EXPECT_TRUE(names.emplace(scope.name).second) << scope.name;
    for (auto const* name : {"shifts:read", "shifts:write", "shifts:assign", "staff:read", "staff:write",
                             "credentials:read", "credentials:verify", "payroll:read", "payroll:run", "crm:write",
                             "facilities:read", "analytics:read", "integrations:write", "scheduling:write",
                             "communications:write", "apps:read", "apps:write", "agents:run", "agents:approve"}) {
        EXPECT_TRUE(names.contains(name)) << name;
        EXPECT_TRUE(is_grantable_scope(name)) << name;
    }
}

TEST(Catalogue, EveryGrantableScopeReachesSomething) {
    for (auto const& scope : scope_catalogue()) EXPECT_FALSE(reach(std::string(scope.name)).empty()) << scope.name;
}

TEST(Catalogue, WhatAKeyCanBeGiven) {
    for (auto const* good : {"crm:*", "staff:*", "scheduling:*", "hr:*", "ai:*", "staff:read"})
        EXPECT_TRUE(is_grantable_scope(good)) << good;
    for (auto const* bad : {"*", "*:*", "*:read", "", ":", ":*", "crm", "crm:", "crm:**", "crm:*:*", "crm:fly", "cr:*",
                            "CRM:*", "sandbox:manage", "api_keys:manage", " crm:*"}) {
        EXPECT_FALSE(is_grantable_scope(bad)) << bad;
    }
}

}  // namespace
}  // namespace workforce::core
