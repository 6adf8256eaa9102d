// OAuth grants: what a user lets a client do, one for each of both. Nothing in them is personal: they name the user by
// id alone. Codes and tokens are not here (workers/store/oauth_store.hpp).
#pragma once

#include <variant>

#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

enum class OAuthGrantStatus : std::uint8_t { active, revoked, denied };
BOOST_DESCRIBE_ENUM(OAuthGrantStatus, active, revoked, denied)

struct OAuthGrantDetails {
    Id userId = 0;
    std::string clientId;  ///< as protocols name it: `client_id`
    core::Name clientName;
    std::vector<core::ShortText> scopes;  ///< all that the user ever allowed the client since it had none
};
BOOST_DESCRIBE_STRUCT(OAuthGrantDetails, (), (userId, clientId, clientName, scopes))

struct OAuthGrantFlags {
    OAuthGrantStatus status = OAuthGrantStatus::active;
    core::Nullable<Timestamp> revokedAt;
};
BOOST_DESCRIBE_STRUCT(OAuthGrantFlags, (), (status, revokedAt))

struct OAuthGrant : Identified, OAuthGrantDetails, OAuthGrantFlags, Stamped {
    static constexpr Kind kKind = Kind::oauth_grant;
};
BOOST_DESCRIBE_STRUCT(OAuthGrant, (Identified, OAuthGrantDetails, OAuthGrantFlags, Stamped), ())

/// The user allowed it, for the first time or once more.
struct OAuthGrantApproved : OAuthGrantDetails {
    static constexpr std::string_view kType = "oauth_grant.approved";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(OAuthGrantApproved, (OAuthGrantDetails), ())

/// All tokens of the grant have ended.
struct OAuthGrantRevoked {
    static constexpr std::string_view kType = "oauth_grant.revoked";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(OAuthGrantRevoked, (), ())

/// Why a chain of refresh tokens ended before its time.
enum class ChainEnd : std::uint8_t { code_replayed, token_replayed };
BOOST_DESCRIBE_ENUM(ChainEnd, code_replayed, token_replayed)

/// A code or a refresh token was sent twice: one of the senders was not the client, so all tokens that came of it have
/// ended.
struct OAuthGrantChainRevoked {
    static constexpr std::string_view kType = "oauth_grant.chain_revoked";
    static constexpr std::int32_t kVersion = 1;
    ChainEnd reason = ChainEnd::code_replayed;
    Id chainId = 0;
};
BOOST_DESCRIBE_STRUCT(OAuthGrantChainRevoked, (), (reason, chainId))

/// The user did not allow it, for a device or a program that asked: these scopes. It is a grant of its own, of nothing.
struct OAuthGrantDenied : OAuthGrantDetails {
    static constexpr std::string_view kType = "oauth_grant.denied";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(OAuthGrantDenied, (OAuthGrantDetails), ())

using OAuthGrantEvent = std::variant<OAuthGrantApproved, OAuthGrantRevoked, OAuthGrantChainRevoked, OAuthGrantDenied>;

/// Folds one event into the grant.
void evolve(OAuthGrant& grant, OAuthGrantEvent const& event, Envelope const& meta);

/// The grants of a user that hold.
struct GrantsOfUser : Index<Kind::oauth_grant, Value<&OAuthGrant::userId>> {
    using Where = boost::mp11::mp_list<OneOf<&OAuthGrant::status, OAuthGrantStatus::active>>;
};
template <>
struct Aggregate<Kind::oauth_grant> : Declared<OAuthGrant, OAuthGrantEvent> {
    static constexpr bool kSandboxed = false;
    static constexpr bool kInActivity = false;
    using Indexes = boost::mp11::mp_list<GrantsOfUser>;
};

}  // namespace workforce::events
