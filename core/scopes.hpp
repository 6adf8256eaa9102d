// The scope catalogue, and how scopes satisfy permissions (spec 5.2, domain 4).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace workforce::core {

/// One scope of the catalogue.
struct Scope {
    std::string_view name;  ///< "staff:read"
    bool in_default_grant;  ///< given to connectors that ask for no scope
};

/// Every scope that a key can be given, without wildcards.
std::span<Scope const> scope_catalogue();

/// Whether a key can be created with it: of the catalogue, or `resource:*` of a resource in it; never `*` or `*:*`.
bool is_grantable_scope(std::string_view scope);

/// Every dotted permission (domain 4.2).
inline constexpr auto kPermissions = std::to_array<std::string_view>({
    "organizations.view",
    "organizations.manage",
    "users.view",
    "users.create",
    "users.edit",
    "users.deactivate",
    "facilities.view",
    "facilities.create",
    "facilities.edit",
    "facilities.deactivate",
    "staff.view",
    "staff.create",
    "staff.edit",
    "staff.deactivate",
    "staff.view_credentials",
    "staff.manage_credentials",
    "credentials.view",
    "credentials.edit",
    "credentials.verify",
    "shifts.view",
    "shifts.create",
    "shifts.edit",
    "shifts.delete",
    "shifts.assign",
    "shifts.override",
    "scheduling.view",
    "scheduling.edit",
    "scheduling.request",
    "timesheets.view",
    "timesheets.create",
    "timesheets.edit",
    "timesheets.approve",
    "payroll.view",
    "payroll.run",
    "crm.view",
    "crm.create",
    "crm.edit",
    "crm.delete",
    "communications.view",
    "communications.create",
    "notifications.view",
    "notifications.edit",
    "analytics.view",
    "integrations.view",
    "integrations.manage_webhooks",
    "events.view",
    "audit.view",
    "apps.view",
    "apps.edit",
    "agents.view",
    "agents.run",
    "agents.approve",
    "agents.manage",
    "ai.approve_actions",
    "guardrails.view",
    "guardrails.edit",
    "sandbox.manage",
    "api_keys.manage",
});

/// A permission of the catalogue, as its number there. A literal that is none does not compile.
class Permission {
   public:
    // NOLINTNEXTLINE(google-explicit-constructor): a permission is written as its name.
    consteval Permission(char const* name) : index_(find(name)) {}

    /// The one of that name; nothing where the catalogue has none.
    static constexpr std::optional<Permission> named(std::string_view name) {
        for (std::size_t i = 0; i < kPermissions.size(); ++i) {
            if (kPermissions[i] == name) return Permission(i);
        }
        return std::nullopt;
    }

    [[nodiscard]] constexpr std::size_t index() const { return index_; }
    [[nodiscard]] constexpr std::string_view name() const { return kPermissions.at(index_); }

   private:
    explicit constexpr Permission(std::size_t index) : index_(static_cast<std::uint8_t>(index)) {}
    static consteval std::uint8_t find(std::string_view name) {
        for (std::size_t i = 0; i < kPermissions.size(); ++i) {
            if (kPermissions[i] == name) return static_cast<std::uint8_t>(i);
        }
        throw std::invalid_argument("no permission of the catalogue");
    }

    std::uint8_t index_;
};

/// A set of permissions, by their numbers.
using Permissions = std::bitset<kPermissions.size()>;

/// Whether any of the scopes satisfies a dotted permission ("staff.view"): exact after '.' → ':', `resource:*`, the
/// actions that `read` and `write` cover, then the category scopes. Write never implies read.
bool permits(std::span<std::string const> scopes, std::string_view permission);
/// The scope of the catalogue by which a client gets the permission and least besides; "" where there is none.
std::string_view least_scope(Permission permission);
/// All permissions that the scopes satisfy.
Permissions permissions_of(std::span<std::string const> scopes);

}  // namespace workforce::core
