// Rules of organizations and users.
#include "commands/organization.hpp"

#include <algorithm>

#include "commands/facility.hpp"

namespace workforce::commands {
namespace {

using events::OrganizationType;
using events::UserStatus;

NewEvent user_event(Id user, events::UserEvent data) { return {{events::Kind::user, user}, 0, std::move(data)}; }

bool is_active_super_admin(events::User const& user) {
    return user.role == events::Role::super_admin && user.status == UserStatus::active;
}

Decision organization_event(Context const& context, events::OrganizationEvent data) {
    return {{{{events::Kind::organization, context.organization}, 0, std::move(data)}}, {}};
}

bool exists(View const& view, Context const& context) {
    return view.version({events::Kind::organization, context.organization}) != 0;
}

}  // namespace

bool is_last_super_admin(View const& view, events::User const& user) {
    if (!is_active_super_admin(user)) return false;
    return std::ranges::none_of(view.all<events::User>(), [&](auto const& each) {
        return each.first != user.id && is_active_super_admin(each.second.value);
    });
}

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

Result<Decision> decide(View const& view, DeactivateUser const& command, Context const&) {
    auto const* user = view.get<events::User>(command.id);
    if (!user) return not_found("user", command.id);
    if (user->status == UserStatus::deactivated) return Decision{};
    if (is_last_super_admin(view, *user)) {
        return refuse(Code::last_super_admin, "The user is the last active super admin; make another one first.");
    }
    return Decision{{user_event(user->id, events::UserDeactivated{})}, {}};
}
events::User answer(View const& view, DeactivateUser const& command, Decision const&) {
    return *view.get<events::User>(command.id);
}

Result<Decision> decide(View const& view, ReactivateUser const& command, Context const&) {
    auto const* user = view.get<events::User>(command.id);
    if (!user) return not_found("user", command.id);
    if (user->status == UserStatus::active) return Decision{};
    if (user->email.erased) return invalid_transition("user", "erased", "reactivate", {});
    if (user->status != UserStatus::deactivated) {
        return invalid_transition("user", core::enum_name(user->status), "reactivate", {"deactivate"});
    }
    return Decision{{user_event(user->id, events::UserReactivated{})}, {}};
}
events::User answer(View const& view, ReactivateUser const& command, Decision const&) {
    return *view.get<events::User>(command.id);
}

Result<Decision> decide(View const& view, DeactivateOrganization const&, Context const& context) {
    if (!exists(view, context)) return not_found("organization", context.organization);
    if (view.organization().type == OrganizationType::internal) {
        return refuse(Code::last_super_admin, "The super admins are of this organization; it can't be deactivated.");
    }
    if (!view.organization().isActive) return Decision{};
    return organization_event(context, events::OrganizationDeactivated{});
}
events::Organization answer(View const& view, DeactivateOrganization const&, Decision const&) {
    return view.organization();
}

Result<Decision> decide(View const& view, ReactivateOrganization const&, Context const& context) {
    if (!exists(view, context)) return not_found("organization", context.organization);
    if (view.organization().isActive) return Decision{};
    return organization_event(context, events::OrganizationReactivated{});
}
events::Organization answer(View const& view, ReactivateOrganization const&, Decision const&) {
    return view.organization();
}

}  // namespace workforce::commands
