// Statements on auth.session.
#include "workers/store/session_store.hpp"

#include <fmt/format.h>

#include "core/crypto.hpp"
#include "workers/store/erasures.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;

constexpr std::size_t kSessionSecretLength = 43;  // base62: 256 bits
constexpr std::size_t kSessionChecksumLength = 8;

// What was seen before the hash took its time may have changed. The password's row is locked, so that whoever replaces
// it finds the session that it opened and ends it. Of a user whose key was destroyed there is no session, for an
// address is personal.
constexpr core::Statement kOpenSession{"session_open", R"(
WITH known AS (
    SELECT FROM auth.password w WHERE w.organization_id = $1 AND w.user_id = $2 AND w.hash = $10 FOR SHARE
), made AS (
    INSERT INTO auth.session (organization_id, user_id, kind, digest, ends_at, address, agent)
    SELECT $1::bigint, $2::bigint, $3::text, $4::bytea, now() + $5::bigint * interval '1 second', $6::text, $7::text
    WHERE NOT EXISTS (SELECT FROM vault.person_key p WHERE p.person = 'user/' || $2::bigint AND p.destroyed_at IS NOT NULL)
        AND NOT EXISTS (SELECT FROM auth.account_standing a
                        WHERE a.organization_id = $1 AND a.user_id IN (0, $2) AND NOT a.active)
        AND ($10::text = '' OR EXISTS (SELECT FROM known))
    RETURNING *
), forgiven AS (
    DELETE FROM auth.sign_in_failure f USING made m WHERE f.account = 'user/' || m.user_id
), oldest AS (
    SELECT id FROM auth.session
    WHERE organization_id = $1 AND user_id = $2 AND kind = $3
        AND ends_at > now() AND (kind = 'jwt' OR last_seen_at > now() - interval '12 hours')
    ORDER BY id DESC OFFSET $8::int
), dropped AS (
    DELETE FROM auth.session s USING oldest o WHERE s.id = o.id
), told AS (
    INSERT INTO auth.sign_in_record (organization_id, user_id, operation, request_id, body)
    SELECT organization_id, user_id, 'users.record_sign_in', $9::text, json_build_object(
        'sessionId', id, 'kind', kind,
        'signedInAt', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text
    FROM made
), origin AS (
    INSERT INTO auth.request_origin (organization_id, request_id, user_id, address, agent, at)
    SELECT organization_id, $9::text, user_id, address, agent, created_at FROM made ON CONFLICT DO NOTHING
)
SELECT id, user_id, kind, created_at, last_seen_at, ends_at, address, agent FROM made)"};

// Live sessions alone, by the condition of api/credentials/find_sessions.sql.
constexpr core::Statement kListSessions{"session_list", R"(
SELECT id, user_id, kind, created_at, last_seen_at, ends_at, address, agent FROM auth.session
WHERE organization_id = $1 AND user_id = $2 AND ends_at > now() AND (kind = 'jwt' OR last_seen_at > now() - interval '12 hours')
ORDER BY id DESC)"};

constexpr core::Statement kOpenedWithin{"session_opened_within", R"(
SELECT FROM auth.session
WHERE organization_id = $1 AND user_id = $2 AND id = $3 AND created_at > now() - $4::bigint * interval '1 second'
    AND ends_at > now() AND (kind = 'jwt' OR last_seen_at > now() - interval '12 hours'))"};

constexpr core::Statement kEndSession{"session_end", R"(
WITH ended AS (
    DELETE FROM auth.session WHERE organization_id = $1 AND user_id = $2 AND id = $3 RETURNING *
), origin AS (
    INSERT INTO auth.request_origin (organization_id, request_id, user_id, address, agent, at)
    SELECT organization_id, $4, user_id, $5, $6, now() FROM ended ON CONFLICT DO NOTHING
)
INSERT INTO auth.sign_in_record (organization_id, user_id, operation, request_id, body)
SELECT organization_id, user_id, 'users.record_sign_out', $4, json_build_object('sessionId', id, 'kind', kind)::text
FROM ended RETURNING id)"};

// A use that is skipped here is written with the next, and whoever ends a session waits for nobody.
constexpr core::Statement kUseSessions{"session_use", R"(
UPDATE auth.session SET last_seen_at = now() WHERE id = ANY (ARRAY(
    SELECT id FROM auth.session WHERE id = ANY ($1::bigint[]) FOR UPDATE SKIP LOCKED)))"};
constexpr core::Statement kPruneSessions{"session_prune", R"(
DELETE FROM auth.session WHERE ends_at < now() - interval '1 hour'
    OR (kind = 'cookie' AND last_seen_at < now() - interval '13 hours'))"};

Session read_session(pqxx::row const& row) {
    Session session;
    session.id = core::read<core::Id>(row[0]);
    session.userId = core::read<core::Id>(row[1]);
    session.kind = core::parse_enum<events::SessionKind>(core::read<std::string>(row[2])).value();
    session.createdAt = core::read<core::Timestamp>(row[3]);
    session.lastSeenAt = core::read<core::Timestamp>(row[4]);
    session.expiresAt = core::read<core::Timestamp>(row[5]);
    if (session.kind == events::SessionKind::cookie) {
        auto const idle = session.lastSeenAt.ms + std::chrono::milliseconds(kSessionIdle).count();
        session.expiresAt.ms = std::min(session.expiresAt.ms, idle);
    }
    session.ip = core::read<std::string>(row[6]);
    session.userAgent = core::read<std::string>(row[7]);
    return session;
}

std::string session_checksum(std::string_view text) { return fmt::format("{:08x}", core::crc32(text)); }

}  // namespace

