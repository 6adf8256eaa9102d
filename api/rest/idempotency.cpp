// Digests of idempotency keys and requests.
#include "api/rest/idempotency.hpp"

#include "api/rest/canonical_json.hpp"
#include "core/crypto.hpp"

namespace workforce::api {

core::Result<std::optional<commands::Idempotency>> idempotency_of(net::Request const& request, KeySpace const& space,
                                                                  std::string_view secret) {
    bool const keyed = request.method == net::Method::post || request.method == net::Method::put ||
                       request.method == net::Method::patch;
    auto const header = keyed ? request.header("Idempotency-Key") : std::nullopt;
    if (!header) return std::optional<commands::Idempotency>{};
    auto key = *header;
    if (key.size() >= 2 && key.front() == '"' && key.back() == '"') key = key.substr(1, key.size() - 2);
    if (key.empty() || key.size() > 255) {
        return tl::unexpected(
            core::validation_problem({{"Idempotency-Key", "length", "must have 1 to 255 characters"}}));
    }
    auto const digest = [&](std::string_view text) {
        return core::base64url_encode(core::bytes(core::hmac_sha256(secret, text)));
    };
    commands::Idempotency idempotency;
    idempotency.key = digest(space.lineage + (space.sandbox ? " sandbox " : " live ") + std::string(key));
    idempotency.fingerprint =
        digest(std::string(to_string(request.method)) + ' ' + request.target + '\n' + canonical_json(request.body));
    return std::optional(std::move(idempotency));
}

}  // namespace workforce::api
