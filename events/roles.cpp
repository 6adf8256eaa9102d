// The table of roles and permissions.
#include "events/roles.hpp"

#include <array>

namespace workforce::events {
namespace {

/// A permission, and for each role in the order of events::Role: O in its organization, i in the internal one only, S
/// for rows of its own, - not at all.
struct Row {
    core::Permission permission;
    std::string_view roles;
};

constexpr std::array kRows{
    // super_admin, admin, manager, facility_admin, scheduler, payroll_manager, sales_rep, viewer, staff
    Row{"organizations.view", "OOOOOOOO-"},
    Row{"organizations.manage", "Oi-------"},
    Row{"users.view", "OOOO---O-"},
    Row{"users.create", "OO-O-----"},
    Row{"users.edit", "OO-O-----"},
    Row{"users.deactivate", "OO-O-----"},
    Row{"facilities.view", "OOOOOOOOO"},
    Row{"facilities.create", "OO-------"},
    Row{"facilities.edit", "OOOO-----"},
    Row{"facilities.deactivate", "OOOO-----"},
    Row{"staff.view", "OOOOOO-OS"},
    Row{"staff.create", "OOOO-----"},
    Row{"staff.edit", "OOOO-----"},
    Row{"staff.deactivate", "OOOO-----"},
    Row{"staff.view_credentials", "OOOOO--OS"},
    Row{"staff.manage_credentials", "OOOO-----"},
    Row{"credentials.view", "OOOOO--OS"},
    Row{"credentials.edit", "OOOO-----"},
    Row{"credentials.verify", "OOOO-----"},
    Row{"shifts.view", "OOOOOO-OS"},
    Row{"shifts.create", "OOOOO----"},
    Row{"shifts.edit", "OOOOO----"},
    Row{"shifts.delete", "OOOOO----"},
    Row{"shifts.assign", "OOOOO----"},
    Row{"shifts.override", "OOOO-----"},
    Row{"scheduling.view", "OOOOOO-OS"},
    Row{"scheduling.edit", "OOOOO----"},
    Row{"scheduling.request", "O-------S"},
    Row{"timesheets.view", "OOOOOO-OS"},
    Row{"timesheets.create", "OOOOOO--S"},
    Row{"timesheets.edit", "OOOO-O--S"},
    Row{"timesheets.approve", "OOOO-O---"},
    Row{"payroll.view", "OO---O--S"},
    Row{"payroll.run", "OO---O---"},
    Row{"crm.view", "OOO---OO-"},
    Row{"crm.create", "OOO---O--"},
    Row{"crm.edit", "OOO---O--"},
    Row{"crm.delete", "OOO---O--"},
    Row{"communications.view", "OOOOOOO-S"},
    Row{"communications.create", "OOOOOOO-S"},
    Row{"notifications.view", "SSSSSSSSS"},
    Row{"notifications.edit", "SSSSSSSSS"},
    Row{"analytics.view", "OOOO-O-O-"},
    Row{"integrations.view", "OO-O-----"},
    Row{"integrations.manage_webhooks", "OO-O-----"},
    Row{"events.view", "OO-------"},
    Row{"audit.view", "OO-----O-"},
    Row{"apps.view", "OOO------"},
    Row{"apps.edit", "OOO------"},
    Row{"agents.view", "OOOO---O-"},
    Row{"agents.run", "OOOO-----"},
    Row{"agents.approve", "OOOO-----"},
    Row{"agents.manage", "OO-------"},
    Row{"ai.approve_actions", "OOOO-----"},
    Row{"guardrails.view", "OO-----O-"},
    Row{"guardrails.edit", "OO-------"},
    Row{"sandbox.manage", "OO-O-----"},
    Row{"api_keys.manage", "Oii------"},
};

}  // namespace

core::Permissions permissions_of_role(Role role, bool internal, Reach reach) {
    core::Permissions granted;
    for (auto const& row : kRows) {
        auto const mark = row.roles.at(static_cast<std::size_t>(role));
        granted[row.permission.index()] =
            mark == 'O' || (mark == 'i' && internal) || (mark == 'S' && reach == Reach::own_rows);
    }
    return granted;
}

bool is_operator_role(Role role) { return role == Role::super_admin || role == Role::admin || role == Role::manager; }

}  // namespace workforce::events
