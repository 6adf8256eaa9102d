// Statements on what OAuth keeps.
#include "workers/store/oauth_store.hpp"

#include "core/crypto.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;

constexpr core::Statement kAddClient{"oauth_add_client", R"(
INSERT INTO auth.oauth_client (client_id, secret_digest) SELECT $1::text, $2::bytea
WHERE (SELECT count(*) FROM auth.oauth_client WHERE last_used_at IS NULL) < $3::int
RETURNING client_id)"};
constexpr core::Statement kNameClient{"oauth_name_client", "UPDATE auth.oauth_client SET id = $2 WHERE client_id = $1"};
constexpr core::Statement kDropClient{"oauth_drop_client", "DELETE FROM auth.oauth_client WHERE client_id = $1"};
constexpr core::Statement kFindClient{"oauth_find_client", R"(
SELECT c.id, coalesce(encode(c.secret_digest, 'hex'), ''), coalesce((SELECT r.doc FROM read.oauth_client r WHERE r.id = c.id), '')
FROM auth.oauth_client c WHERE c.client_id = $1 AND c.id IS NOT NULL)"};

constexpr core::Statement kFindDocument{"oauth_find_document",
                                        "SELECT doc, fresh_until > now(), fetched_at > now() - interval '1 day' FROM "
                                        "auth.oauth_document WHERE client_id = $1"};
constexpr core::Statement kDropDocument{"oauth_drop_document", "DELETE FROM auth.oauth_document WHERE client_id = $1"};
constexpr core::Statement kTrustDocument{
    "oauth_trust_document",
    "UPDATE auth.oauth_document SET fresh_until = now() + $2::bigint * interval '1 second' WHERE client_id = $1"};
constexpr core::Statement kPutDocument{"oauth_put_document", R"(
INSERT INTO auth.oauth_document (client_id, doc, fresh_until) SELECT $1::text, $2::text, now() + $3::bigint * interval '1 second'
WHERE (SELECT count(*) FROM auth.oauth_document) < $4::int OR EXISTS (SELECT FROM auth.oauth_document WHERE client_id = $1)
ON CONFLICT (client_id) DO UPDATE SET doc = excluded.doc, fetched_at = now(), fresh_until = excluded.fresh_until
RETURNING 1)"};
constexpr core::Statement kPruneDocuments{"oauth_prune_documents", R"(
DELETE FROM auth.oauth_document d WHERE used_at < now() - interval '90 days'
    OR (used_at < now() - interval '1 day' AND NOT EXISTS (SELECT FROM auth.oauth_chain c WHERE c.client_id = d.client_id)))"};

