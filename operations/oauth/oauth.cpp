// Clients, resources and refusals.
#include "operations/oauth/oauth.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/ascii.hpp"
#include "core/crypto.hpp"
#include "core/json_values.hpp"
#include "core/scopes.hpp"
#include "operations/oauth/client_metadata.hpp"
#include "operations/oauth/scope_words.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::chrono::milliseconds kLookPause{50};
constexpr std::chrono::seconds kLookLimit{5};  // as reads wait for one's own writes
constexpr std::size_t kLeastVerifier = 43;
constexpr std::size_t kMostVerifier = 128;
constexpr std::size_t kChallengeLength = 43;

constexpr std::size_t kMostDocument = 64 << 10;
constexpr std::chrono::seconds kFetchLimit{5};
constexpr std::chrono::seconds kLeastFresh{60};
constexpr std::chrono::seconds kUsualFresh{3600};
constexpr std::chrono::seconds kMostFresh{24 * 3600};

bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

tl::unexpected<OAuthError> no_client(std::string description) {
    return tl::unexpected(OAuthError{401, "invalid_client", std::move(description)});
}

OAuthError too_many() { return {429, "temporarily_unavailable", "Too many requests in a minute."}; }

/// Name and secret as a request's fields or its Authorization header have them.
struct ClaimedClient {
    std::string client_id;
    std::string secret;
    bool by_header = false;
};

/// Of the header, each part is encoded as in a form (RFC 6749 2.3.1).
std::optional<ClaimedClient> shown_in(std::string_view authorization) {
    if (core::ascii_lower(authorization.substr(0, 6)) != "basic ") return std::nullopt;
    auto const decoded = core::base64_decode(authorization.substr(6));
    auto const colon = decoded ? decoded->find(':') : std::string::npos;
    if (colon == std::string::npos) return std::nullopt;
    auto name = percent_decode(std::string_view(*decoded).substr(0, colon), true);
    auto secret = percent_decode(std::string_view(*decoded).substr(colon + 1), true);
    if (!name || !secret) return std::nullopt;
    return ClaimedClient{*std::move(name), *std::move(secret), true};
}

tl::expected<ClaimedClient, OAuthError> shown_by(Call const& call, FormFields const& fields) {
    ClaimedClient posted{std::string(field(fields, "client_id")), std::string(field(fields, "client_secret"))};
    if (call.input.authorization.empty()) return posted;
    auto header = shown_in(call.input.authorization);
    if (!header) return no_client("The Authorization header is not of the scheme Basic.");
    bool const both = !posted.secret.empty() || (!posted.client_id.empty() && posted.client_id != header->client_id);
    if (both) return tl::unexpected(OAuthError{400, "invalid_request", "The client is named in two ways."});
    return *std::move(header);
}

/// The client, once it showed that it is itself. Errors: invalid_client, invalid_request.
awaitable<tl::expected<workers::KnownClient, OAuthError>> known_client(Call& call, FormFields const& fields) {
    using Result = tl::expected<workers::KnownClient, OAuthError>;
    auto const shown = shown_by(call, fields);
    if (!shown) co_return tl::unexpected(shown.error());
    if (shown->client_id.empty()) co_return Result(no_client("The client does not say which it is."));
    auto client = co_await find_client(*call.services.oauth, shown->client_id, call.meta.address);
    if (!client) co_return Result(no_client("There is no such client; register again."));
    using enum events::ClientAuthentication;
    auto const how = client->record->authentication;
    if (how == none) {
        if (!shown->secret.empty()) co_return Result(no_client("The client has no secret."));
        co_return *std::move(client);
    }
    bool const right_way = (how == client_secret_basic) == shown->by_header;
    auto const digest = core::sha256(shown->secret);
    bool const right = client->secret_digest && core::constant_time_equal(*client->secret_digest, core::bytes(digest));
    if (!right_way || !right) co_return Result(no_client("The client's secret is not right, or not where it belongs."));
    co_return *std::move(client);
}

/// Whether a Content-Type is JSON's, or of what is written in it.
bool is_json_type(std::string_view type) {
    auto const name = core::ascii_lower(type.substr(0, type.find_first_of("; \t")));
    return name == "application/json" || (name.starts_with("application/") && name.ends_with("+json"));
}

