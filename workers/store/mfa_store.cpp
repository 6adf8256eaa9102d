// Statements on auth.mfa and auth.mfa_recovery; codes by OpenSSL.
#include "workers/store/mfa_store.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/ascii.hpp"
#include "core/crypto.hpp"
#include "workers/store/erasures.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;

constexpr std::size_t kFactorBytes = 20;  // RFC 4226 4
constexpr std::int64_t kStepMs = 30'000;
constexpr std::size_t kDigits = 6;
constexpr std::size_t kRecoveryLength = 12;

constexpr core::Statement kFind{"mfa_find", R"(
SELECT sealed, confirmed, last_step, (extract(epoch FROM now()) * 1000)::bigint AS now
FROM auth.mfa WHERE organization_id = $1 AND user_id = $2)"};
// Of two that bring the same code one finds it unused.
constexpr core::Statement kUseStep{"mfa_use_step", R"(
UPDATE auth.mfa SET last_step = $3 WHERE organization_id = $1 AND user_id = $2 AND last_step < $3 RETURNING 1)"};
constexpr core::Statement kUseRecovery{
    "mfa_use_recovery",
    "DELETE FROM auth.mfa_recovery WHERE organization_id = $1 AND user_id = $2 AND digest = $3 RETURNING 1"};
// Of a user whose key was destroyed nothing is kept.
constexpr core::Statement kEnrol{"mfa_enrol", R"(
INSERT INTO auth.mfa AS m (organization_id, user_id, sealed) SELECT $1::bigint, $2::bigint, $3::bytea
WHERE NOT EXISTS (SELECT FROM vault.person_key p WHERE p.person = 'user/' || $2::bigint AND p.destroyed_at IS NOT NULL)
ON CONFLICT (organization_id, user_id) DO UPDATE SET sealed = excluded.sealed, last_step = 0 WHERE NOT m.confirmed
RETURNING 1)"};
constexpr core::Statement kConfirm{"mfa_confirm", R"(
WITH confirmed AS (
    UPDATE auth.mfa SET confirmed = true, last_step = $3
    WHERE organization_id = $1 AND user_id = $2 AND NOT confirmed AND last_step < $3 RETURNING *
), codes AS (
    INSERT INTO auth.mfa_recovery (organization_id, user_id, digest)
    SELECT c.organization_id, c.user_id, d FROM confirmed c, unnest($4::bytea[]) AS d
), origin AS (
    INSERT INTO auth.request_origin (organization_id, request_id, user_id, address, agent, at)
    SELECT organization_id, $5, user_id, $6, $7, now() FROM confirmed ON CONFLICT DO NOTHING
)
INSERT INTO auth.sign_in_record (organization_id, user_id, operation, request_id)
SELECT organization_id, user_id, 'users.record_mfa_enabled', $5 FROM confirmed RETURNING 1)"};
constexpr core::Statement kRemove{"mfa_remove", R"(
WITH codes AS (
    DELETE FROM auth.mfa_recovery WHERE organization_id = $1 AND user_id = $2
), removed AS (
    DELETE FROM auth.mfa WHERE organization_id = $1 AND user_id = $2 RETURNING *
), origin AS (
    INSERT INTO auth.request_origin (organization_id, request_id, user_id, address, agent, at)
    SELECT organization_id, $3, user_id, $4, $5, now() FROM removed WHERE confirmed AND NOT $6::boolean ON CONFLICT DO NOTHING
)
INSERT INTO auth.sign_in_record (organization_id, user_id, operation, request_id)
SELECT organization_id, user_id, 'users.record_mfa_disabled', $3 FROM removed WHERE confirmed AND NOT $6::boolean)"};

/// A code without the blanks and dashes that people type.
std::string plain_code(std::string_view code) {
    std::string plain;
    for (char const c : core::ascii_lower(code)) {
        if (c != ' ' && c != '-') plain += c;
    }
    return plain;
}

std::string digest_of_recovery(std::string_view plain) { return std::string(core::bytes(core::sha256(plain))); }

std::string aad_of(AccountRef whom) { return fmt::format("mfa {} {}", whom.organization, whom.user); }

/// The step whose code that is, of those around now that were not used; 0: none.
std::int64_t step_of(std::string_view secret, std::string_view code, std::int64_t now_ms, std::int64_t used) {
    auto const now = now_ms / kStepMs;
    for (auto const step : {now - 1, now, now + 1}) {
        if (step > used && core::constant_time_equal(totp_code(secret, step), code)) return step;
    }
    return 0;
}

