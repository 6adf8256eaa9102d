// What the authorization server's operations share: their services, clients, resources, and refusals as the RFCs have
// them.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "net/http_client.hpp"
#include "operations/call.hpp"
#include "workers/store/device_store.hpp"
#include "workers/store/oauth_store.hpp"

namespace workforce::operations {

/// What an access token says that this service issued and that has not come to its end.
struct ReadToken {
    Id chain = 0;
    core::Timestamp issued_at;
    core::Timestamp ends_at;
};

/// The sorts of requests of clients, each with a limit of its own.
enum class ClientCall : std::uint8_t { token, state };

/// Owned by the composition root; the functions are called on the request's executor.
struct OAuthServices {
    workers::OAuthStore& store;
    workers::DeviceStore& devices;
    net::HttpClient& outbound;  ///< by which documents of clients are fetched
    bool allow_insecure;        ///< documents on this machine are fetched too, for development
    std::string issuer;         ///< the REST host's public address
    std::string mcp_url;        ///< the MCP host's
    /// An access token of the chain. Throws as AccessTokenSigner::sign.
    std::function<boost::asio::awaitable<std::string>(workers::IssuedChain const&)> sign;
    /// What an access token says; nothing for any other text. Throws as Authenticator::authenticate.
    std::function<boost::asio::awaitable<std::optional<ReadToken>>(std::string)> read;
    /// Counts what a client asks for; whether it may.
    std::function<bool(ClientCall, std::string const& client_id)> admit_client;
    /// Whether it might. Counts nothing.
    std::function<bool(ClientCall, std::string const& client_id)> has_room;
    /// Counts what somebody asks for who is no client, at that address; whether they may.
    std::function<bool(std::string const& address)> admit_stranger;
};

/// The organization that runs the installation, whose clients are: the first that there is.
inline constexpr Id kInstallation = 1;

/// The audiences that tokens may be for (domain 16).
std::vector<std::string> accepted_resources(std::string_view base_url, std::string_view mcp_url);

/// An endpoint's refusal (RFC 6749 5.2).
struct OAuthError {
    std::uint16_t status = 400;
    std::string_view error;  ///< static text
    std::string description;
};
Outcome oauth_refusal(OAuthError const& error);

/// The fields of a form, or of a JSON object those that are texts.
using FormFields = std::map<std::string, std::string, std::less<>>;
FormFields fields_of(core::JsonValue const& body);
/// The field's value; "" where there is none.
std::string_view field(FormFields const& fields, std::string_view name);

/// The client of that name, if there is one that is active. One that was registered moments ago is waited for; one
/// whose name is the address of its own document is known by that, which is fetched where it is missing or stale. With
/// an address, of somebody whom nothing else limits, each fetch of one that was not known counts as one of their
/// requests.
boost::asio::awaitable<std::optional<workers::KnownClient>> find_client(OAuthServices& services, std::string client_id,
                                                                        std::string address = {});

/// The client that asks, once it showed that it is itself (RFC 6749 2.3), and whose limit has room; count_shown() is to
/// count it. Errors: invalid_client, invalid_request, temporarily_unavailable.
boost::asio::awaitable<tl::expected<workers::KnownClient, OAuthError>> authenticate_client(Call& call,
                                                                                           FormFields const& fields,
                                                                                           ClientCall what);

/// Counts what a client asked for, once it is known whether that showed something which only the client has, or had: if
/// so (`own`) to the client, else to the address, for anybody can say the name of a client without a secret, and
/// register one that has a secret. Nothing, or the refusal of an address that asks too often.
std::optional<OAuthError> count_shown(Call const& call, workers::KnownClient const& client, ClientCall what, bool own);

/// The scopes that a request names, or by default has; nothing where one is none that the client may have.
std::optional<std::vector<std::string>> asked_scopes(events::OAuthClient const& client, std::string_view text);

/// S256 of a verifier; "" for what is no verifier (RFC 7636 4.1).
std::string challenge_of(std::string_view verifier);
/// Whether the text can be an S256 challenge.
bool is_challenge(std::string_view text);

/// The scopes of a client's record as texts.
std::vector<std::string> scopes_of(events::OAuthClient const& client);

/// A row of what programs ask for, whose errors are RFC 6749's.
Operation endpoint_row(std::string_view name, std::string_view summary, Handler handler);

/// The rows of this folder's files.
Operation registration_row();
Operation token_row();
std::vector<Operation> token_state_rows();
std::vector<Operation> authorization_rows();
std::vector<Operation> device_rows();
std::vector<Operation> grant_rows();
/// The rows of the forms to sign in by (pages/).
std::vector<Operation> page_rows();

}  // namespace workforce::operations
