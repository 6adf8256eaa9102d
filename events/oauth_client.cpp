// How events of OAuth clients fold: the one definition, for the write side's memory and for read models.
#include "events/oauth_client.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(OAuthClient& client, OAuthClientEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](OAuthClientRegistered const& e) { static_cast<OAuthClientDetails&>(client) = e; },
                          [&](OAuthClientRemoved const&) { client.isActive = false; },
                          [&](OAuthClientUpdated const& e) { client.modelTier = e.modelTier; }},
               event);
    stamp(client, meta);
}

template struct DataCodec<OAuthClientEvent>;

}  // namespace workforce::events
