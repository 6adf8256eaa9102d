// The scope catalogue, and how scopes satisfy permissions (spec 5.2, domain 4).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace workforce::core {

/// One scope of the catalogue.
struct Scope {
    std::string_view name;  ///< "staff:read"
    bool in_default_grant;  ///< given to connectors that ask for no scope
};

/// Every scope that a key can be given, without wildcards.
std::span<Scope const> scope_catalogue();

/// Whether a key can be created with it: of the catalogue, or `resource:*` of a resource in it; never `*` or `*:*`.
bool is_grantable_scope(std::string_view scope);

/// Every dotted permission (domain 4.2).
std::span<std::string_view const> permission_catalogue();

/// Whether any of the scopes satisfies a dotted permission ("staff.view"): exact after '.' → ':', `resource:*`, the
/// actions that `read` and `write` cover, then the category scopes. Write never implies read.
bool permits(std::span<std::string const> scopes, std::string_view permission);

}  // namespace workforce::core
