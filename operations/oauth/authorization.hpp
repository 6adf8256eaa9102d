// What a client asks its user for (RFC 6749 4.1.1, OAuth 2.1), judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operations/oauth/oauth.hpp"

namespace workforce::operations {

/// A request that its client may make; whether the user lets it is open.
struct AuthorizationRequest {
    events::OAuthClient client;
    std::string redirect_uri;  ///< where the answer goes
    std::string said_uri;      ///< as the request had it; empty: it had none
    std::string state;
    std::string challenge;
    std::string resource;
    std::vector<std::string> scopes;
};

/// What came of judging one: the request, else what the client is told where it said where to, else a page.
struct JudgedRequest {
    std::optional<AuthorizationRequest> request{};
    std::string refused_to{};                ///< the address with the error
    std::optional<core::Problem> problem{};  ///< of a client that is not known, or not sent back where it registered
};

/// Judges the parameters of a request. Client and address come first: before they are right nobody is sent anywhere.
boost::asio::awaitable<JudgedRequest> judge_request(OAuthServices& services, FormFields const& fields);

/// The address with which the client hears of a refusal, and the one with which it gets its code.
std::string refusal_address(OAuthServices const& services, std::string const& redirect_uri, std::string_view state,
                            std::string_view error, std::string_view description);
std::string code_address(OAuthServices const& services, AuthorizationRequest const& request, std::string_view code);

}  // namespace workforce::operations