SecondFactor judge_code(core::Connection& connection, std::string const& key, AccountRef whom,
                        std::optional<std::string> const& given) {
    auto const rows = connection.execute(kFind, whom.organization, whom.user);
    if (rows.empty() || !core::read<bool>(rows[0]["confirmed"])) return SecondFactor::none;
    if (!given || given->empty()) return SecondFactor::lacking;
    auto const code = plain_code(*given);
    if (code.size() != kDigits) {
        bool const known =
            !connection.execute(kUseRecovery, whom.organization, whom.user, core::Bytes{digest_of_recovery(code)})
                 .empty();
        return known ? SecondFactor::right : SecondFactor::wrong;
    }
    auto const secret = core::aes_gcm_open(key, core::read_bytes(rows[0]["sealed"]), aad_of(whom));
    if (!secret) throw std::runtime_error("a second factor does not open");
    auto const step = step_of(*secret, code, core::read<std::int64_t>(rows[0]["now"]),
                              core::read<std::int64_t>(rows[0]["last_step"]));
    bool const used = step > 0 && !connection.execute(kUseStep, whom.organization, whom.user, step).empty();
    return used ? SecondFactor::right : SecondFactor::wrong;
}

std::string recovery_code() { return core::ascii_lower(core::random_base62(kRecoveryLength)); }

std::string shown_recovery(std::string_view code) {
    return fmt::format("{}-{}-{}", code.substr(0, 4), code.substr(4, 4), code.substr(8));
}

}  // namespace

std::string totp_code(std::string_view secret, std::int64_t step) {
    std::array<unsigned char, 8> counter{};
    for (std::size_t i = 0; i < counter.size(); ++i) {
        counter[counter.size() - 1 - i] = static_cast<unsigned char>((step >> (8 * i)) & 0xFF);
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (HMAC(EVP_sha1(), secret.data(), static_cast<int>(secret.size()), counter.data(), counter.size(), digest.data(),
             &size) == nullptr) {
        throw std::runtime_error("a one-time code could not be made");
    }
    std::size_t const at = digest.at(size - 1) & 0x0FU;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = (number << 8U) | digest.at(at + i);
    return fmt::format("{:06}", (number & 0x7FFF'FFFFU) % 1'000'000U);
}

std::string base32_encode(std::string_view data) {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string text;
    std::uint32_t bits = 0;
    int count = 0;
    for (unsigned char const byte : data) {
        bits = (bits << 8U) | byte;
        for (count += 8; count >= 5; count -= 5) text += kAlphabet[(bits >> static_cast<unsigned>(count - 5)) & 31U];
    }
    if (count > 0) text += kAlphabet[(bits << static_cast<unsigned>(5 - count)) & 31U];
    return text;
}

MfaStore::MfaStore(core::Database& writes, std::string_view secret)
    : writes_(writes), key_(core::bytes(core::hmac_sha256(secret, "second factors"))) {}

awaitable<SecondFactor> MfaStore::check(AccountRef whom, std::optional<std::string> code) {
    co_return co_await writes_.transact(
        [=, key = key_](core::Connection& connection) { return judge_code(connection, key, whom, code); });
}

awaitable<std::optional<std::string>> MfaStore::enrol(AccountRef whom) {
    auto const secret = core::random_bytes(kFactorBytes);
    auto const sealed = core::aes_gcm_seal(key_, secret, aad_of(whom));
    auto const made = co_await writes_.execute(kEnrol, whom.organization, whom.user, core::Bytes{sealed});
    co_return made.empty() ? std::nullopt : std::optional(base32_encode(secret));
}

awaitable<std::optional<std::vector<std::string>>> MfaStore::confirm(AccountRef whom, std::string code, Origin origin) {
    using Codes = std::optional<std::vector<std::string>>;
    co_return co_await writes_.run([=, key = key_](core::Connection& connection) -> Codes {
        auto const rows = connection.execute(kFind, whom.organization, whom.user);
        if (rows.empty() || core::read<bool>(rows[0]["confirmed"])) return std::nullopt;
        auto const secret = core::aes_gcm_open(key, core::read_bytes(rows[0]["sealed"]), aad_of(whom));
        if (!secret) throw std::runtime_error("a second factor does not open");
        auto const step = step_of(*secret, plain_code(code), core::read<std::int64_t>(rows[0]["now"]), 0);
        if (step == 0) return std::nullopt;
        std::vector<std::string> shown;
        std::vector<core::Blob> digests;
        for (int i = 0; i < kRecoveryCodes; ++i) {
            auto const made = recovery_code();
            shown.push_back(shown_recovery(made));
            digests.push_back({digest_of_recovery(made)});
        }
        return connection.transaction([&]() -> Codes {
            hold_addresses(connection);
            bool const done = !connection
                                   .execute(kConfirm, whom.organization, whom.user, step, digests, origin.request_id,
                                            origin.address, origin.agent)
                                   .empty();
            return done ? Codes(std::move(shown)) : std::nullopt;
        });
    });
}

awaitable<void> MfaStore::remove(AccountRef whom, Origin origin, bool silently) {
    co_await writes_.transact([=](core::Connection& connection) {
        hold_addresses(connection);
        connection.execute(kRemove, whom.organization, whom.user, origin.request_id, origin.address, origin.agent,
                           silently);
    });
}

}  // namespace workforce::workers
