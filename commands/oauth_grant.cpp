// Rules of OAuth grants.
#include "commands/oauth_grant.hpp"

#include <algorithm>

#include "events/user.hpp"

namespace workforce::commands {
namespace {

using events::OAuthGrant;
using events::OAuthGrantStatus;

NewEvent grant_event(Id id, events::OAuthGrantEvent event) {
    return {{events::Kind::oauth_grant, id}, 0, std::move(event)};
}

/// The grant that the user has given the client, or null.
OAuthGrant const* live_grant(View const& view, Id user, std::string const& client) {
    for (auto const* grant : view.by<events::GrantsOfUser>(user)) {
        if (grant->clientId == client) return grant;
    }
    return nullptr;
}

bool is_own_user(View const& view, Context const& context) {
    return context.actor.user != 0 && view.get<events::User>(context.actor.user);
}
tl::unexpected<core::Problem> no_user() {
    return refuse(Code::forbidden, "Only a user of the organization lets a client act for them.");
}

}  // namespace

Result<Decision> decide(View const& view, ApproveOAuthGrant const& command, Context const& context) {
    if (!is_own_user(view, context)) return no_user();
    auto const user = context.actor.user;
    events::OAuthGrantApproved approved{{user, command.clientId, command.clientName, command.scopes}};
    auto const* known = live_grant(view, user, command.clientId);
    for (auto const& scope : known ? known->scopes : std::vector<core::ShortText>()) {
        if (std::ranges::count(approved.scopes, scope) == 0) approved.scopes.push_back(scope);
    }
    std::ranges::sort(approved.scopes, {}, &core::ShortText::value);
    return Decision{{grant_event(known ? known->id : context.new_ids.at(0), std::move(approved))}, {}};
}
OAuthGrant answer(View const& view, ApproveOAuthGrant const&, Decision const& decision) {
    return *view.get<OAuthGrant>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, DenyOAuthGrant const& command, Context const& context) {
    if (!is_own_user(view, context)) return no_user();
    events::OAuthGrantDenied denied{{context.actor.user, command.clientId, command.clientName, command.scopes}};
    return Decision{{grant_event(context.new_ids.at(0), std::move(denied))}, {}};
}
OAuthGrant answer(View const& view, DenyOAuthGrant const&, Decision const& decision) {
    return *view.get<OAuthGrant>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, RevokeOAuthGrant const& command, Context const& context) {
    auto const* grant = view.get<OAuthGrant>(command.id);
    bool const own = grant && context.actor.user != 0 && grant->userId == context.actor.user;
    bool const by_system = grant && context.actor.type == events::ActorType::system;
    if (!own && !by_system) return not_found("OAuth grant", command.id);
    if (grant->status == OAuthGrantStatus::revoked) return Decision{};
    return Decision{{grant_event(command.id, events::OAuthGrantRevoked{})}, {}};
}

void revoke_grants(View const& view, Id user, std::vector<NewEvent>& events, Timestamp until) {
    for (auto const* grant : view.by<events::GrantsOfUser>(user)) {
        if (grant->updatedAt <= until) events.push_back(grant_event(grant->id, events::OAuthGrantRevoked{}));
    }
}

Result<Decision> decide(View const& view, RecordOAuthChainEnd const& command, Context const&) {
    if (!view.get<OAuthGrant>(command.id)) return not_found("OAuth grant", command.id);
    return Decision{{grant_event(command.id, events::OAuthGrantChainRevoked{command.reason, command.chainId})}, {}};
}

}  // namespace workforce::commands
