// OAuth clients: programs that people let act for them (RFC 7591), their events, and how they fold. They are the
// installation's, in its internal organization. Secrets are not here.
#pragma once

#include <variant>

#include "events/api_key.hpp"
#include "events/resource.hpp"

namespace workforce::events {

/// How a client shows at the token endpoint that it is itself (RFC 7591 2).
enum class ClientAuthentication : std::uint8_t { none, client_secret_basic, client_secret_post };
BOOST_DESCRIBE_ENUM(ClientAuthentication, none, client_secret_basic, client_secret_post)

/// A URL that a client is registered with.
using ClientUrl = core::Text<0, 2048>;

struct OAuthClientDetails {
    std::string clientId;  ///< as protocols name it: `client_id`
    core::Name clientName;
    std::vector<ClientUrl> redirectUris;
    std::vector<core::ShortText> grantTypes;
    ClientAuthentication authentication = ClientAuthentication::none;
    std::vector<core::ShortText> scopes;  ///< that it may ask for; empty: any
    ClientUrl clientUri;
    ClientUrl logoUri;
};
BOOST_DESCRIBE_STRUCT(OAuthClientDetails, (),
                      (clientId, clientName, redirectUris, grantTypes, authentication, scopes, clientUri, logoUri))

struct OAuthClientFlags {
    ModelTier modelTier = ModelTier::standard;
    bool isActive = true;
};
BOOST_DESCRIBE_STRUCT(OAuthClientFlags, (), (modelTier, isActive))

struct OAuthClient : Identified, OAuthClientDetails, OAuthClientFlags, Stamped {
    static constexpr Kind kKind = Kind::oauth_client;
};
BOOST_DESCRIBE_STRUCT(OAuthClient, (Identified, OAuthClientDetails, OAuthClientFlags, Stamped), ())

struct OAuthClientRegistered : OAuthClientDetails {
    static constexpr std::string_view kType = "oauth_client.registered";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(OAuthClientRegistered, (OAuthClientDetails), ())

/// Nobody has used it for long, or an operator ended it: it opens nothing any more.
struct OAuthClientRemoved {
    static constexpr std::string_view kType = "oauth_client.removed";
    static constexpr std::int32_t kVersion = 1;
    core::ShortText reason;
};
BOOST_DESCRIBE_STRUCT(OAuthClientRemoved, (), (reason))

/// An operator says as which grade of model the client calls tools.
struct OAuthClientUpdated {
    static constexpr std::string_view kType = "oauth_client.updated";
    static constexpr std::int32_t kVersion = 1;
    ModelTier modelTier = ModelTier::standard;
};
BOOST_DESCRIBE_STRUCT(OAuthClientUpdated, (), (modelTier))

using OAuthClientEvent = std::variant<OAuthClientRegistered, OAuthClientRemoved, OAuthClientUpdated>;

/// Folds one event into the client.
void evolve(OAuthClient& client, OAuthClientEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::oauth_client> : Declared<OAuthClient, OAuthClientEvent> {
    static constexpr bool kSandboxed = false;
    static constexpr bool kInActivity = false;
};

}  // namespace workforce::events
