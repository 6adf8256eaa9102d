// The one header that counts, and the places that don't.
#include "api/credentials/presented.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "api/credentials/person_tokens.hpp"
#include "core/ascii.hpp"
#include "core/json.hpp"
#include "events/key_secret.hpp"
#include "operations/schema/query_parameters.hpp"
#include "workers/store/session_store.hpp"

namespace workforce::api {
namespace {

using core::Code;

constexpr std::string_view kField = "Authorization";
constexpr std::string_view kHint =
    "Send it as Authorization: Bearer, and replace it: what was sent in a query may stand in logs on its way.";

/// Names under which other services take credentials.
constexpr std::array<std::string_view, 3> kQueryNames{"access_token", "api_key", "apikey"};

std::string decoded(std::string_view text) {
    return operations::percent_decode(text, true).value_or(std::string(text));
}

bool presents_credential(std::string_view query) {
    while (!query.empty()) {
        auto const part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(part.size() + 1, query.size()));
        auto const equals = std::min(part.find('='), part.size());
        auto const name = decoded(part.substr(0, equals));
        if (std::ranges::count(kQueryNames, core::ascii_lower(name)) > 0 || events::begins_as_key(name)) return true;
        auto const value = equals < part.size() ? decoded(part.substr(equals + 1)) : std::string();
        if (events::begins_as_key(value) || is_person_token(value)) return true;
    }
    return false;
}

/// Adds the values of the session's cookie in one Cookie header (RFC 6265 5.4).
void add_cookies(std::string_view header, std::vector<std::string_view>& values) {
    while (!header.empty()) {
        auto const pair = header.substr(0, header.find(';'));
        header.remove_prefix(std::min(pair.size() + 1, header.size()));
        auto const equals = pair.find('=');
        if (equals == std::string_view::npos || core::without_blanks(pair.substr(0, equals)) != kSessionCookie)
            continue;
        values.push_back(core::without_blanks(pair.substr(equals + 1)));
    }
}

/// The values of the session's cookie.
std::vector<std::string_view> session_cookies(net::Request const& request) {
    std::vector<std::string_view> values;
    for (auto const& [name, value] : request.headers) {
        if (name.size() == 6 && core::ascii_lower(name) == "cookie") add_cookies(value, values);
    }
    return values;
}

/// What is presented where there is no credential in the query.
core::Result<Presented> from_headers(net::Request const& request) {
    if (auto const authorization = request.header(kField)) return Presented{.authorization = authorization};
    auto const values = session_cookies(request);
    if (values.empty()) return Presented{};
    if (values.size() > 1) {
        return core::refuse(Code::unauthenticated, "The request has more than one session cookie.");
    }
    return Presented{.cookie = values.front()};
}

}  // namespace

std::string session_cookie(std::string_view secret, std::string_view base_url) {
    auto const life = secret.empty() ? std::chrono::seconds(0) : std::chrono::seconds(workers::kSessionLife);
    return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={}{}", kSessionCookie, secret, life.count(),
                       base_url.starts_with("https://") ? "; Secure" : "");
}

std::optional<Presented> presented_session(net::Request const& request) {
    auto const values = session_cookies(request);
    return values.size() == 1 ? std::optional(Presented{.cookie = values.front()}) : std::nullopt;
}

core::Result<Presented> presented_credential(net::Request const& request) {
    auto const is_field = [](net::Header const& header) {
        return header.first.size() == kField.size() && core::ascii_lower(header.first) == "authorization";
    };
    auto const count = std::ranges::count_if(request.headers, is_field);
    if (count > 1) {
        auto problem = core::validation_problem({{std::string(kField), "once", "must be sent once"}});
        problem.message = "The request has more than one Authorization header; none of them was looked at.";
        problem.suggestion = "Send one Authorization header.";
        return tl::unexpected(std::move(problem));
    }
    if (!presents_credential(request.query())) return from_headers(request);
    if (count > 0) {
        auto problem = core::validation_problem({{"query", "credential", "must hold no credential"}});
        problem.message = "The query holds a credential besides the Authorization header.";
        problem.suggestion = kHint;
        return tl::unexpected(std::move(problem));
    }
    return tl::unexpected(
        core::Problem{Code::unauthenticated, "A credential in the query is not looked at.", {}, std::string(kHint)});
}

}  // namespace workforce::api
