// API keys: the resource, its events, and how they fold. Secrets are not here: only their last four characters.
#pragma once

#include <variant>

#include "events/resource.hpp"

namespace workforce::events {

enum class ApiKeyType : std::uint8_t { live, test, pat };
BOOST_DESCRIBE_ENUM(ApiKeyType, live, test, pat)

enum class ApiKeyStatus : std::uint8_t { active, rotating, revoked, expired };
BOOST_DESCRIBE_ENUM(ApiKeyStatus, active, rotating, revoked, expired)

enum class ModelTier : std::uint8_t { basic, standard, advanced };
BOOST_DESCRIBE_ENUM(ModelTier, basic, standard, advanced)

struct ApiKeyDetails {
    core::Name name;
    ApiKeyType type = ApiKeyType::live;
    std::vector<core::ShortText> scopes;
    core::Nullable<core::Int<1, 6000>> rateLimitPerMin;  ///< null: the default of each channel
    core::Nullable<Id> userId;                           ///< bound user
    core::Nullable<Id> facilityId;                       ///< data scope within the organization; null: all of it
    ModelTier modelTier = ModelTier::standard;
    core::Nullable<Timestamp> expiresAt;
    bool acrossOrganizations = false;  ///< whether it reaches all of them; keys of the internal organization alone

    static constexpr std::array<std::string_view, 2> kRequired{"name", "scopes"};
};
BOOST_DESCRIBE_STRUCT(ApiKeyDetails, (),
                      (name, type, scopes, rateLimitPerMin, userId, facilityId, modelTier, expiresAt,
                       acrossOrganizations))

/// What may change of a key.
struct ApiKeyChanges {
    std::optional<core::Name> name;
    std::optional<std::vector<core::ShortText>> scopes;
    std::optional<core::Nullable<core::Int<1, 6000>>> rateLimitPerMin;
    std::optional<ModelTier> modelTier;
    std::optional<core::Nullable<Timestamp>> expiresAt;
};
BOOST_DESCRIBE_STRUCT(ApiKeyChanges, (), (name, scopes, rateLimitPerMin, modelTier, expiresAt))

/// What identifies the secret to people, without being it.
struct ApiKeySecretHint {
    std::string prefix;
    std::string last4;
};
BOOST_DESCRIBE_STRUCT(ApiKeySecretHint, (), (prefix, last4))

/// One of the secrets that a key has. A secret opens nothing unless it stands here.
struct ApiKeySecret {
    std::string
        id;  ///< names the row beside the log that has its digest; empty: a key's first, of before it had a name
    std::string last4;
    Timestamp createdAt;
    core::Nullable<Timestamp> validUntil;  ///< of one that was rotated
};
BOOST_DESCRIBE_STRUCT(ApiKeySecret, (), (id, last4, createdAt, validUntil))

struct ApiKeyFlags {
    core::Nullable<Id> orgUnitId;     ///< data scope: the organization; null: all of them
    bool rateLimitIsDefault = false;  ///< rateLimitPerMin is what keys have for which nobody said otherwise
    ApiKeyStatus status = ApiKeyStatus::active;
    core::Nullable<Timestamp> previousKeyValidUntil;  ///< when the youngest of the rotated secrets ends
    core::Nullable<Timestamp> revokedAt;
    Id createdBy = 0;
    std::vector<ApiKeySecret> secrets;  ///< those that are valid, the newest first
};
BOOST_DESCRIBE_STRUCT(ApiKeyFlags, (),
                      (orgUnitId, rateLimitIsDefault, status, previousKeyValidUntil, revokedAt, createdBy, secrets))

/// When and from where the key was used last: beside the log, for an address is personal. Null: not yet.
struct ApiKeyUse {
    core::Nullable<Timestamp> lastUsedAt;
    core::Nullable<std::string> lastUsedIp;
};
BOOST_DESCRIBE_STRUCT(ApiKeyUse, (), (lastUsedAt, lastUsedIp))

/// Requests a minute of a key for which nobody said otherwise (domain 1.13).
inline constexpr std::int64_t kDefaultRateLimit = 60;

struct ApiKey : Identified, ApiKeyDetails, ApiKeySecretHint, ApiKeyFlags, Stamped {
    static constexpr Kind kKind = Kind::api_key;
};
BOOST_DESCRIBE_STRUCT(ApiKey, (Identified, ApiKeyDetails, ApiKeySecretHint, ApiKeyFlags, Stamped), ())

/// A key as callers see it.
struct ApiKeyRecord : ApiKey, ApiKeyUse {};
BOOST_DESCRIBE_STRUCT(ApiKeyRecord, (ApiKey, ApiKeyUse), ())

struct ApiKeyCreated : ApiKeyDetails, ApiKeySecretHint {
    static constexpr std::string_view kType = "api_key.created";
    static constexpr std::int32_t kVersion = 1;
    std::string secretId{};  ///< of the first secret; absent in events of before secrets had names
};
BOOST_DESCRIBE_STRUCT(ApiKeyCreated, (ApiKeyDetails, ApiKeySecretHint), (secretId))

struct ApiKeyUpdated : ApiKeyChanges {
    static constexpr std::string_view kType = "api_key.updated";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ApiKeyUpdated, (ApiKeyChanges), ())

/// A new secret. The one before it is valid for some time yet.
struct ApiKeyRotated {
    static constexpr std::string_view kType = "api_key.rotated";
    static constexpr std::int32_t kVersion = 1;
    std::string secretId;
    std::string last4;
    std::string previousSecretId;  ///< the secret that was the newest
    Timestamp previousValidUntil;  ///< when that one ends
};
BOOST_DESCRIBE_STRUCT(ApiKeyRotated, (), (secretId, last4, previousSecretId, previousValidUntil))

/// Rotated secrets have come to their end.
struct ApiKeySecretRetired {
    static constexpr std::string_view kType = "api_key.secret_retired";
    static constexpr std::int32_t kVersion = 1;
    std::vector<std::string> secretIds;
};
BOOST_DESCRIBE_STRUCT(ApiKeySecretRetired, (), (secretIds))

/// The key has come to the end that it was given.
struct ApiKeyExpired {
    static constexpr std::string_view kType = "api_key.expired";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ApiKeyExpired, (), ())

/// Since version 2 with a reason, for the record.
struct ApiKeyRevoked {
    static constexpr std::string_view kType = "api_key.revoked";
    static constexpr std::int32_t kVersion = 2;
    core::Nullable<core::ShortText> reason{};
};
BOOST_DESCRIBE_STRUCT(ApiKeyRevoked, (), (reason))

using ApiKeyEvent =
    std::variant<ApiKeyCreated, ApiKeyUpdated, ApiKeyRotated, ApiKeySecretRetired, ApiKeyExpired, ApiKeyRevoked>;

/// Folds one event into the key.
void evolve(ApiKey& key, ApiKeyEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::api_key> : Declared<ApiKey, ApiKeyEvent> {
    static std::vector<std::string> secret_ids(ApiKey const& key);
    static constexpr Residence kResidence = Residence::with_organization;
    static constexpr bool kSandboxed = false;
    static constexpr bool kInActivity = false;
};

}  // namespace workforce::events
