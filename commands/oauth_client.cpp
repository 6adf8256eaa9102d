// Rules of OAuth clients.
#include "commands/oauth_client.hpp"

namespace workforce::commands {
namespace {

using events::OAuthClient;

NewEvent client_event(Id id, events::OAuthClientEvent event) {
    return {{events::Kind::oauth_client, id}, 0, std::move(event)};
}

}  // namespace

Result<Decision> decide(View const&, RegisterOAuthClient const& command, Context const& context) {
    return Decision{{client_event(context.new_ids.at(0), events::OAuthClientRegistered{command})}, {}};
}
OAuthClient answer(View const& view, RegisterOAuthClient const&, Decision const& decision) {
    return *view.get<OAuthClient>(decision.events.at(0).subject.id);
}

Result<Decision> decide(View const& view, UpdateOAuthClient const& command, Context const&) {
    auto const* client = view.get<OAuthClient>(command.id);
    if (!client || !client->isActive) return not_found("OAuth client", command.id);
    if (client->modelTier == command.modelTier) return Decision{};
    return Decision{{client_event(command.id, events::OAuthClientUpdated{command.modelTier})}, {}};
}
OAuthClient answer(View const& view, UpdateOAuthClient const& command, Decision const&) {
    return *view.get<OAuthClient>(command.id);
}

Result<Decision> decide(View const& view, RemoveOAuthClient const& command, Context const&) {
    auto const* client = view.get<OAuthClient>(command.id);
    if (!client) return not_found("OAuth client", command.id);
    if (!client->isActive) return Decision{};
    return Decision{{client_event(command.id, events::OAuthClientRemoved{command.reason})}, {}};
}
OAuthClient answer(View const& view, RemoveOAuthClient const& command, Decision const&) {
    return *view.get<OAuthClient>(command.id);
}

}  // namespace workforce::commands
