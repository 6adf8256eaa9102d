// Statements on auth.oauth_device.
#include "workers/store/device_store.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/crypto.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;

constexpr std::size_t kUserCodeLength = 8;
constexpr std::string_view kLetters = "BCDFGHJKLMNPQRSTVWXZ";

// Devices of one address come in one after the other: the second of two that count at once finds the first.
constexpr core::Statement kLockSource{"oauth_device_lock",
                                      "SELECT pg_advisory_xact_lock(hashtextextended('oauth_device', $1::bigint))"};
constexpr core::Statement kAddDevice{"oauth_device_add", R"(
WITH waiting AS (
    SELECT count(*) < $9::int AS fits FROM auth.oauth_device
    WHERE source = $8::bigint AND ends_at > now() AND NOT denied AND user_id IS NULL
), kept AS (
    INSERT INTO auth.oauth_device (digest, user_digest, client_id, scope, resource, address, ends_at, source)
    SELECT $1::bytea, $2::bytea, $3::text, $4::text, $5::text, $6::text, now() + $7::bigint * interval '1 second', $8::bigint
    FROM waiting WHERE fits ON CONFLICT DO NOTHING RETURNING 1
)
SELECT fits, EXISTS (SELECT FROM kept) FROM waiting)"};
constexpr core::Statement kGuessesLeft{"oauth_device_guesses", R"(
SELECT FROM auth.oauth_guess WHERE user_id = $1 AND guesses >= $2::int AND began_at > now() - $3::bigint * interval '1 minute')"};
constexpr core::Statement kFindWaiting{"oauth_device_find", R"(
SELECT client_id, scope, address, created_at FROM auth.oauth_device
WHERE user_digest = $1 AND ends_at > now() AND NOT denied AND user_id IS NULL)"};
constexpr core::Statement kGuess{"oauth_device_guess", R"(
INSERT INTO auth.oauth_guess AS g (user_id, guesses) VALUES ($1, 1)
ON CONFLICT (user_id) DO UPDATE SET
    guesses = CASE WHEN g.began_at > now() - $2::bigint * interval '1 minute' THEN g.guesses + 1 ELSE 1 END,
    began_at = CASE WHEN g.began_at > now() - $2::bigint * interval '1 minute' THEN g.began_at ELSE now() END)"};
// The session's row is locked, so that whoever ends it waits, and then finds what it let.
constexpr core::Statement kSettleDevice{"oauth_device_settle", R"(
WITH opened AS (
    SELECT FROM auth.session s WHERE s.id = $6 AND s.organization_id = $3 AND s.user_id = $4 AND s.ends_at > now() FOR SHARE
), settled AS (
    UPDATE auth.oauth_device SET denied = $2::bigint = 0, grant_id = nullif($2::bigint, 0),
        organization_id = CASE WHEN $2::bigint <> 0 THEN $3::bigint END, user_id = CASE WHEN $2::bigint <> 0 THEN $4::bigint END,
        scope = CASE WHEN $2::bigint = 0 THEN scope ELSE $5 END
    WHERE user_digest = $1 AND ends_at > now() AND NOT denied AND user_id IS NULL AND EXISTS (SELECT FROM opened) RETURNING 1
)
SELECT EXISTS (SELECT FROM opened), EXISTS (SELECT FROM settled))"};
constexpr core::Statement kFindPolled{"oauth_device_polled", R"(
SELECT d.client_id, d.scope, d.resource, d.organization_id, d.user_id, d.grant_id, d.chain_id, d.denied,
    d.ends_at <= now() AS over, d.polled_at > now() - d.pause * interval '1 second' AS early,
    EXISTS (SELECT FROM auth.account_standing a
            WHERE a.organization_id = d.organization_id AND a.user_id IN (0, d.user_id) AND NOT a.active) AS inactive
FROM auth.oauth_device d WHERE d.digest = $1 FOR UPDATE)"};
constexpr core::Statement kNotePoll{"oauth_device_poll", R"(
UPDATE auth.oauth_device SET polled_at = now(), pause = pause + $2::int WHERE digest = $1)"};
constexpr core::Statement kBeginFetched{"oauth_device_begin", R"(
WITH chain AS (
    INSERT INTO auth.oauth_chain (organization_id, user_id, grant_id, client_id, scope, resource, ends_at)
    SELECT organization_id, user_id, grant_id, client_id, scope, resource, now() + $3::bigint * interval '1 hour'
    FROM auth.oauth_device WHERE digest = $1
    RETURNING id
), fetched AS (
    UPDATE auth.oauth_device SET chain_id = (SELECT id FROM chain) WHERE digest = $1
), token AS (
    INSERT INTO auth.oauth_refresh (digest, chain_id) SELECT $2, id FROM chain
)
SELECT id, now() FROM chain)"};
constexpr core::Statement kCutChain{"oauth_device_cut", R"(
UPDATE auth.oauth_chain SET ended_at = coalesce(ended_at, now()), cut_at = now() WHERE id = $1 AND cut_at IS NULL)"};

std::string digest_of_secret(std::string_view secret) { return std::string(core::bytes(core::sha256(secret))); }

