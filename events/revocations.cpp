// Statements on auth.api_key_secret, auth.account_standing, auth.account_right, auth.link and what OAuth grants opened.
#include "events/revocations.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "events/api_key.hpp"
#include "events/oauth_client.hpp"
#include "events/oauth_grant.hpp"
#include "events/organization.hpp"

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
// Marks the accounts and returns those that end: by what was marked before this statement, so that an end among several
// new ones counts and an old one that is folded again does not. Who marks the same account waits for the rows' locks.
constexpr core::Statement kStand{"mark_accounts", R"(
WITH told AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::boolean[]) AS t(organization_id, user_id, number, active)
), marked AS (
    INSERT INTO auth.account_standing AS s (organization_id, user_id, number, active)
    SELECT DISTINCT ON (t.organization_id, t.user_id) t.organization_id, t.user_id, t.number, t.active FROM told t
    ORDER BY t.organization_id, t.user_id, t.number DESC
    ON CONFLICT (organization_id, user_id) DO UPDATE SET number = excluded.number, active = excluded.active
    WHERE s.number < excluded.number
)
SELECT DISTINCT t.organization_id, t.user_id FROM told t
WHERE NOT t.active AND t.number > coalesce(
    (SELECT a.number FROM auth.account_standing a WHERE a.organization_id = t.organization_id AND a.user_id = t.user_id), 0))"};
constexpr core::Statement kRights{"mark_account_rights", R"(
INSERT INTO auth.account_right AS r (organization_id, user_id, name, number, value)
SELECT DISTINCT ON (t.organization_id, t.user_id, t.name) t.organization_id, t.user_id, t.name, t.number, t.value
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[])
    AS t(organization_id, user_id, name, number, value)
ORDER BY t.organization_id, t.user_id, t.name, t.number DESC
ON CONFLICT (organization_id, user_id, name) DO UPDATE SET number = excluded.number, value = excluded.value
WHERE r.number < excluded.number)"};

// A link that was asked for by a name says no version: it went to the address of its time. Events' times have
// milliseconds: one of the same millisecond counts as older.
constexpr core::Statement kMoveUsers{"mark_moved_users", R"(
UPDATE auth.link SET moved_at = now() WHERE id = ANY (ARRAY(
    SELECT l.id FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[]) AS t(organization_id, user_id, number, at)
    JOIN auth.link l ON l.organization_id = t.organization_id AND l.user_id = t.user_id AND l.moved_at IS NULL
        AND l.user_version < t.number AND (l.user_version > 0 OR date_trunc('milliseconds', l.created_at) <= t.at)
    ORDER BY l.id FOR UPDATE OF l)))"};

// Codes first: one that is being used is waited for, and then its chain is seen.
constexpr core::Statement kEndCodes{"mark_revoked_grants_codes", R"(
DELETE FROM auth.oauth_code WHERE digest = ANY (ARRAY(
    SELECT digest FROM auth.oauth_code WHERE grant_id = ANY ($1::bigint[]) ORDER BY digest FOR UPDATE)))"};
constexpr core::Statement kEndDevices{"mark_revoked_grants_devices", R"(
DELETE FROM auth.oauth_device WHERE digest = ANY (ARRAY(
    SELECT digest FROM auth.oauth_device WHERE grant_id = ANY ($1::bigint[]) ORDER BY digest FOR UPDATE)))"};
constexpr core::Statement kEndChains{"mark_revoked_grants", R"(
UPDATE auth.oauth_chain SET ended_at = coalesce(ended_at, now()), cut_at = now() WHERE id = ANY (ARRAY(
    SELECT id FROM auth.oauth_chain WHERE grant_id = ANY ($1::bigint[]) AND cut_at IS NULL ORDER BY id FOR UPDATE)))"};

// The row that names a client goes only after these: what is folded again finds none, and nothing that is open.
constexpr core::Statement kEndClientCodes{"mark_removed_clients_codes", R"(
DELETE FROM auth.oauth_code WHERE digest = ANY (ARRAY(
    SELECT c.digest FROM auth.oauth_client k JOIN auth.oauth_code c USING (client_id)
    WHERE k.id = ANY ($1::bigint[]) ORDER BY c.digest FOR UPDATE OF c)))"};
