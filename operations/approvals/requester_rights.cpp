// Callers as the write side knows them.
#include "operations/approvals/requester_rights.hpp"

#include "events/api_key.hpp"
#include "events/roles.hpp"
#include "operations/commands.hpp"

namespace workforce::operations {
namespace {

/// The caller as its user and key stand in the view.
Caller caller_at(commands::View const& view, Caller const& before) {
    Caller caller = before;
    auto const* user = before.user.id == 0 ? nullptr : view.get<events::User>(before.user.id);
    bool const is_key = before.credential_type == events::ActorType::api_key;
    auto const* key = is_key ? view.get<events::ApiKey>(before.credential_id) : nullptr;
    if (user) caller.user = *user;
    if (key) {
        caller.scopes.clear();
        for (auto const& scope : key->scopes) caller.scopes.push_back(scope.value);
        caller.permissions = permissions_of_key(caller.scopes, caller.is_internal());
        caller.own_permissions = caller.permissions;
        caller.facilities.clear();
        if (key->facilityId.value) caller.facilities.push_back(*key->facilityId.value);
    }
    if (is_key) {
        auto const narrowed = user || key ? narrowed_to_user(caller) : nullptr;
        return narrowed ? *narrowed : caller;
    }
    if (user) {
        auto const role = [&](events::Reach reach) {
            return events::permissions_of_role(user->role, caller.is_internal(), reach);
        };
        auto const all = role(events::Reach::all_rows);
        caller.permissions = before.is_client() ? before.permissions & all : all;
        auto const own = role(events::Reach::own_rows);
        caller.own_permissions = before.is_client() ? before.own_permissions & own : own;
        if (before.credential_type != events::ActorType::agent) caller.facilities = user->facilityIds;
    }
    return caller;
}

}  // namespace

core::Result<commands::Context> rights_at(commands::View const& view, ApprovedCall const& call,
                                          commands::Context const& prepared) {
    if (auto const fault = commands::fault_of_credential(view, prepared); !fault.empty()) {
        return core::refuse(core::Code::unauthenticated, std::string(fault));
    }
    auto const caller = caller_at(view, *call.caller);
    auto const& operation = *call.tool->operation;
    if (auto const problem = lacking(caller, operation)) return tl::unexpected(*problem);
    CallMeta meta;
    meta.request_id = prepared.request_id;
    meta.organization = prepared.organization;
    meta.sandbox = prepared.sandbox;
    meta.cause = prepared.cause;
    auto context = command_context(caller, operation, meta);
    context.new_ids = prepared.new_ids;
    return context;
}

}  // namespace workforce::operations
