// How events of API keys fold: the one definition, for the write side's memory and for read models.
#include "events/api_key.hpp"

#include <algorithm>

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {

namespace {

/// What nobody said is what keys have by default.
void settle_rate_limit(ApiKey& key) {
    key.rateLimitIsDefault = !key.rateLimitPerMin.value;
    if (key.rateLimitIsDefault) key.rateLimitPerMin = core::Int<1, 6000>(kDefaultRateLimit);
}

void rotate(ApiKey& key, ApiKeyRotated const& event, Timestamp now) {
    for (auto& secret : key.secrets) {
        if (secret.id == event.previousSecretId) secret.validUntil = event.previousValidUntil;
    }
    key.secrets.insert(key.secrets.begin(), {event.secretId, event.last4, now, {}});
    key.last4 = event.last4;
    key.previousKeyValidUntil = event.previousValidUntil;
    if (key.status == ApiKeyStatus::active) key.status = ApiKeyStatus::rotating;
}

void retire(ApiKey& key, ApiKeySecretRetired const& event) {
    auto const& ended = event.secretIds;
    std::erase_if(key.secrets, [&](ApiKeySecret const& secret) { return std::ranges::count(ended, secret.id) > 0; });
    if (key.secrets.size() > 1) return;
    key.previousKeyValidUntil = {};
    if (key.status == ApiKeyStatus::rotating) key.status = ApiKeyStatus::active;
}

/// One that had expired is what it would be, where it is given more time.
void prolong(ApiKey& key, Timestamp now) {
    if (key.status != ApiKeyStatus::expired || (key.expiresAt.value && *key.expiresAt.value <= now)) return;
    key.status = key.secrets.size() > 1 ? ApiKeyStatus::rotating : ApiKeyStatus::active;
}

}  // namespace

void evolve(ApiKey& key, ApiKeyEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](ApiKeyCreated const& e) {
                              static_cast<ApiKeyDetails&>(key) = e;
                              static_cast<ApiKeySecretHint&>(key) = e;
                              key.createdBy = meta.actor.user;
                              if (!e.acrossOrganizations) key.orgUnitId = meta.organization;
                              key.secrets = {{e.secretId, e.last4, meta.time, {}}};
                              settle_rate_limit(key);
                          },
                          [&](ApiKeyUpdated const& e) {
                              merge(key, static_cast<ApiKeyChanges const&>(e));
                              if (e.rateLimitPerMin) settle_rate_limit(key);
                              prolong(key, meta.time);
                          },
                          [&](ApiKeyRotated const& e) { rotate(key, e, meta.time); },
                          [&](ApiKeySecretRetired const& e) { retire(key, e); },
                          [&](ApiKeyExpired const&) { key.status = ApiKeyStatus::expired; },
                          [&](ApiKeyRevoked const&) {
                              key.status = ApiKeyStatus::revoked;
                              key.revokedAt = meta.time;
                              key.previousKeyValidUntil = {};
                              key.secrets.clear();
                          }},
               event);
    stamp(key, meta);
}

std::vector<std::string> Aggregate<Kind::api_key>::secret_ids(ApiKey const& key) {
    std::vector<std::string> ids;
    for (auto const& secret : key.secrets) ids.push_back(secret.id);
    return ids;
}

template struct DataCodec<ApiKeyEvent>;

}  // namespace workforce::events