// The session's row is locked, so that whoever ends it waits, and then finds the code that it opened.
constexpr core::Statement kAddCode{"oauth_add_code", R"(
WITH opened AS (
    SELECT FROM auth.session s WHERE s.id = $11 AND s.organization_id = $2 AND s.user_id = $3 AND s.ends_at > now() FOR SHARE
), used AS (
    UPDATE auth.oauth_client SET last_used_at = now() WHERE client_id = $5 AND EXISTS (SELECT FROM opened)
), document AS (
    UPDATE auth.oauth_document SET used_at = now() WHERE client_id = $5 AND EXISTS (SELECT FROM opened)
)
INSERT INTO auth.oauth_code
    (digest, organization_id, user_id, grant_id, client_id, redirect_uri, challenge, scope, resource, ends_at)
SELECT $1::bytea, $2::bigint, $3::bigint, $4::bigint, $5::text, $6::text, $7::text, $8::text, $9::text,
    now() + $10::bigint * interval '1 second'
WHERE EXISTS (SELECT FROM opened) RETURNING 1)"};
// Whoever is not active any more, or erased, gets nothing.
constexpr core::Statement kFindCode{"oauth_find_code", R"(
SELECT c.organization_id, c.user_id, c.grant_id, c.client_id, c.scope, c.resource, c.redirect_uri, c.challenge, c.chain_id,
    c.ends_at > now() AND NOT EXISTS (
        SELECT FROM auth.account_standing a
        WHERE a.organization_id = c.organization_id AND a.user_id IN (0, c.user_id) AND NOT a.active) AS holds
FROM auth.oauth_code c WHERE c.digest = $1 FOR UPDATE)"};
constexpr core::Statement kBeginChain{"oauth_begin_chain", R"(
WITH chain AS (
    INSERT INTO auth.oauth_chain (organization_id, user_id, grant_id, client_id, scope, resource, ends_at)
    SELECT organization_id, user_id, grant_id, client_id, scope, resource, now() + $3::bigint * interval '1 hour'
    FROM auth.oauth_code WHERE digest = $1
    RETURNING id
), spent AS (
    UPDATE auth.oauth_code SET chain_id = (SELECT id FROM chain) WHERE digest = $1
), token AS (
    INSERT INTO auth.oauth_refresh (digest, chain_id) SELECT $2, id FROM chain
)
SELECT id, now() FROM chain)"};
constexpr core::Statement kFindToken{"oauth_find_token", R"(
SELECT c.organization_id, c.user_id, c.grant_id, c.client_id, c.scope, c.resource, c.id AS chain_id,
    r.spent_at IS NOT NULL AS spent, CASE WHEN r.spent_at > now() - $2::bigint * interval '1 second' THEN r.successor END AS successor, now() AS now,
    c.ended_at IS NULL AND c.ends_at > now() AND NOT EXISTS (
        SELECT FROM auth.account_standing a
        WHERE a.organization_id = c.organization_id AND a.user_id IN (0, c.user_id) AND NOT a.active) AS holds
FROM auth.oauth_refresh r JOIN auth.oauth_chain c ON c.id = r.chain_id
WHERE r.digest = $1 FOR UPDATE OF c, r)"};
// One statement, and so one message each way and a transaction of its own. Both rows are locked before anything
// changes: of those who come with one token at a time the others find it spent, and whoever ends the chain waits, or is
// waited for and seen. What finds nothing here is looked at by kFindToken.
constexpr core::Statement kRotate{"oauth_rotate", R"(
WITH live AS MATERIALIZED (
    SELECT c.id, c.organization_id, c.user_id, c.grant_id, c.client_id, c.scope, c.resource
    FROM auth.oauth_refresh r JOIN auth.oauth_chain c ON c.id = r.chain_id
    WHERE r.digest = $1 AND r.spent_at IS NULL AND c.client_id = $3 AND c.ended_at IS NULL AND c.ends_at > now()
        AND ($4::text = '' OR c.resource IN ('', $4, $4 || '/')) AND NOT EXISTS (
            SELECT FROM auth.account_standing a
            WHERE a.organization_id = c.organization_id AND a.user_id IN (0, c.user_id) AND NOT a.active)
    FOR UPDATE OF c, r
), spent AS (
    UPDATE auth.oauth_refresh SET spent_at = now(), successor = $6 WHERE digest = $1 AND EXISTS (SELECT FROM live)
), token AS (
    INSERT INTO auth.oauth_refresh (digest, chain_id) SELECT $2, id FROM live
), document AS (
    UPDATE auth.oauth_document SET used_at = now()
    WHERE client_id = $3 AND used_at < now() - interval '1 hour' AND EXISTS (SELECT FROM live)
), client AS (
    UPDATE auth.oauth_client SET last_used_at = now()
    WHERE client_id = $3 AND coalesce(last_used_at < now() - interval '1 hour', true) AND EXISTS (SELECT FROM live)
)
UPDATE auth.oauth_chain c SET used_at = now(), ends_at = now() + $5::bigint * interval '1 hour',
    due_at = CASE WHEN c.due_at < now() + ($5 - 24) * interval '1 hour' THEN now() + $5 * interval '1 hour' ELSE c.due_at END
FROM live l WHERE c.id = l.id
RETURNING l.*, now() AS now)"};
constexpr core::Statement kIsUnspent{"oauth_is_unspent",
                                     "SELECT 1 FROM auth.oauth_refresh WHERE digest = $1 AND spent_at IS NULL"};
constexpr core::Statement kCut{"oauth_cut", R"(
UPDATE auth.oauth_chain SET ended_at = coalesce(ended_at, now()), cut_at = now() WHERE id = $1 AND cut_at IS NULL)"};

constexpr core::Statement kLiveToken{"oauth_live_token", R"(
SELECT c.organization_id, c.user_id, c.grant_id, c.client_id, c.scope, c.resource, r.created_at, c.ends_at
FROM auth.oauth_refresh r JOIN auth.oauth_chain c ON c.id = r.chain_id
WHERE r.digest = $1 AND r.spent_at IS NULL AND c.ended_at IS NULL AND c.ends_at > now() AND NOT EXISTS (
    SELECT FROM auth.account_standing a
    WHERE a.organization_id = c.organization_id AND a.user_id IN (0, c.user_id) AND NOT a.active))"};
