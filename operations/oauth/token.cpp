// POST /oauth/token: codes and refresh tokens become access tokens.
#include <algorithm>

#include "operations/accounts.hpp"
#include "operations/oauth/oauth.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

/// What came of a request, and whether it showed what only its client has, or had: it counts for the client then.
struct Given {
    Outcome outcome;
    bool own = false;
};

Given refused(std::string_view error, std::string description, bool own = false) {
    return {oauth_refusal({400, error, std::move(description)}), own};
}

/// Tells the log that a chain ended, and this process that what it knows of its tokens holds no more. The chain has
/// ended whatever comes of that.
awaitable<void> tell_replay(Call& call, workers::Exchange const& exchange, events::ChainEnd reason) {
    auto& accounts = *call.services.accounts;
    accounts.forget(exchange.replayed.user);
    core::JsonWriter w;
    w.begin_object();
    w.member("reason", core::enum_name(reason));
    w.member("chainId", exchange.chain);
    w.end_object();
    (void)co_await accounts.ask({.verb = "oauth.record_chain_end",
                                 .organization = exchange.replayed.organization,
                                 .id = exchange.replayed.grant,
                                 .body = w.take(),
                                 .key = "chain " + std::to_string(exchange.chain),
                                 .correlation_id = call.meta.request_id});
}

/// The answer of an exchange (RFC 6749 5.1).
awaitable<Given> answer_of_exchange(Call& call, workers::Exchange exchange, events::ChainEnd if_replayed) {
    if (!exchange.issued) {
        bool const replayed = exchange.denial == workers::Denial::replayed;
        if (replayed) co_await tell_replay(call, exchange, if_replayed);
        co_return refused("invalid_grant", "It has ended, was used, or is not for this client and what was sent.",
                          replayed);
    }
    auto const token = co_await call.services.oauth->sign(*exchange.issued);
    core::JsonWriter w;
    w.begin_object();
    w.member("access_token", token);
    w.member("token_type", "Bearer");
    w.member("expires_in", std::int64_t{workers::kAccessLife.count()});
    w.member("refresh_token", exchange.issued->refresh_token);
    w.member("scope", exchange.issued->consent.scope);
    w.end_object();
    co_return Given{{.body = w.take()}, true};
}

awaitable<Given> give_for_code(Call& call, FormFields const& fields, std::string client_id) {
    auto challenge = challenge_of(field(fields, "code_verifier"));
    auto const code = field(fields, "code");
    if (code.empty()) co_return refused("invalid_request", "code is required.");
    if (challenge.empty()) co_return refused("invalid_request", "code_verifier is required, of 43 to 128 characters.");
    auto exchange = co_await call.services.oauth->store.use_code(
        {std::string(code), std::move(client_id), std::string(field(fields, "redirect_uri")), std::move(challenge),
         std::string(field(fields, "resource"))});
    co_return co_await answer_of_exchange(call, std::move(exchange), events::ChainEnd::code_replayed);
}

awaitable<Given> give_for_refresh(Call& call, FormFields const& fields, std::string client_id) {
    auto const token = field(fields, "refresh_token");
    if (token.empty()) co_return refused("invalid_request", "refresh_token is required.");
    auto exchange = co_await call.services.oauth->store.refresh(std::string(token), std::move(client_id),
                                                                std::string(field(fields, "resource")));
    co_return co_await answer_of_exchange(call, std::move(exchange), events::ChainEnd::token_replayed);
}

awaitable<Given> give_for_device(Call& call, FormFields const& fields, std::string client_id) {
    using enum workers::Polled;
    auto const code = field(fields, "device_code");
    if (code.empty()) co_return refused("invalid_request", "device_code is required.");
    auto poll = co_await call.services.oauth->devices.poll(std::string(code), std::move(client_id));
    if (poll.result == pending) co_return refused("authorization_pending", "The user has not decided yet.", true);
    if (poll.result == too_early) co_return refused("slow_down", "Wait five seconds more between polls.", true);
    if (poll.result == expired) co_return refused("expired_token", "The device code has ended; begin again.", true);
    if (poll.result == denied) co_return refused("access_denied", "The user did not allow it.", true);
    workers::Exchange exchange{.issued = std::move(poll.issued),
                               .denial = poll.result == replayed ? workers::Denial::replayed : workers::Denial::unknown,
                               .replayed = std::move(poll.replayed),
                               .chain = poll.chain};
    co_return co_await answer_of_exchange(call, std::move(exchange), events::ChainEnd::code_replayed);
}

awaitable<Given> give(Call& call, FormFields const& fields, std::string name) {
    auto const& services = *call.services.oauth;
    auto const resource = field(fields, "resource");
    auto const accepted = accepted_resources(services.issuer, services.mcp_url);
    if (!resource.empty() && std::ranges::count(accepted, resource) == 0) {
        co_return refused("invalid_target", "The resource is not of this service.");
    }
    auto const type = field(fields, "grant_type");
    if (type == "authorization_code") co_return co_await give_for_code(call, fields, std::move(name));
    if (type == "refresh_token") co_return co_await give_for_refresh(call, fields, std::move(name));
    if (type == "urn:ietf:params:oauth:grant-type:device_code") {
        co_return co_await give_for_device(call, fields, std::move(name));
    }
    co_return refused("unsupported_grant_type", "The metadata names the grant types that there are.");
}

awaitable<Outcome> give_access(Call& call) {
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    if (field(fields, "grant_type").empty()) {
        co_return oauth_refusal({400, "invalid_request", "grant_type is required."});
    }
    auto const client = co_await authenticate_client(call, fields, ClientCall::token);
    if (!client) co_return oauth_refusal(client.error());
    auto given = co_await give(call, fields, client->record->clientId);
    if (auto const over = count_shown(call, *client, ClientCall::token, given.own)) co_return oauth_refusal(*over);
    co_return std::move(given.outcome);
}

}  // namespace

Operation token_row() {
    return endpoint_row("oauth.token", "Get an access token", give_access)
        .counts_clients_itself()
        .takes(MediaType::form)
        .for_any_origin()
        .at(net::Method::post, "/oauth/token");
}

}  // namespace workforce::operations
