// Statements on auth.password, auth.sign_in_failure and auth.link.
#include "workers/store/password_store.hpp"

#include <fmt/format.h>

#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "workers/store/erasures.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;

/// Whether what was counted in a row counts no more.
constexpr std::string_view kOver =
    "(f.began_at < now() - interval '15 minutes' OR coalesce(f.locked_until <= now(), false))";

// Counted before the password is looked at, so that parallel guesses are as few as others: those that are under way and
// those that failed are at most $2. A window that has ended, and a lock, begin anew. {0}: the account; {1}: kOver.
constexpr std::string_view kCountAttempt = R"(
WITH {0}, counted AS (
    INSERT INTO auth.sign_in_failure AS f (account, organization_id, user_id, failures)
    SELECT account, organization_id, user_id, 1 FROM account
    ON CONFLICT (account) DO UPDATE SET
        failures = CASE WHEN {1} THEN 1 ELSE f.failures + 1 END,
        began_at = CASE WHEN {1} THEN now() ELSE f.began_at END,
        told = f.told AND NOT {1},  -- for processes of the release before
        locked_until = NULL
    WHERE ({1} OR f.failures < $2::int) AND NOT coalesce(f.locked_until > now(), false)
    RETURNING account
), unlocked AS (
    INSERT INTO auth.sign_in_record (organization_id, user_id, operation)
    SELECT f.organization_id, f.user_id, 'users.unlock' FROM auth.sign_in_failure f JOIN account USING (account)
    WHERE f.locked_until <= now() AND f.user_id IS NOT NULL
)
SELECT a.account, coalesce(a.organization_id, 0), coalesce(a.user_id, 0), coalesce(p.hash, ''), c.account IS NULL,
    c.account IS NULL AND NOT EXISTS (
        SELECT FROM auth.sign_in_failure f WHERE f.account = a.account AND f.locked_until > now()),
    coalesce(p.set_at > now() - interval '10 seconds', false)
FROM account a LEFT JOIN counted c USING (account)
LEFT JOIN auth.password p ON p.organization_id = a.organization_id AND p.user_id = a.user_id)";

std::string counting(std::string_view account) { return fmt::format(fmt::runtime(kCountAttempt), account, kOver); }

std::string const& begin_by_name() {
    static auto const text = counting(R"(named AS (
    SELECT r.subject_id AS user_id, r.organization_id FROM ops.reservation r
    WHERE r.digest = $1::bytea AND r.kind = 'user' AND r.organization_id IS NOT NULL
), account AS (
    SELECT coalesce('user/' || n.user_id, 'name/' || encode($1::bytea, 'hex')) AS account, n.organization_id, n.user_id
    FROM (SELECT 1) AS one LEFT JOIN named n ON true
))");
    return text;
}

std::string const& begin_by_user() {
    static auto const text = counting(
        "account AS (SELECT 'user/' || $1::bigint AS account, $3::bigint AS organization_id, $1::bigint AS user_id)");
    return text;
}

constexpr core::Statement kUndoAttempt{
    "attempt_undo", "UPDATE auth.sign_in_failure SET failures = greatest(0, failures - 1) WHERE account = $1"};
