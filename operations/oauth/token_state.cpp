// POST /oauth/introspect (RFC 7662) and /oauth/revoke (RFC 7009): what clients ask about tokens of their own.
#include "operations/oauth/oauth.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

/// What a client is told of its token (spec 5.3).
struct Introspection {
    workers::Consent consent;
    std::string_view type;
    core::Timestamp issued_at;
    core::Timestamp ends_at;
};

std::string shown(Introspection const& token) {
    core::JsonWriter w;
    w.begin_object();
    w.member("active", true);
    w.member("scope", token.consent.scope);
    w.member("client_id", token.consent.client_id);
    w.member("token_type", token.type);
    w.member("sub", std::to_string(token.consent.user));
    w.member("exp", token.ends_at.ms / 1000);
    w.member("iat", token.issued_at.ms / 1000);
    w.end_object();
    return w.take();
}

/// What is there to say of a token, whosever it is; nothing where it opens nothing.
awaitable<std::optional<Introspection>> look_at(OAuthServices& services, std::string token) {
    if (auto const access = co_await services.read(token)) {
        auto consent = co_await services.store.find_chain(access->chain);
        if (!consent) co_return std::nullopt;
        co_return Introspection{*std::move(consent), "Bearer", access->issued_at, access->ends_at};
    }
    auto found = co_await services.store.find_token(std::move(token));
    if (!found) co_return std::nullopt;
    co_return Introspection{std::move(found->consent), "refresh_token", found->issued_at, found->ends_at};
}

awaitable<Outcome> introspect(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    auto const token = field(fields, "token");
    if (token.empty()) co_return oauth_refusal({400, "invalid_request", "token is required."});
    auto const client = co_await authenticate_client(call, fields, ClientCall::state);
    if (!client) co_return oauth_refusal(client.error());
    auto const found = co_await look_at(*call.services.oauth, std::string(token));
    bool const own = found && found->consent.client_id == client->record->clientId;
    if (auto const over = count_shown(call, *client, ClientCall::state, own)) co_return oauth_refusal(*over);
    co_return Outcome{.body = own ? shown(*found) : R"({"active":false})"};
}

/// Whoever asks is told the same, so that nobody learns whose a token is.
awaitable<Outcome> revoke(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    std::string token(field(fields, "token"));
    if (token.empty()) co_return oauth_refusal({400, "invalid_request", "token is required."});
    auto const client = co_await authenticate_client(call, fields, ClientCall::state);
    if (!client && client.error().status != 429) co_return Outcome{};
    if (!client) co_return oauth_refusal(client.error());
    auto& services = *call.services.oauth;
    auto const& name = client->record->clientId;
    auto const access = co_await services.read(token);
    bool const own = access ? co_await services.store.end_chain(access->chain, name)
                            : co_await services.store.end_chain_of(std::move(token), name);
    if (auto const over = count_shown(call, *client, ClientCall::state, own)) co_return oauth_refusal(*over);
    co_return Outcome{};
}

Operation state_row(std::string_view name, std::string_view summary, std::string_view path, Handler handler) {
    return endpoint_row(name, summary, handler)
        .counts_clients_itself()
        .takes(MediaType::form)
        .at(net::Method::post, path);
}

}  // namespace

std::vector<Operation> token_state_rows() {
    return {
        state_row("oauth.introspect", "Learn whether a token holds", "/oauth/introspect", introspect),
        state_row("oauth.revoke", "End a token", "/oauth/revoke", revoke).for_any_origin(),
    };
}

}  // namespace workforce::operations
