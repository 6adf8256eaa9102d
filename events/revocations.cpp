// Statements on auth.api_key_secret and auth.account_standing.
#include "events/revocations.hpp"

#include <algorithm>
#include <array>

namespace workforce::events {
namespace {

// Rows are locked in one order, so that processes that mark the same keys don't deadlock.
constexpr core::Statement kRevoke{"mark_revoked_keys", R"(
UPDATE auth.api_key_secret SET revoked_at = now() WHERE digest = ANY (ARRAY(
    SELECT digest FROM auth.api_key_secret WHERE key_id = ANY ($1::bigint[]) AND revoked_at IS NULL
    ORDER BY digest FOR UPDATE)))"};
constexpr core::Statement kRotate{"mark_rotated_secrets", R"(
WITH ending AS (
    SELECT s.digest, e.until FROM unnest($1::bigint[], $2::text[], $3::timestamptz[]) AS e(key_id, secret_id, until)
    JOIN auth.api_key_secret s ON s.key_id = e.key_id AND s.secret_id = e.secret_id AND s.valid_until IS NULL
    ORDER BY s.digest FOR UPDATE OF s
)
UPDATE auth.api_key_secret s SET valid_until = e.until FROM ending e WHERE s.digest = e.digest)"};
constexpr core::Statement kStand{"mark_accounts", R"(
INSERT INTO auth.account_standing AS s (organization_id, user_id, number, active)
SELECT DISTINCT ON (t.organization_id, t.user_id) t.organization_id, t.user_id, t.number, t.active
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[]) AS t(organization_id, user_id, number, active)
ORDER BY t.organization_id, t.user_id, t.number DESC
ON CONFLICT (organization_id, user_id) DO UPDATE SET number = excluded.number, active = excluded.active
WHERE s.number < excluded.number)"};

}  // namespace

std::optional<bool> activation_of(std::string_view type) {
    constexpr std::array kOff{OrganizationDeactivated::kType, UserDeactivated::kType, UserErased::kType};
    constexpr std::array kOn{OrganizationReactivated::kType, UserReactivated::kType};
    if (std::ranges::count(kOff, type) > 0) return false;
    if (std::ranges::count(kOn, type) > 0) return true;
    return std::nullopt;
}

void SecretEnds::add_account(core::Id organization, core::Id user, std::int64_t number, bool is_active) {
    organizations.push_back(organization);
    users.push_back(user);
    numbers.push_back(number);
    active.push_back(is_active);
}

void SecretEnds::add(Event const& event) {
    auto const key = event.meta.subject.id;
    if (is<ApiKeyRevoked>(event.data)) revoked.push_back(key);
    if (auto const* rotation = get_if<ApiKeyRotated>(event.data)) {
        rotated.push_back(key);
        secrets.push_back(rotation->previousSecretId);
        until.push_back(rotation->previousValidUntil);
    }
    if (auto const is_active = activation_of(event.meta.type)) {
        core::Id const user = event.meta.subject.kind == Kind::user ? event.meta.subject.id : 0;
        add_account(event.meta.organization, user, event.meta.seq, *is_active);
    }
}

void mark_ends(core::Connection& connection, SecretEnds const& ends) {
    connection.transaction([&] {
        // Sessions that fold do not wait for the disk, and the mark has to outlive what they lose in a crash.
        connection.execute_sql("SET LOCAL synchronous_commit TO on");
        if (!ends.revoked.empty()) connection.execute(kRevoke, ends.revoked);
        if (!ends.rotated.empty()) connection.execute(kRotate, ends.rotated, ends.secrets, ends.until);
        if (!ends.organizations.empty()) {
            connection.execute(kStand, ends.organizations, ends.users, ends.numbers, ends.active);
        }
    });
}

}  // namespace workforce::events