/// How long a document holds: as its server says, within bounds.
std::chrono::seconds freshness_of(net::Reply const& reply) {
    for (auto const& [name, value] : reply.headers) {
        if (core::ascii_lower(name) != "cache-control") continue;
        auto const at = value.find("max-age=");
        if (at == std::string::npos) continue;
        auto const digits = std::string_view(value).substr(at + 8);
        auto const end = std::min(digits.find_first_not_of("0123456789"), digits.size());
        auto const seconds = core::parse_integer(digits.substr(0, std::min<std::size_t>(end, 9)));
        if (seconds) return std::clamp(std::chrono::seconds(*seconds), kLeastFresh, kMostFresh);
    }
    return kUsualFresh;
}

/// What came of a fetch of a client's document.
struct FetchedDocument {
    enum class State : std::uint8_t {
        there,
        withdrawn,    ///< its server says that there is none, or gives what is none
        unreachable,  ///< nobody knows
    };
    State state = State::unreachable;
    std::string text{};
    std::chrono::seconds fresh{};
};

/// Whether a status says nothing of what is there: the server's own trouble, and what it bids one try again for.
bool is_passing(int status) { return status >= 500 || status == 408 || status == 425 || status == 429; }

/// What is at a client's address now.
awaitable<FetchedDocument> fetch_document(OAuthServices& services, std::string const& client_id) {
    using enum FetchedDocument::State;
    auto url = net::parse_outbound_url(client_id, services.allow_insecure);
    if (!url) co_return FetchedDocument{withdrawn};
    net::ClientLimits limits{.whole = kFetchLimit, .most_body = kMostDocument};
    if (services.allow_insecure) limits.addresses = net::AddressPolicy::public_or_loopback;
    auto reply =
        co_await services.outbound.send(*std::move(url), {"GET", {}, {{"Accept", "application/json"}}, {}}, limits);
    if (!reply || is_passing(reply->status)) co_return FetchedDocument{unreachable};
    bool const whole = reply->status == 200 && !reply->truncated && is_json_type(reply->content_type);
    if (!whole || !read_client_document(reply->body, client_id)) co_return FetchedDocument{withdrawn};
    auto const fresh = freshness_of(*reply);
    co_return FetchedDocument{there, std::move(reply->body), fresh};
}

/// The document as it is now, from `known`, what was fetched before. Where it can't be fetched that holds on for a day;
/// where it was withdrawn it does not.
awaitable<std::optional<std::string>> fetch_again(OAuthServices& services, std::string client_id,
                                                  std::optional<workers::KnownDocument> known) {
    using enum FetchedDocument::State;
    auto fetched = co_await fetch_document(services, client_id);
    if (fetched.state == there) {
        // Where there is room for no more of them, it is fetched again the next time.
        co_await services.store.put_document(client_id, fetched.text, fetched.fresh);
        co_return std::move(fetched.text);
    }
    if (!known) co_return std::nullopt;
    if (fetched.state == withdrawn || !known->recent) {
        co_await services.store.drop_document(client_id);
        co_return std::nullopt;
    }
    co_await services.store.trust_document(client_id, kLeastFresh);  // and not ask with each request
    co_return std::move(known->doc);
}

awaitable<std::optional<workers::KnownClient>> find_by_document(OAuthServices& services, std::string client_id,
                                                                std::string address) {
    auto known = co_await services.store.find_document(client_id);
    std::optional<std::string> text;
    if (known && known->fresh) {
        text = std::move(known->doc);
    } else if (known || address.empty() || services.admit_stranger(address)) {  // a known one is asked for rarely
        text = co_await fetch_again(services, client_id, std::move(known));
    }
    auto client = text ? read_client_document(*text, client_id) : std::nullopt;
    if (!client) co_return std::nullopt;
    co_return workers::KnownClient{.record = *std::move(client)};
}

}  // namespace

std::vector<std::string> accepted_resources(std::string_view base_url, std::string_view mcp_url) {
    std::vector<std::string> all;
    for (auto const& one : {std::string(base_url), std::string(mcp_url), std::string(mcp_url) + "/mcp"}) {
        all.push_back(one);
        all.push_back(one + '/');
    }
    return all;
}

Outcome oauth_refusal(OAuthError const& error) {
    core::JsonWriter w;
    w.begin_object();
    w.member("error", error.error);
    w.member("error_description", error.description);
    w.end_object();
    Outcome outcome{.status = error.status, .body = w.take()};
    if (error.status == 401) outcome.refused = core::Code::unauthenticated;
    if (error.status == 429) outcome.refused = core::Code::rate_limited;  // with Retry-After
    return outcome;
}

