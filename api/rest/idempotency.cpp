// Digests of idempotency keys and requests.
#include "api/rest/idempotency.hpp"

#include "core/canonical_json.hpp"
#include "core/crypto.hpp"

namespace workforce::api {
namespace {

/// What a structured field's string holds (RFC 8941 3.3.3); nothing for a text that is none.
std::optional<std::string> unquoted(std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::nullopt;
    auto const inner = text.substr(1, text.size() - 2);
    std::string key;
    for (std::size_t i = 0; i < inner.size(); ++i) {
        if (inner[i] == '"') return std::nullopt;
        if (inner[i] == '\\') {
            ++i;
            if (i == inner.size() || (inner[i] != '"' && inner[i] != '\\')) return std::nullopt;
        }
        key += inner[i];
    }
    return key;
}

}  // namespace

core::Result<std::optional<commands::Idempotency>> idempotency_of(net::Request const& request, KeySpace const& space,
                                                                  std::string_view secret) {
    bool const keyed = request.method == net::Method::post || request.method == net::Method::put ||
                       request.method == net::Method::patch;
    auto const header = keyed ? request.header("Idempotency-Key") : std::nullopt;
    if (!header) return std::optional<commands::Idempotency>{};
    auto const told = std::string(to_string(request.method)) + ' ' + request.target + '\n';
    return idempotency_of(*header, told + core::canonical_json(request.body), space, secret);
}

core::Result<std::optional<commands::Idempotency>> idempotency_of(std::string_view told_key, std::string_view request,
                                                                  KeySpace const& space, std::string_view secret) {
    auto const key = unquoted(told_key).value_or(std::string(told_key));
    if (key.empty() || key.size() > 255) {
        return tl::unexpected(
            core::validation_problem({{"Idempotency-Key", "length", "must have 1 to 255 characters"}}));
    }
    commands::Idempotency idempotency;
    idempotency.key = core::keyed_digest(secret, space.lineage + (space.sandbox ? " sandbox " : " live ") + key);
    idempotency.fingerprint = core::keyed_digest(secret, request);
    return std::optional(std::move(idempotency));
}

}  // namespace workforce::api
