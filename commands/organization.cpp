// Rules of organizations, users and API keys.
#include "commands/organization.hpp"

#include "core/scopes.hpp"

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
    for (Id const facility : command.facilityIds) {
        if (!view.facility(facility)) return not_found("facility", facility);
    }
    return Decision{
        {{{events::Kind::user, context.new_ids.at(0)}, 0, events::UserEvent(events::UserCreated{{command}})}}, {}};
}
events::User answer(View const& view, CreateUser const&, Decision const& decision) {
    return *view.user(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, CreateApiKey const& command, Context const& context) {
    if (command.scopes.empty()) return invalid_field("scopes", "min_items", "must name at least one scope");
    for (std::size_t i = 0; i < command.scopes.size(); ++i) {
        if (!core::is_grantable_scope(command.scopes[i].value)) {
            return invalid_field("scopes[" + std::to_string(i) + "]", "scope",
                                 "is not a scope that a key can be given");
        }
        bool const internal = view.organization().type == events::OrganizationType::internal;
        if (command.scopes[i].value == "organizations:manage" && !internal) {
            return invalid_field("scopes[" + std::to_string(i) + "]", "scope",
                                 "is for keys of the internal organization");
        }
    }
    if (command.userId.value && !view.user(*command.userId.value)) return not_found("user", *command.userId.value);
    if (command.facilityId.value && !view.facility(*command.facilityId.value)) {
        return not_found("facility", *command.facilityId.value);
    }
    if (command.type == events::ApiKeyType::test && !command.facilityId.value) {
        return invalid_field("facilityId", "required", "is required for a sandbox key");
    }
    return Decision{{{{events::Kind::api_key, context.new_ids.at(0)},
                      command.facilityId.value.value_or(0),
                      events::ApiKeyEvent(events::ApiKeyCreated{{command}, {command}})}},
                    {}};
}
events::ApiKey answer(View const& view, CreateApiKey const&, Decision const& decision) {
    return *view.api_key(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, RevokeApiKey const& command, Context const&) {
    auto const* key = view.api_key(command.id);
    if (!key) return not_found("API key", command.id);
    if (key->status == events::ApiKeyStatus::revoked) return Decision{};
    return Decision{{{{events::Kind::api_key, command.id},
                      key->facilityId.value.value_or(0),
                      events::ApiKeyEvent(events::ApiKeyRevoked{})}},
                    {}};
}
events::ApiKey answer(View const& view, RevokeApiKey const& command, Decision const&) {
    return *view.api_key(command.id);
}

}  // namespace workforce::commands