constexpr core::Statement kEndClientDevices{"mark_removed_clients_devices", R"(
DELETE FROM auth.oauth_device WHERE digest = ANY (ARRAY(
    SELECT d.digest FROM auth.oauth_client k JOIN auth.oauth_device d USING (client_id)
    WHERE k.id = ANY ($1::bigint[]) ORDER BY d.digest FOR UPDATE OF d)))"};
constexpr core::Statement kEndClientChains{"mark_removed_clients", R"(
UPDATE auth.oauth_chain SET ended_at = coalesce(ended_at, now()), cut_at = now() WHERE id = ANY (ARRAY(
    SELECT c.id FROM auth.oauth_client k JOIN auth.oauth_chain c USING (client_id)
    WHERE k.id = ANY ($1::bigint[]) AND c.cut_at IS NULL ORDER BY c.id FOR UPDATE OF c)))"};

// What an account that ends had open stays ended when it comes back. Sessions first: what is being opened by one is
// waited for, and then seen; then codes, as above. Each is given the accounts: organizations and users, or 0 for all.
constexpr core::Statement kEndAccountSessions{"mark_accounts_sessions", R"(
DELETE FROM auth.session s USING unnest($1::bigint[], $2::bigint[]) AS e(organization_id, user_id)
WHERE s.organization_id = e.organization_id AND e.user_id IN (0, s.user_id))"};
constexpr core::Statement kEndAccountCodes{"mark_accounts_codes", R"(
DELETE FROM auth.oauth_code WHERE digest = ANY (ARRAY(
    SELECT c.digest FROM auth.oauth_code c WHERE EXISTS (
        SELECT FROM unnest($1::bigint[], $2::bigint[]) AS e(organization_id, user_id)
        WHERE e.organization_id = c.organization_id AND e.user_id IN (0, c.user_id))
    ORDER BY c.digest FOR UPDATE OF c)))"};
constexpr core::Statement kEndAccountDevices{"mark_accounts_devices", R"(
DELETE FROM auth.oauth_device WHERE digest = ANY (ARRAY(
    SELECT d.digest FROM auth.oauth_device d WHERE EXISTS (
        SELECT FROM unnest($1::bigint[], $2::bigint[]) AS e(organization_id, user_id)
        WHERE e.organization_id = d.organization_id AND e.user_id IN (0, d.user_id))
    ORDER BY d.digest FOR UPDATE OF d)))"};
constexpr core::Statement kEndAccountChains{"mark_accounts_chains", R"(
UPDATE auth.oauth_chain SET ended_at = coalesce(ended_at, now()), cut_at = now() WHERE id = ANY (ARRAY(
    SELECT c.id FROM auth.oauth_chain c WHERE c.cut_at IS NULL AND EXISTS (
        SELECT FROM unnest($1::bigint[], $2::bigint[]) AS e(organization_id, user_id)
        WHERE e.organization_id = c.organization_id AND e.user_id IN (0, c.user_id))
    ORDER BY c.id FOR UPDATE OF c)))"};

void mark_accounts(core::Connection& connection, SecretEnds const& ends) {
    std::vector<core::Id> organizations, users;
    for (auto const& row : connection.execute(kStand, ends.organizations, ends.users, ends.numbers, ends.active)) {
        organizations.push_back(core::read<core::Id>(row[0]));
        users.push_back(core::read<core::Id>(row[1]));
    }
    if (users.empty()) return;
    for (auto const& statement : {kEndAccountSessions, kEndAccountCodes, kEndAccountDevices, kEndAccountChains}) {
        connection.execute(statement, organizations, users);
    }
}

