// POST /oauth/register (RFC 7591): anybody registers a client, which opens nothing until people let it.
#include "commands/oauth_client.hpp"
#include "core/crypto.hpp"
#include "operations/accounts.hpp"
#include "operations/oauth/client_metadata.hpp"
#include "operations/oauth/oauth.hpp"
#include "operations/oauth/scope_words.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;
using events::ClientAuthentication;

constexpr std::size_t kClientIdLength = 22;
constexpr std::size_t kSecretLength = 43;

/// What the client is told of itself (RFC 7591 3.2.1).
std::string shown(events::OAuthClient const& client, std::string const& secret) {
    core::JsonWriter w;
    w.begin_object();
    w.member("client_id", client.clientId);
    w.member("client_id_issued_at", client.createdAt.ms / 1000);
    w.member("client_name", client.clientName.value);
    w.key("redirect_uris");
    core::write_json(w, client.redirectUris);
    w.key("grant_types");
    core::write_json(w, client.grantTypes);
    w.key("response_types");
    w.raw(R"(["code"])");
    w.member("token_endpoint_auth_method", core::enum_name(client.authentication));
    if (!client.scopes.empty()) w.member("scope", text_of_scopes(scopes_of(client)));
    if (!client.clientUri.value.empty()) w.member("client_uri", client.clientUri.value);
    if (!client.logoUri.value.empty()) w.member("logo_uri", client.logoUri.value);
    if (!secret.empty()) {
        w.member("client_secret", secret);
        w.member("client_secret_expires_at", 0);
    }
    w.end_object();
    return w.take();
}

awaitable<Outcome> register_client(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto details = read_client_metadata(*body);
    if (!details) co_return oauth_refusal(details.error());
    details->clientId = "svc_client_" + core::random_base62(kClientIdLength);
    auto& store = call.services.oauth->store;
    auto const& name = details->clientId;
    bool const has_secret = details->authentication != ClientAuthentication::none;
    auto const secret = has_secret ? core::random_base62(kSecretLength) : std::string();
    if (!co_await store.add_client(name, secret)) {
        co_return oauth_refusal({429, "temporarily_unavailable", "Too many clients are registered that nobody uses."});
    }
    auto const told = co_await call.services.accounts->ask({.verb = "oauth.register_client",
                                                            .organization = kInstallation,
                                                            .body = core::to_json(*details),
                                                            .key = "register " + name,
                                                            .correlation_id = call.meta.request_id});
    if (!told || told->status >= 300) {
        co_await store.drop_client(name);
        co_return oauth_refusal({503, "temporarily_unavailable", "The client can't be registered now."});
    }
    auto const client = core::from_stored_json<events::OAuthClient>(told->body);
    co_await store.name_client(name, client.id);
    co_return Outcome{.status = 201, .body = shown(client, secret)};
}

}  // namespace

Operation registration_row() {
    auto row = endpoint_row("oauth.register", "Register a client", register_client);
    row.success = 201;
    return std::move(row).for_any_origin().at(net::Method::post, "/oauth/register");
}

}  // namespace workforce::operations
