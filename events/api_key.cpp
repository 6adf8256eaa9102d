// How events of API keys fold: the one definition, for the write side's memory and for read models.
#include "events/api_key.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

void evolve(ApiKey& key, ApiKeyEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](ApiKeyCreated const& e) {
                              static_cast<ApiKeyDetails&>(key) = e;
                              static_cast<ApiKeySecretHint&>(key) = e;
                              key.createdBy = meta.actor.user;
                          },
                          [&](ApiKeyRevoked const&) {
                              key.status = ApiKeyStatus::revoked;
                              key.revokedAt = meta.time;
                          }},
               event);
    stamp(key, meta);
}

template struct DataCodec<ApiKeyEvent>;

}  // namespace workforce::events