std::string make_session_secret() {
    auto secret = core::random_base62(kSessionSecretLength);
    return secret + session_checksum(secret);
}

bool is_session_secret(std::string_view text) {
    if (text.size() != kSessionSecretLength + kSessionChecksumLength) return false;
    return core::constant_time_equal(session_checksum(text.substr(0, kSessionSecretLength)),
                                     text.substr(kSessionSecretLength));
}

std::optional<Session> open_session(core::Connection& connection, NewSession const& session) {
    auto const life = session.kind == events::SessionKind::jwt ? kTokenLife : std::chrono::seconds(kSessionLife);
    auto const digest = core::sha256(session.secret);
    return connection.transaction([&]() -> std::optional<Session> {
        hold_addresses(connection);
        auto const rows = connection.execute(kOpenSession, session.account.organization, session.account.user,
                                             core::enum_name(session.kind), core::Bytes{core::bytes(digest)},
                                             std::int64_t{life.count()}, session.origin.address, session.origin.agent,
                                             kMostSessions - 1, session.origin.request_id, session.hash);
        if (rows.empty()) return std::nullopt;
        return read_session(rows[0]);
    });
}

awaitable<std::optional<Session>> SessionStore::open(NewSession session) {
    co_return co_await writes_.run(
        [session = std::move(session)](core::Connection& connection) { return open_session(connection, session); });
}

awaitable<std::vector<Session>> SessionStore::list(AccountRef account) {
    auto const rows = co_await writes_.execute(kListSessions, account.organization, account.user);
    std::vector<Session> sessions;
    for (auto const& row : rows) sessions.push_back(read_session(row));
    co_return sessions;
}

awaitable<bool> SessionStore::opened_within(AccountRef account, core::Id session, std::chrono::seconds time) {
    co_return !(co_await writes_.execute(kOpenedWithin, account.organization, account.user, session,
                                         std::int64_t{time.count()}))
        .empty();
}

awaitable<bool> SessionStore::end(AccountRef account, core::Id session, Origin origin) {
    co_return co_await writes_.transact([=](core::Connection& connection) {
        hold_addresses(connection);
        return !connection
                    .execute(kEndSession, account.organization, account.user, session, origin.request_id,
                             origin.address, origin.agent)
                    .empty();
    });
}

awaitable<void> SessionStore::note_uses(std::vector<core::Id> sessions) {
    co_await writes_.execute(kUseSessions, sessions);
}

awaitable<void> SessionStore::prune() { co_await writes_.execute(kPruneSessions); }

}  // namespace workforce::workers
