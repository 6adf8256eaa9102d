// What a caller may do, and where.
#include "operations/caller.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "events/roles.hpp"

namespace workforce::operations {

bool Caller::is_operator() const {
    if (!is_internal() || !facilities.empty() || !user.facilityIds.empty()) return false;
    return user.id == 0 || events::is_operator_role(user.role);
}

std::string Caller::lineage() const {
    if (is_client()) return "oauth/" + std::to_string(user.id) + '/' + name;
    if (credential_type == events::ActorType::agent) return fmt::format("agent/{}/{}", credential_id, user.id);
    return (is_person() ? "user/" : "key/") + std::to_string(credential_id);
}

net::ByteHolder Caller::byte_holder() const {
    auto holder = net::holder_of(core::Lane(organization, sandbox));
    bool const by_user = user.id > 0;
    holder.credential = 2 * static_cast<std::uint64_t>(by_user ? user.id : credential_id) + (by_user ? 1 : 0);
    return holder;
}

std::string Caller::write_space(int partition) const {
    return across_organizations ? lineage() + "@" + std::to_string(partition) : lineage();
}

std::string_view credential_type_of(Caller const& caller) {
    if (caller.is_person()) return "session";
    if (caller.credential_type == events::ActorType::api_key) return core::enum_name(caller.key_type);
    return core::enum_name(caller.credential_type);
}

core::Result<std::shared_ptr<Caller const>> acting_on_sandbox(std::shared_ptr<Caller const> caller) {
    if (caller->sandbox) return caller;
    if (!caller->is_person()) {
        return core::refuse(core::Code::forbidden, "A live key can't act on the sandbox.", {}, "Use a sandbox key.");
    }
    if (!caller->permits("sandbox.manage")) {
        return core::refuse(core::Code::forbidden, "The credential lacks the permission sandbox.manage.",
                            R"({"permission":"sandbox.manage"})");
    }
    auto in_sandbox = std::make_shared<Caller>(*caller);
    in_sandbox->sandbox = true;
    return in_sandbox;
}

std::shared_ptr<Caller const> narrowed_to_user(Caller const& key) {
    if (key.user.id == 0) return nullptr;
    auto narrowed = std::make_shared<Caller>(key);
    auto const role = [&](events::Reach reach) {
        return events::permissions_of_role(key.user.role, key.is_internal(), reach);
    };
    narrowed->permissions &= role(events::Reach::all_rows);
    narrowed->own_permissions &= role(events::Reach::own_rows);
    narrowed->role_lacks = key.permissions & ~narrowed->permissions;
    auto const& own = key.user.facilityIds;
    if (own.empty()) return narrowed;
    if (key.facilities.empty()) {
        narrowed->facilities = own;
        return narrowed;
    }
    std::erase_if(narrowed->facilities, [&](Id facility) { return std::ranges::find(own, facility) == own.end(); });
    // None at all would mean all of them; there is no facility 0.
    if (narrowed->facilities.empty()) narrowed->facilities.push_back(0);
    return narrowed;
}

core::Permissions permissions_of_key(std::vector<std::string> const& scopes, bool internal) {
    auto permissions = core::permissions_of(scopes);
    // Domain 4.1: whatever its scopes, a customer's key never manages organizations.
    if (!internal) permissions.reset(core::Permission("organizations.manage").index());
    return permissions;
}

}  // namespace workforce::operations