template <class T>
void append(std::vector<T>& to, std::vector<T> const& from) {
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void RightChanges::add(core::Id organization, core::Id user, std::int64_t number, UserChanges const& changes) {
    auto const put = [&](std::string_view name, std::string value) {
        organizations.push_back(organization);
        users.push_back(user);
        names.emplace_back(name);
        numbers.push_back(number);
        values.push_back(std::move(value));
    };
    if (changes.role) put(kRoleRight, std::string(core::enum_name(*changes.role)));
    if (changes.facilityIds) put(kFacilitiesRight, core::array_literal(*changes.facilityIds));
    if (changes.staffId) {
        auto const& staff = changes.staffId->value;
        put(kStaffRight, staff ? std::to_string(*staff) : std::string());
    }
}

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

void SecretEnds::add(SecretEnds const& others) {
    append(revoked, others.revoked);
    append(rotated, others.rotated);
    append(secrets, others.secrets);
    append(until, others.until);
    append(organizations, others.organizations);
    append(users, others.users);
    append(numbers, others.numbers);
    append(active, others.active);
    append(rights.organizations, others.rights.organizations);
    append(rights.users, others.rights.users);
    append(rights.names, others.rights.names);
    append(rights.numbers, others.rights.numbers);
    append(rights.values, others.rights.values);
    append(moved_organizations, others.moved_organizations);
    append(moved_users, others.moved_users);
    append(moved_numbers, others.moved_numbers);
    append(moved_at, others.moved_at);
    append(grants, others.grants);
    append(clients, others.clients);
}

void SecretEnds::add(Event const& event) {
    auto const key = event.meta.subject.id;
    if (is<ApiKeyRevoked>(event.data)) revoked.push_back(key);
    if (is<OAuthGrantRevoked>(event.data)) grants.push_back(key);
    if (is<OAuthClientRemoved>(event.data)) clients.push_back(key);
    if (auto const* rotation = get_if<ApiKeyRotated>(event.data)) {
        rotated.push_back(key);
        secrets.push_back(rotation->previousSecretId);
        until.push_back(rotation->previousValidUntil);
    }
    if (auto const is_active = activation_of(event.meta.type)) {
        core::Id const user = event.meta.subject.kind == Kind::user ? event.meta.subject.id : 0;
        add_account(event.meta.organization, user, event.meta.seq, *is_active);
    }
    if (auto const* updated = get_if<UserUpdated>(event.data)) {
        rights.add(event.meta.organization, event.meta.subject.id, event.meta.seq, *updated);
        if (!updated->email) return;
        moved_organizations.push_back(event.meta.organization);
        moved_users.push_back(event.meta.subject.id);
        moved_numbers.push_back(event.meta.seq);
        moved_at.push_back(event.meta.time);
    }
}

void mark_ends(core::Connection& connection, SecretEnds const& ends) {
    connection.transaction([&] {
        // Sessions that fold do not wait for the disk, and the mark has to outlive what they lose in a crash.
        connection.execute_sql("SET LOCAL synchronous_commit TO on");
        if (!ends.revoked.empty()) connection.execute(kRevoke, ends.revoked);
        if (!ends.rotated.empty()) connection.execute(kRotate, ends.rotated, ends.secrets, ends.until);
        if (!ends.organizations.empty()) mark_accounts(connection, ends);
        auto const& rights = ends.rights;
        if (!rights.users.empty()) {
            connection.execute(kRights, rights.organizations, rights.users, rights.names, rights.numbers,
                               rights.values);
        }
        if (!ends.moved_users.empty()) {
            connection.execute(kMoveUsers, ends.moved_organizations, ends.moved_users, ends.moved_numbers,
                               ends.moved_at);
        }
        if (!ends.grants.empty()) {
            connection.execute(kEndCodes, ends.grants);
            connection.execute(kEndDevices, ends.grants);
            connection.execute(kEndChains, ends.grants);
        }
        if (!ends.clients.empty()) {
            connection.execute(kEndClientCodes, ends.clients);
            connection.execute(kEndClientDevices, ends.clients);
            connection.execute(kEndClientChains, ends.clients);
        }
    });
}

}  // namespace workforce::events
