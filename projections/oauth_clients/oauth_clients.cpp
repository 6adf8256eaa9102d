// The declaration of read.oauth_client.
#include "projections/oauth_clients/oauth_clients.hpp"

namespace workforce::projections {

OAuthClientRows const& oauth_clients() {
    static OAuthClientRows const model = OAuthClientRows::declare("oauth_client")
                                             .called("OAuth client")
                                             .column("client_id", [](auto const& client) { return client.clientId; })
                                             .column("is_active", [](auto const& client) { return client.isActive; })
                                             .stamped()
                                             .sort("createdAt", "created_at");
    return model;
}

}  // namespace workforce::projections
