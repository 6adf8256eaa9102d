// Signing and verifying with cpp-jwt.
#include "api/credentials/person_tokens.hpp"

#include <algorithm>
#include <cstdint>
#include <jwt/jwt.hpp>
#include <limits>
#include <stdexcept>

#include "api/credentials/signing_key.hpp"
#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "core/json.hpp"

namespace workforce::api {
namespace {

constexpr char const* kAudience = "dashboard";                                // which tokens of connectors don't name
constexpr std::uint32_t kAnyAge = std::numeric_limits<std::uint32_t>::max();  // seconds: the session's row has the end
constexpr std::size_t kMostVerified = 100'000;

constexpr core::Statement kNow{"person_tokens_now", "SELECT now()"};
constexpr core::Statement kPublic{"person_tokens_public", "SELECT id, public_key FROM auth.signing_key"};

/// What a token's header says: the name of the key that signed it ("": it is no token of ours), and whether it is an
/// OAuth client's.
struct Header {
    std::string key;
    bool access = false;
};

Header header_of(std::string_view token) {
    auto const header = core::base64url_decode(token.substr(0, token.find('.')));
    auto const document = header ? core::parse_json(*header) : core::Result<rapidjson::Document>();
    if (!header || !document || !document->IsObject()) return {};
    auto const text = [&](char const* name) {
        auto const found = document->FindMember(name);
        return found != document->MemberEnd() && found->value.IsString() ? std::string(found->value.GetString()) : "";
    };
    auto const type = text("typ");
    bool const ours = (type == "JWT" || type == kAccessTokenType) && text("alg") == kTokenAlgorithm;
    return ours ? Header{text("kid"), type == kAccessTokenType} : Header{};
}

tl::unexpected<core::Problem> not_valid() {
    return core::refuse(core::Code::unauthenticated, "The token is not valid, or has ended.");
}

std::int64_t integer(jwt::jwt_payload const& payload, char const* name) {
    auto const& claims = payload.create_json_obj();
    auto const found = claims.find(name);
    return found != claims.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

/// Whom a token stands for that the key signed; nothing for one that is not ours.
std::optional<Person> read_token(std::string const& token, std::string const& key) {
    if (!is_token_text(token)) return std::nullopt;
    try {
        std::error_code fault;
        auto const decoded =
            jwt::decode(token, jwt::params::algorithms({kTokenAlgorithm}), fault, jwt::params::secret(key),
                        jwt::params::verify(true), jwt::params::aud(kAudience), jwt::params::leeway(kAnyAge));
        if (fault) return std::nullopt;
        auto const& payload = decoded.payload();
        auto const& claims = payload.create_json_obj();
        auto const subject = claims.find("sub");
        auto const user = subject != claims.end() && subject->is_string()
                              ? core::parse_integer(subject->get<std::string>())
                              : std::nullopt;
        auto const organization = integer(payload, "org");
        if (!user || *user < 1 || organization < 1) return std::nullopt;
        return Person{*user, organization};
    } catch (std::exception const&) {
        return std::nullopt;  // the library throws for some of what is no token
    }
}

}  // namespace

std::optional<std::string> mint_person_token(core::Connection& connection, events::MasterKeys const& keys,
                                             Person const& person, workers::Origin const& origin,
                                             std::string const& hash) {
    auto const key = signing_key(connection, keys);
    auto const now = core::read<core::Timestamp>(connection.execute(kNow).at(0)[0]);
    auto const begins = now.ms / 1000;
    jwt::jwt_object token{jwt::params::algorithm(kTokenAlgorithm), jwt::params::secret(key.private_key)};
    token.header().add_header("kid", key.id);
    token.add_claim("sub", std::to_string(person.user));
    token.add_claim("org", person.organization);
    token.add_claim("aud", kAudience);
    token.add_claim("iat", begins);
    token.add_claim("exp", begins + std::int64_t{workers::kTokenLife.count()});
    token.add_claim("jti", core::uuid_v7(now));
    std::error_code fault;
    auto text = token.signature(fault);
    if (fault) throw std::runtime_error("a token could not be signed: " + fault.message());
    workers::NewSession session{{person.organization, person.user}, events::SessionKind::jwt, text, origin, hash};
    if (!workers::open_session(connection, session)) return std::nullopt;
    return text;
}

bool is_person_token(std::string_view token) {
    return token.starts_with("eyJ") && std::ranges::count(token, '.') == 2 && token.size() < 4096;
}

PersonTokens::PersonTokens(core::Database& database, TokenIssuer issuer)
    : database_(database),
      issuer_(std::move(issuer)),
      finder_([this](std::vector<std::string> ids) { return find_all(std::move(ids)); }, 1) {}

void PersonTokens::stop() {
    finder_.stop(std::make_exception_ptr(core::DatabaseUnavailable("this process is stopping")));
}

boost::asio::awaitable<std::vector<std::string>> PersonTokens::find_all(std::vector<std::string> ids) {
    auto read = [](core::Connection& connection) {
        std::unordered_map<std::string, std::string> keys;
        for (auto const& row : connection.execute(kPublic)) {
            keys.emplace(core::read<std::string>(row[0]), core::read<std::string>(row[1]));
        }
        return keys;
    };
    auto keys = co_await database_.run(std::move(read));
    std::vector<std::string> found;
    for (auto const& id : ids) found.push_back(keys.contains(id) ? keys.at(id) : "");
    std::lock_guard const lock(mutex_);
    keys_ = std::move(keys);
    co_return found;
}

boost::asio::awaitable<std::string> PersonTokens::public_key(std::string id) {
    {
        std::lock_guard const lock(mutex_);
        if (auto const found = keys_.find(id); found != keys_.end()) co_return found->second;
    }
    co_return co_await finder_.submit(std::move(id));
}

std::optional<TokenHolder> PersonTokens::verified_before(std::string const& digest) {
    std::lock_guard const lock(mutex_);
    auto const found = verified_.find(digest);
    bool const stands = found != verified_.end() && keys_.contains(found->second.key);
    return stands ? std::optional(found->second.holder) : std::nullopt;
}

boost::asio::awaitable<core::Result<TokenHolder>> PersonTokens::verify(std::string digest, std::string token) {
    if (auto const known = verified_before(digest)) co_return *known;
    auto header = header_of(token);
    if (header.key.empty()) co_return not_valid();
    auto const key = co_await public_key(header.key);
    if (key.empty()) co_return not_valid();
    TokenHolder holder;
    if (header.access) {
        holder.access = read_access_token(token, key, issuer_);
        if (!holder.access) co_return not_valid();
        holder.person = {holder.access->user, holder.access->organization};
    } else {
        auto const person = read_token(token, key);
        if (!person) co_return not_valid();
        holder.person = *person;
    }
    std::lock_guard const lock(mutex_);
    if (verified_.size() >= kMostVerified) verified_.clear();
    verified_.insert_or_assign(std::move(digest), Verified{holder, std::move(header.key)});
    co_return holder;
}

}  // namespace workforce::api
