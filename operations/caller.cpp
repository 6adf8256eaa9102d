// What a caller may do.
#include "operations/caller.hpp"

#include "core/scopes.hpp"

namespace workforce::operations {

bool Caller::permits(std::string_view permission) const {
    // Domain 4.1: whatever its scopes, a customer's key never manages organizations.
    return (is_internal() || permission != "organizations.manage") && core::permits(scopes, permission);
}

std::string Caller::lineage() const { return "key/" + std::to_string(credential_id); }

}  // namespace workforce::operations