/// What a device gets that a user has approved.
Poll fetch(core::Connection& connection, std::string const& digest, pqxx::row const& row) {
    Consent consent{core::read<core::Id>(row["organization_id"]), core::read<core::Id>(row["user_id"]),
                    core::read<core::Id>(row["grant_id"]),        core::read<std::string>(row["client_id"]),
                    core::read<std::string>(row["scope"]),        core::read<std::string>(row["resource"])};
    if (auto const chain = core::read<std::optional<core::Id>>(row["chain_id"])) {
        connection.execute(kCutChain, *chain);
        return {.result = Polled::replayed, .replayed = std::move(consent), .chain = *chain};
    }
    auto token = core::random_base62(kRefreshTokenLength);
    auto const begun = connection.execute(kBeginFetched, core::Bytes{digest}, core::Bytes{digest_of_secret(token)},
                                          std::int64_t{kRefreshLife.count()});
    return {.result = Polled::issued,
            .issued = IssuedChain{core::read<core::Id>(begun.at(0)[0]), std::move(consent),
                                  core::read<core::Timestamp>(begun.at(0)[1]), std::move(token)}};
}

Poll poll_in(core::Connection& connection, std::string const& device_code, std::string const& client_id) {
    auto const digest = digest_of_secret(device_code);
    auto const rows = connection.execute(kFindPolled, core::Bytes{digest});
    if (rows.empty()) return {};
    auto const row = rows[0];
    if (core::read<std::string>(row["client_id"]) != client_id) return {.result = Polled::mismatch};
    if (core::read<bool>(row["denied"])) return {.result = Polled::denied};
    bool const approved = !row["user_id"].is_null();
    if (approved && !row["chain_id"].is_null()) return fetch(connection, digest, row);
    if (core::read<bool>(row["over"])) return {.result = Polled::expired};
    if (approved) return core::read<bool>(row["inactive"]) ? Poll{} : fetch(connection, digest, row);
    bool const early = core::read<std::optional<bool>>(row["early"]).value_or(false);
    connection.execute(kNotePoll, core::Bytes{digest}, early ? kPollPause : 0);
    return {.result = early ? Polled::too_early : Polled::pending};
}

}  // namespace

awaitable<Kept> DeviceStore::add(NewDevice device) {
    co_return co_await writes_.run([device = std::move(device)](core::Connection& connection) {
        auto const source = static_cast<std::int64_t>(device.source);
        return connection.transaction([&] {  // which holds the lock
            connection.execute(kLockSource, source);
            auto const row = connection.execute(kAddDevice, core::Bytes{digest_of_secret(device.device_code)},
                                                core::Bytes{digest_of_secret(device.user_code)}, device.client_id,
                                                device.scope, device.resource, device.address,
                                                std::int64_t{kDeviceLife.count()}, source, kMostWaiting)[0];
            if (!core::read<bool>(row[0])) return Kept::too_many;
            return core::read<bool>(row[1]) ? Kept::kept : Kept::code_taken;
        });
    });
}

awaitable<std::optional<WaitingDevice>> DeviceStore::find(std::string user_code, core::Id user) {
    co_return co_await writes_.run([=](core::Connection& connection) -> std::optional<WaitingDevice> {
        std::int64_t const window = kGuessWindow.count();
        if (!connection.execute(kGuessesLeft, user, kMostGuesses, window).empty()) return std::nullopt;
        auto const rows = connection.execute(kFindWaiting, core::Bytes{digest_of_secret(user_code)});
        if (rows.empty()) {
            connection.execute(kGuess, user, window);
            return std::nullopt;
        }
        return WaitingDevice{core::read<std::string>(rows[0]["client_id"]), core::read<std::string>(rows[0]["scope"]),
                             core::read<std::string>(rows[0]["address"]),
                             core::read<core::Timestamp>(rows[0]["created_at"])};
    });
}

awaitable<Settled> DeviceStore::settle(std::string user_code, Consent consent, core::Id session) {
    co_return co_await writes_.run([=](core::Connection& connection) {
        auto const row = connection.execute(kSettleDevice, core::Bytes{digest_of_secret(user_code)}, consent.grant,
                                            consent.organization, consent.user, consent.scope, session)[0];
        if (!core::read<bool>(row[0])) return Settled::session_ended;
        return core::read<bool>(row[1]) ? Settled::settled : Settled::waits_no_more;
    });
}

awaitable<Poll> DeviceStore::poll(std::string device_code, std::string client_id) {
    co_return co_await writes_.transact(
        [=](core::Connection& connection) { return poll_in(connection, device_code, client_id); });
}

std::string make_user_code() {
    // Bytes past the last whole round of letters are left out, so that all codes are as likely.
    constexpr auto kRound = static_cast<unsigned char>(256 / kLetters.size() * kLetters.size());
    std::string code;
    while (code.size() < kUserCodeLength) {
        for (char const c : core::random_bytes(kUserCodeLength)) {
            auto const byte = static_cast<unsigned char>(c);
            if (byte < kRound && code.size() < kUserCodeLength) code += kLetters[byte % kLetters.size()];
        }
    }
    return code;
}

std::string plain_user_code(std::string_view typed) {
    std::string plain;
    for (char c : typed) {
        if (c == ' ' || c == '-' || c == '\t') continue;
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        if (kLetters.find(c) == std::string_view::npos || plain.size() == kUserCodeLength) return {};
        plain += c;
    }
    return plain.size() == kUserCodeLength ? plain : "";
}

std::string shown_user_code(std::string_view plain) {
    return std::string(plain.substr(0, 4)) + '-' + std::string(plain.substr(std::min<std::size_t>(4, plain.size())));
}

}  // namespace workforce::workers