constexpr core::Statement kLiveChain{"oauth_live_chain", R"(
SELECT c.organization_id, c.user_id, c.grant_id, c.client_id, c.scope, c.resource
FROM auth.oauth_chain c
WHERE c.id = $1 AND c.ended_at IS NULL AND NOT EXISTS (
    SELECT FROM auth.account_standing a
    WHERE a.organization_id = c.organization_id AND a.user_id IN (0, c.user_id) AND NOT a.active))"};
constexpr core::Statement kEndChain{"oauth_end_chain", R"(
UPDATE auth.oauth_chain SET ended_at = now() WHERE id = $1 AND client_id = $2 AND ended_at IS NULL)"};
constexpr core::Statement kEndChainOf{"oauth_end_chain_of", R"(
UPDATE auth.oauth_chain SET ended_at = now()
WHERE id = (SELECT chain_id FROM auth.oauth_refresh WHERE digest = $1) AND client_id = $2 AND ended_at IS NULL)"};

// Access tokens of a chain that ended are refused by its row, and past their own end by that; codes that were used are
// known until they end.
constexpr core::Statement kPruneCodes{"oauth_prune_codes", R"(
DELETE FROM auth.oauth_code WHERE digest = ANY (ARRAY(
    SELECT digest FROM auth.oauth_code WHERE ends_at < now() - interval '1 hour' LIMIT 1000)) RETURNING 1)"};
constexpr core::Statement kForgetSuccessors{"oauth_forget_successors", R"(
UPDATE auth.oauth_refresh SET successor = NULL
WHERE successor IS NOT NULL AND spent_at < now() - $1::bigint * interval '1 second')"};
constexpr core::Statement kPruneClients{"oauth_prune_clients", R"(
DELETE FROM auth.oauth_client WHERE id IS NULL AND created_at < now() - interval '1 hour')"};
constexpr core::Statement kPruneDevices{"oauth_prune_devices", R"(
WITH guesses AS (DELETE FROM auth.oauth_guess WHERE began_at < now() - interval '1 hour')
DELETE FROM auth.oauth_device WHERE digest = ANY (ARRAY(
    SELECT digest FROM auth.oauth_device WHERE ends_at < now() - interval '30 minutes' LIMIT 1000)) RETURNING 1)"};
constexpr core::Statement kPruneChains{"oauth_prune_chains", R"(
DELETE FROM auth.oauth_chain WHERE id = ANY (ARRAY(
    SELECT id FROM auth.oauth_chain
    WHERE (due_at < now() - interval '2 hours' AND ends_at < now() - interval '2 hours')
        OR ended_at < now() - interval '2 hours' LIMIT 500)) RETURNING 1)"};

/// The consent in the first columns of a row.
Consent read_consent(pqxx::row const& row) {
    return {core::read<core::Id>(row["organization_id"]), core::read<core::Id>(row["user_id"]),
            core::read<core::Id>(row["grant_id"]),        core::read<std::string>(row["client_id"]),
            core::read<std::string>(row["scope"]),        core::read<std::string>(row["resource"])};
}

std::string digest_of(std::string_view secret) { return std::string(core::bytes(core::sha256(secret))); }

/// A resource without its final slash, which means nothing.
std::string_view plain(std::string_view resource) {
    return resource.ends_with('/') ? resource.substr(0, resource.size() - 1) : resource;
}

/// Whether what is asked for, if anything, is what the consent is for.
bool is_for(Consent const& consent, std::string_view resource) {
    return resource.empty() || consent.resource.empty() || plain(resource) == plain(consent.resource);
}

/// Ends the chain, for what began it or went on with it came again.
Exchange replay(core::Connection& connection, Consent consent, core::Id chain) {
    connection.execute(kCut, chain);
    return {.denial = Denial::replayed, .replayed = std::move(consent), .chain = chain};
}

