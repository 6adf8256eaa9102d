// Rules of organizations.
#include "commands/organization.hpp"

#include <iterator>
#include <utility>

namespace workforce::commands {
namespace {

using events::OrganizationType;

Decision organization_event(Context const& context, events::OrganizationEvent data) {
    return {{{{events::Kind::organization, context.organization}, 0, std::move(data)}}, {}};
}

bool exists(View const& view, Context const& context) {
    return view.version({events::Kind::organization, context.organization}) != 0;
}

Result<Decision> deactivate_organization(View const& view, Context const& context) {
    if (view.organization().type == OrganizationType::internal) {
        return refuse(Code::last_super_admin,
                      "The internal organization has the super admins and can't be deactivated.", {},
                      "Deactivate its users instead.");
    }
    if (!view.organization().isActive) return Decision{};
    return organization_event(context, events::OrganizationDeactivated{});
}

Result<Decision> reactivate_organization(View const& view, Context const& context) {
    if (view.organization().isActive) return Decision{};
    return organization_event(context, events::OrganizationReactivated{});
}

/// Why the caller may not change the organization `id`, if they may not.
std::optional<tl::unexpected<core::Problem>> check_change(View const& view, Id id, Context const& context) {
    if (context.sandbox || id != context.organization || !exists(view, context)) return not_found("organization", id);
    if (context.facilities.empty()) return std::nullopt;
    return refuse(Code::facility_scope_violation,
                  "A credential that is bound to facilities can't change the organization.");
}

}  // namespace

Result<Decision> decide(View const& view, CreateOrganization const& command, Context const& context) {
    if (exists(view, context)) return duplicate("id", context.organization);
    if (command.type != OrganizationType::customer && context.actor.type != events::ActorType::system) {
        return invalid_field("type", "customer", "must be customer: there is one internal organization");
    }
    return Decision{{{{events::Kind::organization, context.organization},
                      0,
                      events::OrganizationEvent(events::OrganizationCreated{{command}})}},
                    {}};
}
events::Organization answer(View const& view, CreateOrganization const&, Decision const&) {
    return view.organization();
}

Result<Decision> decide(View const& view, UpdateOrganization const& command, Context const& context) {
    if (auto fault = check_change(view, command.id, context)) return *fault;
    if (command.type && *command.type != view.organization().type) {
        return invalid_field("type", "fixed", "can't be changed");
    }
    events::OrganizationUpdated updated{{command}};
    Decision decision;
    if (events::keep_changed(view.organization(), static_cast<events::OrganizationChanges&>(updated))) {
        decision = organization_event(context, std::move(updated));
    }
    if (!command.isActive) return decision;
    auto moved = *command.isActive ? reactivate_organization(view, context) : deactivate_organization(view, context);
    if (!moved) return moved;
    std::move(moved->events.begin(), moved->events.end(), std::back_inserter(decision.events));
    return decision;
}
events::Organization answer(View const& view, UpdateOrganization const&, Decision const&) {
    return view.organization();
}

Result<Decision> decide(View const& view, DeactivateOrganization const& command, Context const& context) {
    if (auto fault = check_change(view, command.id, context)) return *fault;
    return deactivate_organization(view, context);
}
events::Organization answer(View const& view, DeactivateOrganization const&, Decision const&) {
    return view.organization();
}

Result<Decision> decide(View const& view, ReactivateOrganization const& command, Context const& context) {
    if (auto fault = check_change(view, command.id, context)) return *fault;
    return reactivate_organization(view, context);
}
events::Organization answer(View const& view, ReactivateOrganization const&, Decision const&) {
    return view.organization();
}

Result<Decision> decide(View const& view, RecordUsageExport const& command, Context const& context) {
    if (!exists(view, context)) return not_found("organization", context.organization);
    return organization_event(context, events::OrganizationUsageExported{command.from, command.to, command.facilityId,
                                                                         command.allOrganizations, command.rows});
}

}  // namespace workforce::commands
