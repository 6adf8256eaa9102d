// OAuth grants as those see them who gave them.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "core/database.hpp"
#include "events/oauth_grant.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

struct OAuthGrantFilter : ChangeFilter {
    Id userId = 0;
};
BOOST_DESCRIBE_STRUCT(OAuthGrantFilter, (ChangeFilter), (userId))

using OAuthGrantRows = ReadModel<events::OAuthGrant, OAuthGrantFilter>;

/// read.oauth_grant.
OAuthGrantRows const& oauth_grants();

/// A grant that holds, as its user is shown it (domain 16).
struct ConnectedClient {
    Id id = 0;
    std::string client_id;
    core::Name client_name;
    std::vector<core::ShortText> scopes;
    core::Timestamp createdAt;
    core::Nullable<core::Timestamp> lastUsedAt;  ///< when a token was issued last
};
BOOST_DESCRIBE_STRUCT(ConnectedClient, (), (id, client_id, client_name, scopes, createdAt, lastUsedAt))

/// Those of the user, the newest first, at most 200. Errors: as of all queries.
boost::asio::awaitable<std::vector<ConnectedClient>> connected_clients(core::Database& operators, Id organization,
                                                                       Id user);

}  // namespace workforce::projections