Exchange use_code_in(core::Connection& connection, CodeUse const& use) {
    auto const digest = digest_of(use.code);
    auto const rows = connection.execute(kFindCode, core::Bytes{digest});
    if (rows.empty()) return {};
    auto const row = rows[0];
    auto consent = read_consent(row);
    if (consent.client_id != use.client_id) return {.denial = Denial::mismatch};
    if (auto const chain = core::read<std::optional<core::Id>>(row["chain_id"])) {
        return replay(connection, std::move(consent), *chain);
    }
    if (!core::read<bool>(row["holds"])) return {};
    bool const fits = core::read<std::string>(row["redirect_uri"]) == use.redirect_uri &&
                      core::constant_time_equal(core::read<std::string>(row["challenge"]), use.challenge) &&
                      is_for(consent, use.resource);
    if (!fits) return {.denial = Denial::mismatch};
    auto token = core::random_base62(kRefreshTokenLength);
    auto const begun = connection.execute(kBeginChain, core::Bytes{digest}, core::Bytes{digest_of(token)},
                                          std::int64_t{kRefreshLife.count()});
    return {.issued = IssuedChain{core::read<core::Id>(begun.at(0)[0]), std::move(consent),
                                  core::read<core::Timestamp>(begun.at(0)[1]), std::move(token)}};
}

/// What seals a token's successor: nobody has it who has the token's digest alone.
std::string successor_key(std::string_view token) {
    return std::string(core::bytes(core::hmac_sha256(token, "the successor of a refresh token")));
}

/// What is sent with a refresh token.
struct RefreshUse {
    std::string token;
    std::string client_id;
    std::string resource;
    std::chrono::seconds grace;
};

/// Spends a token that opens its chain, and begins the next one; nothing, and nothing is changed, where it does not.
std::optional<IssuedChain> rotate(core::Connection& connection, RefreshUse const& use) {
    auto const digest = digest_of(use.token);
    auto next = core::random_base62(kRefreshTokenLength);
    std::string sealed;
    if (use.grace.count() > 0) sealed = core::aes_gcm_seal(successor_key(use.token), next, digest);
    auto const kept = sealed.empty() ? std::nullopt : std::optional(core::Bytes{sealed});
    auto const rows = connection.execute(kRotate, core::Bytes{digest}, core::Bytes{digest_of(next)}, use.client_id,
                                         plain(use.resource), std::int64_t{kRefreshLife.count()}, kept);
    if (rows.empty()) return std::nullopt;
    return IssuedChain{core::read<core::Id>(rows[0]["id"]), read_consent(rows[0]),
                       core::read<core::Timestamp>(rows[0]["now"]), std::move(next)};
}

/// What there is to say of a token that rotate() did not spend.
Exchange judge_token(core::Connection& connection, RefreshUse const& use) {
    auto const digest = digest_of(use.token);
    auto const rows = connection.execute(kFindToken, core::Bytes{digest}, std::int64_t{use.grace.count()});
    if (rows.empty()) return {};
    auto const row = rows[0];
    auto consent = read_consent(row);
    auto const chain = core::read<core::Id>(row["chain_id"]);
    if (consent.client_id != use.client_id) return {.denial = Denial::mismatch};
    if (!core::read<bool>(row["holds"])) return {};
    if (!is_for(consent, use.resource)) return {.denial = Denial::mismatch};
    if (!core::read<bool>(row["spent"])) return {};  // it opens its chain again since a moment
    // Whoever comes again with a token whose successor was used, too, did not lose an answer.
    auto again = row["successor"].is_null()
                     ? std::nullopt
                     : core::aes_gcm_open(successor_key(use.token), core::read_bytes(row["successor"]), digest);
    bool const last = again && !connection.execute(kIsUnspent, core::Bytes{digest_of(*again)}).empty();
    if (!last) return replay(connection, std::move(consent), chain);
    return {.issued =
                IssuedChain{chain, std::move(consent), core::read<core::Timestamp>(row["now"]), *std::move(again)}};
}

}  // namespace

awaitable<bool> OAuthStore::add_client(std::string client_id, std::string secret) {
    auto const digest = secret.empty() ? std::string() : digest_of(secret);
    auto const stored = secret.empty() ? std::nullopt : std::optional(core::Bytes{digest});
    co_return !(co_await writes_.execute(kAddClient, client_id, stored, kMostUnusedClients)).empty();
}

awaitable<void> OAuthStore::name_client(std::string client_id, core::Id id) {
    co_await writes_.execute(kNameClient, client_id, id);
}

awaitable<void> OAuthStore::drop_client(std::string client_id) { co_await writes_.execute(kDropClient, client_id); }

