// How events of OAuth grants fold: the one definition, for the write side's memory and for read models.
#include "events/oauth_grant.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(OAuthGrant& grant, OAuthGrantEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](OAuthGrantApproved const& e) { static_cast<OAuthGrantDetails&>(grant) = e; },
                          [&](OAuthGrantRevoked const&) {
                              grant.status = OAuthGrantStatus::revoked;
                              grant.revokedAt = meta.time;
                          },
                          [](OAuthGrantChainRevoked const&) {},
                          [&](OAuthGrantDenied const& e) {
                              static_cast<OAuthGrantDetails&>(grant) = e;
                              grant.status = OAuthGrantStatus::denied;
                          }},
               event);
    stamp(grant, meta);
}

template struct DataCodec<OAuthGrantEvent>;

}  // namespace workforce::events
