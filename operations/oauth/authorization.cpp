// The checks of an authorization request, in their order.
#include "operations/oauth/authorization.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operations/oauth/redirect_uri.hpp"

namespace workforce::operations {
namespace {

/// Why a request is refused to its client.
struct RequestFault {
    std::string_view error;
    std::string_view description;
};

/// Where the answer goes; nothing: nowhere that the client registered.
std::optional<std::string> target_of(events::OAuthClient const& client, std::string const& said) {
    auto const& known = client.redirectUris;
    if (said.empty()) return known.size() == 1 ? std::optional(known.front().value) : std::nullopt;
    bool const fits = std::ranges::any_of(known, [&](auto const& uri) { return is_same_redirect(uri.value, said); });
    return fits ? std::optional(said) : std::nullopt;
}

/// What is wrong with the rest of it; else the request is whole.
std::optional<RequestFault> complete(AuthorizationRequest& request, OAuthServices const& services,
                                     FormFields const& fields) {
    auto const type = field(fields, "response_type");
    if (type.empty()) return RequestFault{"invalid_request", "response_type is required."};
    if (type != "code") return RequestFault{"unsupported_response_type", "response_type must be code."};
    auto const& types = request.client.grantTypes;
    bool const may = std::ranges::count(types, core::ShortText("authorization_code")) > 0;
    if (!may) return RequestFault{"unauthorized_client", "The client did not register for codes."};
    if (field(fields, "code_challenge_method") != "S256") {
        return RequestFault{"invalid_request", "code_challenge_method must be S256."};
    }
    if (!is_challenge(request.challenge))
        return RequestFault{"invalid_request", "code_challenge is no S256 challenge."};
    auto const accepted = accepted_resources(services.issuer, services.mcp_url);
    if (!request.resource.empty() && std::ranges::count(accepted, request.resource) == 0) {
        return RequestFault{"invalid_target", "The resource is not of this service."};
    }
    auto scopes = asked_scopes(request.client, field(fields, "scope"));
    if (!scopes || scopes->empty()) return RequestFault{"invalid_scope", "A scope is unknown, or not the client's."};
    request.scopes = *std::move(scopes);
    return std::nullopt;
}

JudgedRequest refused(std::string message) {
    JudgedRequest judged;
    judged.problem = core::Problem{core::Code::validation_error,
                                   std::move(message),
                                   {},
                                   "Go back to the program that sent you here, and try again."};
    return judged;
}

}  // namespace

boost::asio::awaitable<JudgedRequest> judge_request(OAuthServices& services, FormFields const& fields) {
    auto client = co_await find_client(services, std::string(field(fields, "client_id")));
    if (!client) co_return refused("The program that sent you here is not known.");
    AuthorizationRequest request;
    request.client = *std::move(client->record);
    request.said_uri = field(fields, "redirect_uri");
    request.state = field(fields, "state");
    request.challenge = field(fields, "code_challenge");
    request.resource = field(fields, "resource");
    auto target = target_of(request.client, request.said_uri);
    if (!target) co_return refused("The program that sent you here did not register where it wants you sent back.");
    request.redirect_uri = *std::move(target);
    JudgedRequest judged;
    if (auto const fault = complete(request, services, fields)) {
        judged.refused_to =
            refusal_address(services, request.redirect_uri, request.state, fault->error, fault->description);
    } else {
        judged.request = std::move(request);
    }
    co_return judged;
}

std::string refusal_address(OAuthServices const& services, std::string const& redirect_uri, std::string_view state,
                            std::string_view error, std::string_view description) {
    auto query = fmt::format("error={}&error_description={}&iss={}", error, form_encoded(description),
                             form_encoded(services.issuer));
    if (!state.empty()) query += "&state=" + form_encoded(state);
    return with_query(redirect_uri, query);
}

std::string code_address(OAuthServices const& services, AuthorizationRequest const& request, std::string_view code) {
    auto query = fmt::format("code={}&iss={}", form_encoded(code), form_encoded(services.issuer));
    if (!request.state.empty()) query += "&state=" + form_encoded(request.state);
    return with_query(request.redirect_uri, query);
}

}  // namespace workforce::operations
