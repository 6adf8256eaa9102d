// API keys as queries see them.
#pragma once

#include "events/api_key.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of keys is narrowed to (domain 3.8).
struct ApiKeyFilter : ListFilter {
    std::optional<std::vector<events::ApiKeyType>> type{};
    std::optional<std::vector<events::ApiKeyStatus>> status{};
    std::optional<Id> userId{};
};
BOOST_DESCRIBE_STRUCT(ApiKeyFilter, (ListFilter), (type, status, userId))

using ApiKeyRows = ReadModel<events::ApiKey, ApiKeyFilter, events::ApiKeyRecord>;

/// read.api_key, shown with auth.api_key_use.
ApiKeyRows const& api_keys();

/// The key's last use, as far as it is written. Errors: as of all queries.
boost::asio::awaitable<events::ApiKeyUse> find_api_key_use(core::Database& database, Scope const& scope, Id id);

}  // namespace workforce::projections
