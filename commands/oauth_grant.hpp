// Commands on OAuth grants: a user's own alone, whatever anybody's rights.
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/oauth_grant.hpp"

namespace workforce::commands {

/// The caller, a user of the organization, lets a client do what the scopes say, besides what it may already do. A
/// consent is recorded each time it is given.
struct ApproveOAuthGrant {
    using Answer = events::OAuthGrant;
    std::string clientId;
    core::Name clientName;
    std::vector<core::ShortText> scopes;
};
BOOST_DESCRIBE_STRUCT(ApproveOAuthGrant, (), (clientId, clientName, scopes))
Result<Decision> decide(View const& view, ApproveOAuthGrant const& command, Context const& context);
events::OAuthGrant answer(View const& view, ApproveOAuthGrant const& command, Decision const& decision);

/// The caller does not let a client do it.
struct DenyOAuthGrant {
    using Answer = events::OAuthGrant;
    std::string clientId;
    core::Name clientName;
    std::vector<core::ShortText> scopes;  ///< that it asked for
};
BOOST_DESCRIBE_STRUCT(DenyOAuthGrant, (), (clientId, clientName, scopes))
Result<Decision> decide(View const& view, DenyOAuthGrant const& command, Context const& context);
events::OAuthGrant answer(View const& view, DenyOAuthGrant const& command, Decision const& decision);

/// DELETE /api/oauth/grants/{id}, and by the system. NOT_FOUND for somebody else's; of one that has ended nothing is
/// recorded.
struct RevokeOAuthGrant {
    using Answer = Nothing;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(RevokeOAuthGrant, (), ())
Result<Decision> decide(View const& view, RevokeOAuthGrant const& command, Context const& context);

/// Ends all that the user lets clients do, as far as they let them no later than `until`.
void revoke_grants(View const& view, Id user, std::vector<NewEvent>& events, Timestamp until = kEndOfTime);

/// Of the installation: a code or a refresh token of the grant came twice, and its chain has ended.
struct RecordOAuthChainEnd {
    using Answer = Nothing;
    Id id = 0;
    events::ChainEnd reason = events::ChainEnd::code_replayed;
    Id chainId = 0;
};
BOOST_DESCRIBE_STRUCT(RecordOAuthChainEnd, (), (reason, chainId))
Result<Decision> decide(View const& view, RecordOAuthChainEnd const& command, Context const& context);

}  // namespace workforce::commands
