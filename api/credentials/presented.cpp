// The one header that counts, and the places that don't.
#include "api/credentials/presented.hpp"

#include <algorithm>
#include <array>

#include "api/credentials/person_tokens.hpp"
#include "core/ascii.hpp"
#include "core/json.hpp"
#include "events/key_secret.hpp"
#include "operations/schema/query_parameters.hpp"

namespace workforce::api {
namespace {

using core::Code;

constexpr std::string_view kField = "Authorization";
constexpr std::string_view kHint =
    "Send it as Authorization: Bearer, and replace it: what was sent in a query may stand in logs on its way.";

/// Names under which other services take credentials.
constexpr std::array<std::string_view, 3> kNames{"access_token", "api_key", "apikey"};

std::string decoded(std::string_view text) {
    return operations::percent_decode(text, true).value_or(std::string(text));
}

bool presents_credential(std::string_view query) {
    while (!query.empty()) {
        auto const part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(part.size() + 1, query.size()));
        auto const equals = std::min(part.find('='), part.size());
        auto const name = decoded(part.substr(0, equals));
        if (std::ranges::count(kNames, core::ascii_lower(name)) > 0 || events::begins_as_key(name)) return true;
        auto const value = equals < part.size() ? decoded(part.substr(equals + 1)) : std::string();
        if (events::begins_as_key(value) || is_person_token(value)) return true;
    }
    return false;
}

}  // namespace

core::Result<std::optional<std::string_view>> presented_credential(net::Request const& request) {
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
    if (!presents_credential(request.query())) return request.header(kField);
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
