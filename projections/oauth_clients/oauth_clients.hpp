// OAuth clients as queries see them.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "core/database.hpp"
#include "events/oauth_client.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

struct OAuthClientFilter : ChangeFilter {};
BOOST_DESCRIBE_STRUCT(OAuthClientFilter, (ChangeFilter), ())

using OAuthClientRows = ReadModel<events::OAuthClient, OAuthClientFilter>;

/// read.oauth_client.
OAuthClientRows const& oauth_clients();

}  // namespace workforce::projections
