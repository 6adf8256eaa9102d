// Rules of organizations and users.
#include "commands/organization.hpp"

#include "commands/facility.hpp"

namespace workforce::commands {

Result<Decision> decide(View const& view, CreateOrganization const& command, Context const& context) {
    if (view.version({events::Kind::organization, context.organization}) != 0)
        return duplicate("id", context.organization);
    return Decision{{{{events::Kind::organization, context.organization},
                      0,
                      events::OrganizationEvent(events::OrganizationCreated{{command}})}},
                    {}};
}
events::Organization answer(View const& view, CreateOrganization const&, Decision const&) {
    return view.organization();
}

Result<Decision> decide(View const& view, CreateUser const& command, Context const& context) {
    if (command.role == events::Role::super_admin && view.organization().type != events::OrganizationType::internal) {
        return invalid_field("role", "role", "super_admin exists in the internal organization only");
    }
    if (command.role == events::Role::facility_admin && command.facilityIds.empty()) {
        return invalid_field("facilityIds", "min_items", "must name at least one facility for a facility_admin");
    }
    for (Id const id : command.facilityIds) {
        if (auto facility = facility_in_scope(view, id, context); !facility) return tl::unexpected(facility.error());
    }
    events::AggregateRef const user{events::Kind::user, context.new_ids.at(0)};
    if (!view.reserve(user, events::login_names(command))) {
        return refuse(Code::duplicate_resource, "A user has this e-mail address or user name already.");
    }
    return Decision{{{user, 0, events::UserEvent(events::UserCreated{{command}})}}, {}};
}
events::User answer(View const& view, CreateUser const&, Decision const& decision) {
    return *view.get<events::User>(decision.events.at(0).subject.id);
}

}  // namespace workforce::commands
