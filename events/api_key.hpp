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

/// What identifies the secret to people, without being it.
struct ApiKeySecretHint {
    std::string prefix;
    std::string last4;
};
BOOST_DESCRIBE_STRUCT(ApiKeySecretHint, (), (prefix, last4))

struct ApiKeyFlags {
    ApiKeyStatus status = ApiKeyStatus::active;
    core::Nullable<Timestamp> revokedAt;
    Id createdBy = 0;
};
BOOST_DESCRIBE_STRUCT(ApiKeyFlags, (), (status, revokedAt, createdBy))

struct ApiKey : Identified, ApiKeyDetails, ApiKeySecretHint, ApiKeyFlags, Stamped {};
BOOST_DESCRIBE_STRUCT(ApiKey, (Identified, ApiKeyDetails, ApiKeySecretHint, ApiKeyFlags, Stamped), ())

struct ApiKeyCreated : ApiKeyDetails, ApiKeySecretHint {
    static constexpr std::string_view kType = "api_key.created";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(ApiKeyCreated, (ApiKeyDetails, ApiKeySecretHint), ())

/// Since version 2 with a reason, for the record.
struct ApiKeyRevoked {
    static constexpr std::string_view kType = "api_key.revoked";
    static constexpr std::int32_t kVersion = 2;
    core::Nullable<core::ShortText> reason{};
};
BOOST_DESCRIBE_STRUCT(ApiKeyRevoked, (), (reason))

using ApiKeyEvent = std::variant<ApiKeyCreated, ApiKeyRevoked>;

/// Folds one event into the key.
void evolve(ApiKey& key, ApiKeyEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::api_key> : Declared<ApiKey, ApiKeyEvent> {
    static constexpr Residence kResidence = Residence::with_organization;
    static constexpr bool kSandboxed = false;
    static constexpr bool kInActivity = false;
};

}  // namespace workforce::events
