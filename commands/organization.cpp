// Rules of organizations, users and API keys.
#include "commands/organization.hpp"

#include "commands/facility.hpp"
#include "core/scopes.hpp"

namespace workforce::commands {
namespace {

std::vector<core::FieldError> faults_of(View const& view, CreateApiKey const& command) {
    std::vector<core::FieldError> faults;
    bool const internal = view.organization().type == events::OrganizationType::internal;
    if (command.scopes.empty()) faults.push_back({"scopes", "min_items", "must name at least one scope"});
    for (std::size_t i = 0; i < command.scopes.size(); ++i) {
        auto const& scope = command.scopes[i].value;
        auto const field = "scopes[" + std::to_string(i) + "]";
        if (!core::is_grantable_scope(scope)) {
            faults.push_back({field, "scope", "is not a scope that a key can be given"});
        } else if (scope == "organizations:manage" && !internal) {
            faults.push_back({field, "scope", "is for keys of the internal organization"});
        }
    }
    if (command.type == events::ApiKeyType::test && !command.facilityId.value) {
        faults.push_back({"facilityId", "required", "is required for a sandbox key"});
    }
    if (command.acrossOrganizations && (!internal || command.facilityId.value)) {
        faults.push_back(
            {"acrossOrganizations", "internal", "is for keys of the internal organization that no facility binds"});
    }
    return faults;
}

}  // namespace

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
    return Decision{
        {{{events::Kind::user, context.new_ids.at(0)}, 0, events::UserEvent(events::UserCreated{{command}})}}, {}};
}
events::User answer(View const& view, CreateUser const&, Decision const& decision) {
    return *view.get<events::User>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, CreateApiKey const& command, Context const& context) {
    if (auto faults = faults_of(view, command); !faults.empty())
        return tl::unexpected(core::validation_problem(faults));
    if (command.userId.value && !view.get<events::User>(*command.userId.value))
        return not_found("user", *command.userId.value);
    if (command.facilityId.value) {
        auto facility = facility_in_scope(view, *command.facilityId.value, context);
        if (!facility) return tl::unexpected(facility.error());
    }
    return Decision{{{{events::Kind::api_key, context.new_ids.at(0)},
                      command.facilityId.value.value_or(0),
                      events::ApiKeyEvent(events::ApiKeyCreated{{command}, {command}})}},
                    {}};
}
events::ApiKey answer(View const& view, CreateApiKey const&, Decision const& decision) {
    return *view.get<events::ApiKey>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, RevokeApiKey const& command, Context const&) {
    auto const* key = view.get<events::ApiKey>(command.id);
    if (!key) return not_found("API key", command.id);
    if (key->status == events::ApiKeyStatus::revoked) return Decision{};
    return Decision{{{{events::Kind::api_key, command.id},
                      key->facilityId.value.value_or(0),
                      events::ApiKeyEvent(events::ApiKeyRevoked{command.reason})}},
                    {}};
}
events::ApiKey answer(View const& view, RevokeApiKey const& command, Decision const&) {
    return *view.get<events::ApiKey>(command.id);
}

}  // namespace workforce::commands
