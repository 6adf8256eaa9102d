// The scope catalogue and the matching of permissions.
#include "core/scopes.hpp"

#include <algorithm>
#include <array>

namespace workforce::core {
namespace {

constexpr std::array kCatalogue{
    Scope{"organizations:read", true},
    Scope{"users:read", true},
    Scope{"facilities:read", true},
    Scope{"users:write", false},
    Scope{"facilities:write", false},
    Scope{"organizations:manage", false},
    Scope{"staff:read", true},
    Scope{"staff:write", false},
    Scope{"credentials:read", true},
    Scope{"credentials:write", false},
    Scope{"credentials:verify", false},
    Scope{"shifts:read", true},
    Scope{"shifts:write", false},
    Scope{"shifts:assign", false},
    Scope{"shifts:override", false},
    Scope{"timesheets:read", true},
    Scope{"timesheets:write", false},
    Scope{"timesheets:approve", false},
    Scope{"payroll:read", true},
    Scope{"payroll:run", false},
    Scope{"crm:read", true},
    Scope{"crm:write", false},
    Scope{"communications:read", true},
    Scope{"communications:write", false},
    Scope{"notifications:read", true},
    Scope{"notifications:write", false},
    Scope{"analytics:read", true},
    Scope{"integrations:read", true},
    Scope{"integrations:write", false},
    Scope{"guardrails:read", true},
    Scope{"guardrails:write", false},
    Scope{"events:read", true},
    Scope{"audit:read", true},
    Scope{"apps:read", false},
    Scope{"apps:write", false},
    Scope{"agents:read", false},
    Scope{"agents:run", false},
    Scope{"agents:approve", false},
    Scope{"agents:manage", false},
    Scope{"ai:approve_actions", false},
    Scope{"scheduling:read", true},
    Scope{"scheduling:write", false},
    Scope{"scheduling:request", false},
    Scope{"hr:read", true},
    Scope{"hr:write", false},
    Scope{"finance:read", true},
};

/// Scopes that stand for others; they expand when checked, never when issued.
struct Category {
    std::string_view scope;
    std::array<std::string_view, 3> covers;
};
constexpr std::array kCategories{
    Category{"scheduling:read", {"shifts:read", "", ""}},
    Category{"scheduling:write", {"shifts:write", "shifts:assign", "scheduling:edit"}},
    Category{"scheduling:*", {"shifts:read", "shifts:write", "shifts:assign"}},
    Category{"hr:read", {"staff:read", "credentials:read", ""}},
    Category{"hr:write", {"staff:write", "credentials:write", ""}},
    Category{"hr:*", {"hr:read", "hr:write", ""}},
    Category{"finance:read", {"timesheets:read", "payroll:read", ""}},
    Category{"finance:*", {"finance:read", "", ""}},
};

constexpr std::array<std::string_view, 4> kRead{"view", "view_credentials", "read", "list"};
constexpr std::array<std::string_view, 8> kWrite{
    "create", "edit", "update", "delete", "deactivate", "manage_credentials", "manage_webhooks", "write"};

bool matches(std::string_view scope, std::string_view resource, std::string_view action) {
    if (scope == "*") return true;
    auto const colon = scope.find(':');
    if (colon == std::string_view::npos || scope.substr(0, colon) != resource) return false;
    auto const granted = scope.substr(colon + 1);
    if (granted == "*" || granted == action) return true;
    if (granted == "read") return std::find(kRead.begin(), kRead.end(), action) != kRead.end();
    if (granted == "write") return std::find(kWrite.begin(), kWrite.end(), action) != kWrite.end();
    return false;
}

bool satisfies(std::string_view scope, std::string_view resource, std::string_view action) {
    if (matches(scope, resource, action)) return true;
    return std::any_of(kCategories.begin(), kCategories.end(), [&](Category const& category) {
        return category.scope == scope &&
               std::any_of(category.covers.begin(), category.covers.end(),
                           [&](auto covered) { return !covered.empty() && satisfies(covered, resource, action); });
    });
}

}  // namespace

std::span<Scope const> scope_catalogue() { return kCatalogue; }

bool is_grantable_scope(std::string_view scope) {
    if (scope == "*" || scope == "*:*") return false;
    auto const prefix = scope.substr(0, scope.find(':') + 1);
    bool const wildcard = scope.ends_with(":*") && prefix.size() + 1 == scope.size();
    return std::any_of(kCatalogue.begin(), kCatalogue.end(), [&](Scope const& known) {
        return wildcard ? known.name.starts_with(prefix) : known.name == scope;
    });
}

bool permits(std::span<std::string const> scopes, std::string_view permission) {
    auto const dot = permission.find('.');
    auto const resource = permission.substr(0, dot);
    auto const action = dot == std::string_view::npos ? std::string_view{} : permission.substr(dot + 1);
    return std::any_of(scopes.begin(), scopes.end(),
                       [&](std::string const& s) { return satisfies(s, resource, action); });
}

Permissions permissions_of(std::span<std::string const> scopes) {
    Permissions granted;
    for (std::size_t i = 0; i < kPermissions.size(); ++i) granted[i] = permits(scopes, kPermissions[i]);
    return granted;
}

std::string_view least_scope(Permission permission) {
    std::string_view least;
    std::size_t grants = kPermissions.size() + 1;
    for (auto const& scope : kCatalogue) {
        std::array const alone{std::string(scope.name)};
        auto const granted = permissions_of(alone);
        if (!granted[permission.index()] || granted.count() >= grants) continue;
        least = scope.name;
        grants = granted.count();
    }
    return least;
}

}  // namespace workforce::core