awaitable<std::optional<KnownClient>> OAuthStore::find_client(std::string client_id) {
    auto const rows = co_await reads_.find({kFindClient, {.operator_access = true}, {core::to_parameter(client_id)}});
    if (rows.empty()) co_return std::nullopt;
    auto const& row = rows.front();
    KnownClient known{.id = core::parse_integer(row.at(0).value()).value()};
    if (!row.at(1)->empty()) known.secret_digest = core::hex_decode(*row.at(1));
    if (!row.at(2)->empty()) known.record = core::from_stored_json<events::OAuthClient>(*row.at(2));
    co_return known;
}

awaitable<std::optional<KnownDocument>> OAuthStore::find_document(std::string client_id) {
    auto const rows = co_await reads_.execute(kFindDocument, client_id);
    if (rows.empty()) co_return std::nullopt;
    co_return KnownDocument{core::read<std::string>(rows[0][0]), core::read<bool>(rows[0][1]),
                            core::read<bool>(rows[0][2])};
}

awaitable<bool> OAuthStore::put_document(std::string client_id, std::string doc, std::chrono::seconds fresh) {
    co_return !(co_await writes_.execute(kPutDocument, client_id, doc, std::int64_t{fresh.count()}, kMostDocuments))
        .empty();
}

awaitable<void> OAuthStore::drop_document(std::string client_id) { co_await writes_.execute(kDropDocument, client_id); }

awaitable<void> OAuthStore::trust_document(std::string client_id, std::chrono::seconds fresh) {
    co_await writes_.execute(kTrustDocument, client_id, std::int64_t{fresh.count()});
}

awaitable<bool> OAuthStore::add_code(NewCode code) {
    auto const& consent = code.consent;
    auto const added =
        co_await writes_.execute(kAddCode, core::Bytes{digest_of(code.code)}, consent.organization, consent.user,
                                 consent.grant, consent.client_id, code.redirect_uri, code.challenge, consent.scope,
                                 consent.resource, std::int64_t{kCodeLife.count()}, code.session);
    co_return !added.empty();
}

awaitable<Exchange> OAuthStore::use_code(CodeUse use) {
    co_return co_await writes_.transact(
        [use = std::move(use)](core::Connection& connection) { return use_code_in(connection, use); });
}

awaitable<Exchange> OAuthStore::refresh(std::string token, std::string client_id, std::string resource) {
    RefreshUse use{std::move(token), std::move(client_id), std::move(resource), grace_};
    co_return co_await writes_.run([use = std::move(use)](core::Connection& connection) {
        if (auto issued = rotate(connection, use)) return Exchange{.issued = std::move(issued)};
        return connection.transaction([&] { return judge_token(connection, use); });
    });
}

awaitable<std::optional<LiveToken>> OAuthStore::find_token(std::string token) {
    auto const rows = co_await writes_.execute(kLiveToken, core::Bytes{digest_of(token)});
    if (rows.empty()) co_return std::nullopt;
    co_return LiveToken{read_consent(rows[0]), core::read<core::Timestamp>(rows[0]["created_at"]),
                        core::read<core::Timestamp>(rows[0]["ends_at"])};
}

awaitable<std::optional<Consent>> OAuthStore::find_chain(core::Id chain) {
    auto const rows = co_await reads_.find({kLiveChain, {}, {core::to_parameter(chain)}});
    if (rows.empty()) co_return std::nullopt;
    auto const& row = rows.front();
    auto const number = [&](std::size_t column) { return core::parse_integer(row.at(column).value()).value(); };
    co_return Consent{number(0), number(1), number(2), row.at(3).value(), row.at(4).value(), row.at(5).value()};
}

awaitable<bool> OAuthStore::end_chain(core::Id chain, std::string client_id) {
    co_return (co_await writes_.execute(kEndChain, chain, client_id)).affected_rows() > 0;
}

awaitable<bool> OAuthStore::end_chain_of(std::string token, std::string client_id) {
    co_return (co_await writes_.execute(kEndChainOf, core::Bytes{digest_of(token)}, client_id)).affected_rows() > 0;
}

awaitable<void> OAuthStore::prune() {
    co_await writes_.run([grace = grace_](core::Connection& connection) {
        connection.execute(kForgetSuccessors, std::int64_t{grace.count()});
        connection.execute(kPruneClients);
        connection.execute(kPruneDocuments);
    });
    bool more = true;
    while (more) {
        more = co_await writes_.run([](core::Connection& connection) {
            auto const codes = connection.execute(kPruneCodes).size();
            auto const chains = connection.execute(kPruneChains).size();
            return codes + chains + connection.execute(kPruneDevices).size() > 0;
        });
    }
}

}  // namespace workforce::workers
