// RFC 9068 by cpp-jwt, whose jwt::decode() takes no other type than JWT: signatures are checked by its jwt_signature.
// It reads the key for each signature, which costs fifteen of them: what it wrote is signed here.
#include "api/credentials/access_tokens.hpp"

#include <algorithm>
#include <jwt/jwt.hpp>
#include <stdexcept>

#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "core/json.hpp"
#include "core/json_values.hpp"

namespace workforce::api {
namespace {

constexpr std::chrono::minutes kKeyTrustTime{1};

std::string text_claim(core::JsonValue const& claims, std::string_view name) {
    auto const* const found = core::find_member(&claims, name);
    return found != nullptr && found->IsString() ? found->GetString() : "";
}

std::int64_t number_claim(core::JsonValue const& claims, std::string_view name) {
    auto const* const found = core::find_member(&claims, name);
    return found != nullptr && found->IsInt64() ? found->GetInt64() : 0;
}

/// `aud`, which is a text or several.
std::vector<std::string> audience_claim(core::JsonValue const& claims) {
    auto const* const found = core::find_member(&claims, "aud");
    std::vector<std::string> all;
    if (found == nullptr) return all;
    if (found->IsString()) all.emplace_back(found->GetString());
    if (!found->IsArray()) return all;
    for (auto const& each : found->GetArray()) {
        if (each.IsString()) all.emplace_back(each.GetString());
    }
    return all;
}

bool is_signed_by(std::string_view token, std::string const& public_key) {
    auto const end = token.rfind('.');
    std::string const signed_part(token.substr(0, end));
    std::string const signature(token.substr(end + 1));
    jwt::jwt_signature verifier{public_key};
    auto const [good, fault] = verifier.verify(jwt::jwt_header{jwt::algorithm::ES256}, signed_part, signature);
    return good && !fault;
}

/// The claims of a token whose signature is known to be good.
std::optional<AccessClaims> claims_of(std::string_view token, TokenIssuer const& issuer) {
    auto const first = token.find('.');
    auto const payload = core::base64url_decode(token.substr(first + 1, token.rfind('.') - first - 1));
    if (!payload) return std::nullopt;
    auto const document = core::parse_json(*payload);
    if (!document || !document->IsObject() || text_claim(*document, "iss") != issuer.issuer) return std::nullopt;
    AccessClaims claims;
    claims.audience = audience_claim(*document);
    auto const is_ours = [&](std::string const& name) { return std::ranges::count(issuer.audiences, name) > 0; };
    if (std::ranges::none_of(claims.audience, is_ours)) return std::nullopt;
    auto const id = text_claim(*document, "jti");
    claims.user = core::parse_integer(text_claim(*document, "sub")).value_or(0);
    claims.organization = number_claim(*document, "org");
    claims.chain = core::parse_integer(id.substr(0, id.find('-'))).value_or(0);
    claims.client_id = text_claim(*document, "client_id");
    claims.scope = text_claim(*document, "scope");
    claims.issued_at = {number_claim(*document, "iat") * 1000};
    claims.ends_at = {number_claim(*document, "exp") * 1000};
    bool const whole = claims.user > 0 && claims.organization > 0 && claims.chain > 0 && claims.ends_at.ms > 0;
    return whole ? std::optional(std::move(claims)) : std::nullopt;
}

}  // namespace

TokenKey token_key(SigningKey const& key) { return {key.id, core::Es256Key(key.private_key)}; }

std::string sign_access_token(TokenKey const& key, std::string const& issuer, AccessClaims const& claims) {
    jwt::jwt_object token{jwt::params::algorithm(kTokenAlgorithm)};
    token.header().add_header("typ", std::string(kAccessTokenType), true);
    token.header().add_header("kid", key.id);
    token.add_claim("iss", issuer);
    token.add_claim("sub", std::to_string(claims.user));
    token.add_claim("org", claims.organization);
    if (claims.audience.size() == 1) {
        token.add_claim("aud", claims.audience.front());
    } else {
        token.add_claim("aud", claims.audience);
    }
    token.add_claim("iat", claims.issued_at.ms / 1000);
    token.add_claim("exp", claims.ends_at.ms / 1000);
    token.add_claim("jti", std::to_string(claims.chain) + '-' + core::uuid_v7(claims.issued_at));
    token.add_claim("client_id", claims.client_id);
    token.add_claim("scope", claims.scope);
    auto const text = token.header().encode() + '.' + token.payload().encode();
    return text + '.' + core::base64url_encode(key.key.sign(text));
}

std::optional<AccessClaims> read_access_token(std::string_view token, std::string const& public_key,
                                              TokenIssuer const& issuer) {
    if (!is_token_text(token)) return std::nullopt;
    try {
        return is_signed_by(token, public_key) ? claims_of(token, issuer) : std::nullopt;
    } catch (std::exception const&) {
        return std::nullopt;  // the library throws for some of what is no token
    }
}

boost::asio::awaitable<TokenKey> AccessTokenSigner::key() {
    {
        std::lock_guard const lock(mutex_);
        if (key_ && std::chrono::steady_clock::now() - read_at_ < kKeyTrustTime) co_return *key_;
    }
    auto found =
        co_await database_.run([this](core::Connection& connection) { return signing_key(connection, keys_); });
    std::lock_guard const lock(mutex_);
    if (!key_ || key_->id != found.id) key_ = token_key(found);
    read_at_ = std::chrono::steady_clock::now();
    co_return *key_;
}

boost::asio::awaitable<std::string> AccessTokenSigner::sign(AccessClaims claims) {
    auto const key = co_await this->key();
    co_return sign_access_token(key, issuer_, claims);
}

}  // namespace workforce::api
