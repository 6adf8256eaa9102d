// What a caller may do, and where.
#include "operations/caller.hpp"

namespace workforce::operations {

bool Caller::is_operator() const {
    if (!is_internal() || !facilities.empty() || !user.facilityIds.empty()) return false;
    using enum events::Role;
    return user.id == 0 || user.role == super_admin || user.role == admin || user.role == manager;
}

std::string Caller::lineage() const { return (is_person() ? "user/" : "key/") + std::to_string(credential_id); }

std::string Caller::write_space(int partition) const {
    return across_organizations ? lineage() + "@" + std::to_string(partition) : lineage();
}

core::Result<std::shared_ptr<Caller const>> acting_on_sandbox(std::shared_ptr<Caller const> caller) {
    if (caller->sandbox) return caller;
    if (!caller->is_person()) {
        return core::refuse(core::Code::forbidden, "A live key can't act on the sandbox; use a sandbox key.");
    }
    if (!caller->permits("sandbox.manage")) {
        return core::refuse(core::Code::forbidden, "The credential lacks the permission sandbox.manage.",
                            R"({"permission":"sandbox.manage"})");
    }
    auto in_sandbox = std::make_shared<Caller>(*caller);
    in_sandbox->sandbox = true;
    return in_sandbox;
}

core::Permissions permissions_of_key(std::vector<std::string> const& scopes, bool internal) {
    auto permissions = core::permissions_of(scopes);
    // Domain 4.1: whatever its scopes, a customer's key never manages organizations.
    if (!internal) permissions.reset(core::Permission("organizations.manage").index());
    return permissions;
}

}  // namespace workforce::operations