FormFields fields_of(core::JsonValue const& body) {
    FormFields fields;
    if (!body.IsObject()) return fields;
    for (auto const& [name, value] : body.GetObject()) {
        if (value.IsString()) fields.emplace(name.GetString(), std::string(value.GetString(), value.GetStringLength()));
    }
    return fields;
}

std::string_view field(FormFields const& fields, std::string_view name) {
    auto const found = fields.find(name);
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

awaitable<std::optional<workers::KnownClient>> find_client(OAuthServices& services, std::string client_id,
                                                           std::string address) {
    if (client_id.empty() || client_id.size() > 2048) co_return std::nullopt;
    if (is_client_document(client_id))
        co_return co_await find_by_document(services, std::move(client_id), std::move(address));
    auto const deadline = std::chrono::steady_clock::now() + kLookLimit;
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    while (true) {
        auto found = co_await services.store.find_client(client_id);
        if (!found) co_return std::nullopt;
        if (found->record) co_return found->record->isActive ? std::move(found) : std::nullopt;
        if (std::chrono::steady_clock::now() >= deadline) co_return std::nullopt;
        timer.expires_after(kLookPause);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

awaitable<tl::expected<workers::KnownClient, OAuthError>> authenticate_client(Call& call, FormFields const& fields,
                                                                              ClientCall what) {
    auto const& services = *call.services.oauth;
    auto known = co_await known_client(call, fields);
    bool const may =
        known ? services.has_room(what, known->record->clientId) : services.admit_stranger(call.meta.address);
    if (!may) co_return tl::unexpected(too_many());
    co_return known;
}

std::optional<OAuthError> count_shown(Call const& call, workers::KnownClient const& client, ClientCall what, bool own) {
    auto const& services = *call.services.oauth;
    if (own) {
        (void)services.admit_client(what, client.record->clientId);  // had room when it was authenticated
        return std::nullopt;
    }
    return services.admit_stranger(call.meta.address) ? std::nullopt : std::optional(too_many());
}

std::optional<std::vector<std::string>> asked_scopes(events::OAuthClient const& client, std::string_view text) {
    auto const most = scopes_of(client);
    auto asked = scopes_of_text(text);
    if (asked.empty()) return default_scopes(most);
    auto const may = [&](std::string const& scope) {
        return core::is_grantable_scope(scope) && (most.empty() || std::ranges::count(most, scope) > 0);
    };
    return std::ranges::all_of(asked, may) ? std::optional(std::move(asked)) : std::nullopt;
}

std::string challenge_of(std::string_view verifier) {
    bool const fits = verifier.size() >= kLeastVerifier && verifier.size() <= kMostVerifier;
    if (!fits || !std::ranges::all_of(verifier, is_unreserved)) return {};
    return core::base64url_encode(core::bytes(core::sha256(verifier)));
}

bool is_challenge(std::string_view text) {
    auto const is_base64url = [](char c) { return is_unreserved(c) && c != '.' && c != '~'; };
    return text.size() == kChallengeLength && std::ranges::all_of(text, is_base64url);
}

std::vector<std::string> scopes_of(events::OAuthClient const& client) {
    std::vector<std::string> scopes;
    for (auto const& scope : client.scopes) scopes.push_back(scope.value);
    return scopes;
}

std::vector<Operation> oauth_operations() {
    std::vector<Operation> all{registration_row(), token_row()};
    for (auto& row : token_state_rows()) all.push_back(std::move(row));
    for (auto& row : authorization_rows()) all.push_back(std::move(row));
    for (auto& row : device_rows()) all.push_back(std::move(row));
    for (auto& row : grant_rows()) all.push_back(std::move(row));
    for (auto& row : page_rows()) all.push_back(std::move(row));
    return all;
}

Operation endpoint_row(std::string_view name, std::string_view summary, Handler handler) {
    Operation row;
    row.name = name;
    row.summary = summary;
    row.body = [](core::JsonWriter& w, Components&) { w.member("type", "object"); };
    row.answer = row.body;
    row.handler = handler;
    return std::move(row).by_anyone().appends_nothing().refuses_as(ErrorForm::oauth).undescribed();
}

}  // namespace workforce::operations