// The row of attempts may be gone, for somebody else knew the password. Of a name that nobody has (organization and
// user 0) the same rows are written, which nobody is told of: neither the work nor the commit's flush tells who has an
// account.
constexpr core::Statement kFailAttempt{"attempt_fail", R"(
WITH locked AS (
    UPDATE auth.sign_in_failure SET locked_until = now() + interval '15 minutes'
    WHERE account = $1 AND failures >= $2::int AND locked_until IS NULL
    RETURNING locked_until
), origin AS (
    INSERT INTO auth.request_origin (organization_id, request_id, user_id, address, agent, at)
    SELECT $6::bigint, $3, $7::bigint, $4, $5, now()
    WHERE NOT EXISTS (
        SELECT FROM vault.person_key p WHERE p.person = 'user/' || $7::bigint AND p.destroyed_at IS NOT NULL)
    ON CONFLICT DO NOTHING
)
INSERT INTO auth.sign_in_record (organization_id, user_id, operation, request_id, body)
SELECT $6, $7, 'users.record_sign_in_failure', $3, '{}'
UNION ALL
SELECT $6, $7, 'users.lock', $3, json_build_object(
    'lockedUntil', to_char(locked_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text
FROM locked)"};

constexpr core::Statement kFindAccount{"password_find", R"(
SELECT r.organization_id, r.subject_id, p.hash IS NOT NULL
FROM ops.reservation r LEFT JOIN auth.password p ON p.organization_id = r.organization_id AND p.user_id = r.subject_id
WHERE r.digest = $1 AND r.kind = 'user' AND r.organization_id IS NOT NULL)"};
constexpr core::Statement kPutPassword{"password_put", R"(
INSERT INTO auth.password (organization_id, user_id, hash) SELECT $1::bigint, $2::bigint, $3::text
WHERE NOT EXISTS (SELECT FROM vault.person_key p WHERE p.person = 'user/' || $2::bigint AND p.destroyed_at IS NOT NULL)
ON CONFLICT (organization_id, user_id) DO UPDATE SET hash = excluded.hash, set_at = now())"};
constexpr core::Statement kForgetPassword{"password_forget", R"(
WITH links AS (DELETE FROM auth.link WHERE organization_id = $1 AND user_id = $2)
DELETE FROM auth.password WHERE organization_id = $1 AND user_id = $2)"};
// In statements of their own, sessions first: what is being opened by one is waited for, and then seen; so is a code or
// device that is being used, and its chain.
constexpr core::Statement kEndSessionsOfUser{
    "password_ends_sessions", "DELETE FROM auth.session WHERE organization_id = $1 AND user_id = $2 AND id <> $3"};
constexpr core::Statement kEndCodesOfUser{"password_ends_codes",
                                          "DELETE FROM auth.oauth_code WHERE organization_id = $1 AND user_id = $2"};
constexpr core::Statement kEndDevicesOfUser{
    "password_ends_devices", "DELETE FROM auth.oauth_device WHERE organization_id = $1 AND user_id = $2"};
constexpr core::Statement kPasswordChanged{"password_changed", R"(
WITH chains AS (UPDATE auth.oauth_chain SET ended_at = coalesce(ended_at, now()), cut_at = now()
           WHERE organization_id = $1 AND user_id = $2 AND cut_at IS NULL),
forgiven AS (DELETE FROM auth.sign_in_failure WHERE account = 'user/' || $2::bigint),
dropped AS (DELETE FROM auth.link WHERE organization_id = $1 AND user_id = $2),
origin AS (
    INSERT INTO auth.request_origin (organization_id, request_id, user_id, address, agent, at)
    VALUES ($1, $3, $2, $4, $5, now()) ON CONFLICT DO NOTHING
)
INSERT INTO auth.sign_in_record (organization_id, user_id, operation, request_id, body)
SELECT $1, $2, 'users.record_password_change', $3, json_build_object(
    'changedAt', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text
UNION ALL
SELECT $1, $2, 'users.unlock', $3, '{}')"};

constexpr core::Statement kMakeLink{"link_make", R"(
WITH known AS (
    SELECT count(*) > 0 AS has FROM auth.password WHERE organization_id = $1 AND user_id = $2
), wanted AS (
    SELECT has FROM known WHERE NOT ($8::boolean AND has) AND NOT EXISTS (
        SELECT FROM auth.link WHERE organization_id = $1 AND user_id = $2
            AND (user_version > $7::bigint OR ($8 AND user_version = $7)))
), earlier AS (
    DELETE FROM auth.link WHERE organization_id = $1 AND user_id = $2 AND EXISTS (SELECT FROM wanted)
)
INSERT INTO auth.link (id, digest, organization_id, user_id, purpose, ends_at, user_version)
SELECT $3::uuid, $4, $1, $2, CASE WHEN has THEN 'reset' ELSE 'invite' END,
    now() + CASE WHEN has THEN $6::bigint ELSE $5::bigint END * interval '1 hour', $7
FROM wanted)"};
constexpr core::Statement kMoveLinks{"link_move", R"(
WITH ended AS (
    DELETE FROM auth.link WHERE organization_id = $1 AND user_id = $2 AND moved_at IS NOT NULL RETURNING purpose, ends_at
)
INSERT INTO auth.link (id, digest, organization_id, user_id, purpose, ends_at, user_version)
SELECT $3::uuid, $4, $1, $2, 'invite', now() + $5::bigint * interval '1 hour', $6::bigint
WHERE EXISTS (SELECT FROM ended WHERE purpose = 'invite' AND ends_at > now()))"};
// A row also for a name that nobody has, and for a user who was sent a link within the last minute: they are mailed to
// nobody, and keep the time of the write from telling who has an account.
constexpr core::Statement kMakeReset{"link_make_reset", R"(
INSERT INTO auth.link (id, digest, organization_id, user_id, purpose, ends_at)
SELECT $2::uuid, $3, coalesce(r.organization_id, 0), coalesce(r.subject_id, 0), 'reset', now() + $4::bigint * interval '1 hour'
FROM (SELECT 1) AS one
LEFT JOIN ops.reservation r ON r.digest = $1 AND r.kind = 'user' AND r.organization_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM auth.link l WHERE l.organization_id = r.organization_id AND l.user_id = r.subject_id AND l.purpose = 'reset'
        AND l.created_at > now() - interval '1 minute'))"};
constexpr core::Statement kFindLink{"link_find", R"(
SELECT id, organization_id, user_id FROM auth.link
WHERE digest = $1 AND purpose = $2 AND ends_at > now() AND moved_at IS NULL)"};
constexpr core::Statement kUseLink{"link_use",
                                   "DELETE FROM auth.link WHERE id = $1::uuid AND moved_at IS NULL RETURNING id"};

Attempt read_attempt(pqxx::row const& row) {
    return {core::read<std::string>(row[0]), {core::read<core::Id>(row[1]), core::read<core::Id>(row[2])},
            core::read<std::string>(row[3]), core::read<bool>(row[4]),
            core::read<bool>(row[5]),        core::read<bool>(row[6])};
}

/// In a transaction that holds addresses; of a user who was erased there is no password.
void replace_password(core::Connection& connection, AccountRef whom, std::string const& hash, core::Id kept,
                      Origin const& origin) {
    if (connection.execute(kPutPassword, whom.organization, whom.user, hash).affected_rows() == 0) return;
    connection.execute(kEndSessionsOfUser, whom.organization, whom.user, kept);
    connection.execute(kEndCodesOfUser, whom.organization, whom.user);
    connection.execute(kEndDevicesOfUser, whom.organization, whom.user);
    connection.execute(kPasswordChanged, whom.organization, whom.user, origin.request_id, origin.address, origin.agent);
}

}  // namespace

std::string PasswordStore::token_of(std::string_view link) const {
    return core::base64url_encode(core::bytes(core::hmac_sha256(link_secret_, link)));
}

awaitable<Attempt> PasswordStore::begin_attempt(std::string name_digest) {
    core::Statement const statement{"attempt_begin_by_name", begin_by_name()};
    co_return read_attempt((co_await writes_.execute(statement, core::Bytes{name_digest}, kMostFailures)).at(0));
}

awaitable<Attempt> PasswordStore::begin_attempt(AccountRef whom) {
    core::Statement const statement{"attempt_begin_by_user", begin_by_user()};
    co_return read_attempt((co_await writes_.execute(statement, whom.user, kMostFailures, whom.organization)).at(0));
}

awaitable<void> PasswordStore::undo(Attempt attempt) { co_await writes_.execute(kUndoAttempt, attempt.account); }

awaitable<void> PasswordStore::fail(Attempt attempt, Origin origin) {
    co_await writes_.transact([=](core::Connection& connection) {
        hold_addresses(connection);
        connection.execute(kFailAttempt, attempt.account, kMostFailures, origin.request_id, origin.address,
                           origin.agent, attempt.whom.organization, attempt.whom.user);
    });
}

awaitable<std::optional<KnownAccount>> PasswordStore::find(std::string name_digest) {
    auto const rows = co_await writes_.execute(kFindAccount, core::Bytes{name_digest});
    if (rows.empty()) co_return std::nullopt;
    co_return KnownAccount{{core::read<core::Id>(rows[0][0]), core::read<core::Id>(rows[0][1])},
                           core::read<bool>(rows[0][2])};
}

awaitable<void> PasswordStore::put(AccountRef whom, std::string hash) {
    co_await writes_.execute(kPutPassword, whom.organization, whom.user, hash);
}

awaitable<void> PasswordStore::forget(AccountRef whom) {
    co_await writes_.execute(kForgetPassword, whom.organization, whom.user);
}

awaitable<void> PasswordStore::change(AccountRef whom, std::string hash, core::Id kept, Origin origin) {
    co_await writes_.transact([=](core::Connection& connection) {
        hold_addresses(connection);
        replace_password(connection, whom, hash, kept, origin);
    });
}

awaitable<void> PasswordStore::make_link(AccountRef whom, std::int64_t version, bool retried) {
    auto const id = core::uuid_v7(core::now());
    auto const digest = core::sha256(token_of(id));
    co_await writes_.execute(kMakeLink, whom.organization, whom.user, id, core::Bytes{core::bytes(digest)},
                             std::int64_t{kInviteLife.count()}, std::int64_t{kResetLife.count()}, version, retried);
}

awaitable<void> PasswordStore::move_links(AccountRef whom, std::int64_t version) {
    auto const id = core::uuid_v7(core::now());
    auto const digest = core::sha256(token_of(id));
    co_await writes_.execute(kMoveLinks, whom.organization, whom.user, id, core::Bytes{core::bytes(digest)},
                             std::int64_t{kInviteLife.count()}, version);
}

awaitable<void> PasswordStore::make_reset(std::string name_digest) {
    auto const id = core::uuid_v7(core::now());
    auto const digest = core::sha256(token_of(id));
    co_await writes_.execute(kMakeReset, core::Bytes{name_digest}, id, core::Bytes{core::bytes(digest)},
                             std::int64_t{kResetLife.count()});
}

awaitable<std::optional<Link>> PasswordStore::find_link(LinkPurpose purpose, std::string token) {
    auto const digest = core::sha256(token);
    auto const rows = co_await writes_.execute(kFindLink, core::Bytes{core::bytes(digest)}, core::enum_name(purpose));
    if (rows.empty()) co_return std::nullopt;
    co_return Link{core::read<std::string>(rows[0][0]),
                   {core::read<core::Id>(rows[0][1]), core::read<core::Id>(rows[0][2])}};
}

awaitable<bool> PasswordStore::use_link(Link link, std::string hash, Origin origin) {
    co_return co_await writes_.transact([=](core::Connection& connection) {
        hold_addresses(connection);  // before the row, as an erasure does
        if (connection.execute(kUseLink, link.id).empty()) return false;
        replace_password(connection, link.whom, hash, 0, origin);
        return true;
    });
}

}  // namespace workforce::workers
