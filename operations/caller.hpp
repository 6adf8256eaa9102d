// Who asks, whatever credential came with the request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/api_key.hpp"
#include "events/organization.hpp"
#include "events/user.hpp"

namespace workforce::operations {

using core::Id;

/// The caller. For keys the data limits are the key's own, identity comes from the bound user (domain 0 and 4.4).
/// Immutable once made, so that requests share it.
struct Caller {
    events::ActorType credential_type = events::ActorType::api_key;
    Id credential_id = 0;
    Id organization = 0;
    std::vector<Id> facilities;  ///< empty: all of the organization
    std::vector<std::string> scopes;
    bool sandbox = false;
    events::ApiKeyType key_type = events::ApiKeyType::live;
    events::Organization organization_record;
    events::User user;  ///< id 0: the key is bound to nobody

    /// Whether a scope satisfies the dotted permission.
    [[nodiscard]] bool permits(std::string_view permission) const;
    /// Whether the caller acts for the organization that runs the installation.
    [[nodiscard]] bool is_internal() const { return organization_record.type == events::OrganizationType::internal; }
    /// Names the credential across rotations: the space of idempotency keys, and of read-your-writes.
    [[nodiscard]] std::string lineage() const;
};

}  // namespace workforce::operations
