// Who asks, whatever credential came with the request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/scopes.hpp"
#include "core/time.hpp"
#include "events/api_key.hpp"
#include "events/organization.hpp"
#include "events/user.hpp"
#include "net/byte_budget.hpp"

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
    core::Permissions permissions;  ///< that hold: of a key's scopes, of a person's role
    /// Those, and the ones that a person's role has for rows of their own alone (domain 4.3, `S`).
    core::Permissions own_permissions;
    bool sandbox = false;
    std::int64_t rate_limit = 0;  ///< of a key: requests a minute; 0: what keys have for which nobody said otherwise
    std::optional<core::Timestamp> expires_at{};  ///< of a key
    bool across_organizations = false;            ///< it acts on any organization, not on its own alone
    events::ApiKeyType key_type = events::ApiKeyType::live;
    events::Organization organization_record;
    events::User user;   ///< id 0: the key is bound to nobody
    std::string name{};  ///< of a key; of an OAuth client its `client_id`
    /// Grade as a model, for tools (domain 6.4): of a key what it was given; a person is no model, and bound by none.
    events::ModelTier tier = events::ModelTier::advanced;
    /// The caller where the rights of the user behind a key bound it as well, as they do tools (spec 5.2, MCP); null:
    /// they take nothing away.
    std::shared_ptr<Caller const> for_tools{};
    core::Permissions role_lacks{};  ///< of such a caller: what the key's scopes permit and its user's role does not
    Id session = 0;                  ///< of a person who signed in; 0: they did so at another process
    Id grant = 0;                    ///< of an OAuth client: by which its user lets it act
    Id client = 0;                   ///< likewise which it is; 0: it is known by a document of its own
    std::string client_name{};       ///< likewise what it calls itself
    events::SessionKind session_kind = events::SessionKind::jwt;

    /// Whether an OAuth client acts for a person: what it may do, its scopes and the person's role allow.
    [[nodiscard]] bool is_client() const { return credential_type == events::ActorType::oauth; }
    /// Whether limits are those of the person behind the credential, and not of a key (domain 11.34).
    [[nodiscard]] bool counts_as_person() const { return is_person() || is_client(); }
    /// Whether the caller is a person who signed in.
    [[nodiscard]] bool is_person() const { return credential_type == events::ActorType::user; }
    [[nodiscard]] bool permits(core::Permission permission) const { return permissions[permission.index()]; }
    /// What it is refused with where the permission does not hold: FORBIDDEN where a role is what lacks it,
    /// INSUFFICIENT_SCOPE where a key's scopes do.
    [[nodiscard]] core::Code refused_with(core::Permission permission) const {
        bool const by_role = is_person() || role_lacks[permission.index()];
        return by_role ? core::Code::forbidden : core::Code::insufficient_scope;
    }
    /// Whether the permission holds for rows of the caller's own at least.
    [[nodiscard]] bool permits_own(core::Permission permission) const { return own_permissions[permission.index()]; }
    /// Whether the caller acts for the organization that runs the installation.
    [[nodiscard]] bool is_internal() const { return organization_record.type == events::OrganizationType::internal; }
    /// Whether the caller is of those who may act on any organization: of the internal one, bound to no facility, and
    /// an operator (domain 4.3) or a key that no user stands behind.
    [[nodiscard]] bool is_operator() const;
    /// Names the credential across rotations: the space of idempotency keys.
    [[nodiscard]] std::string lineage() const;
    /// For whom the bytes of answers count: of the organization's those of the user behind the credential, else of the
    /// key.
    [[nodiscard]] net::ByteHolder byte_holder() const;
    /// The space of read-your-writes in a partition: one for each where the caller may write to several.
    [[nodiscard]] std::string write_space(int partition) const;
};

/// What kind of credential usage says that it is (domain 8.1): "live", "test", "pat", "oauth", "session", "agent", or
/// "system" for the installation itself.
std::string_view credential_type_of(Caller const& caller);

/// The caller as one who acts on the sandbox: a person with the permission sandbox.manage, or a sandbox key, which does
/// so anyway. Errors: FORBIDDEN.
core::Result<std::shared_ptr<Caller const>> acting_on_sandbox(std::shared_ptr<Caller const> caller);

/// The key's caller with the rights that its user has, too; null where no user stands behind it.
std::shared_ptr<Caller const> narrowed_to_user(Caller const& key);

/// What a key's scopes permit. `internal`: the key is of the organization that runs the installation.
core::Permissions permissions_of_key(std::vector<std::string> const& scopes, bool internal);

}  // namespace workforce::operations
