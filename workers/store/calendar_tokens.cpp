// Statements on auth.calendar_token.
#include "workers/store/calendar_tokens.hpp"

#include "core/crypto.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;

constexpr std::size_t kTokenLength = 32;  // of 62 letters each: 190 bits

// Nothing is kept of a person whose key was destroyed.
constexpr core::Statement kMake{"calendar_token_make", R"(
INSERT INTO auth.calendar_token (organization_id, is_sandbox, staff_id, digest, facility_ids)
SELECT $1::bigint, $2::boolean, $3::bigint, $4::bytea, $5::bigint[]
WHERE NOT EXISTS (SELECT FROM vault.person_key p WHERE p.person = 'staff/' || $3::bigint AND p.destroyed_at IS NOT NULL)
ON CONFLICT (staff_id, organization_id, is_sandbox) DO UPDATE
    SET digest = excluded.digest, facility_ids = excluded.facility_ids, created_at = now()
RETURNING 1)"};
constexpr core::Statement kRemove{
    "calendar_token_remove",
    "DELETE FROM auth.calendar_token WHERE organization_id = $1 AND is_sandbox = $2 AND staff_id = $3"};
constexpr core::Statement kFind{
    "calendar_token_find",
    "SELECT organization_id, is_sandbox, staff_id, facility_ids FROM auth.calendar_token WHERE digest = $1"};

std::string digest_of(std::string_view token) { return std::string(core::bytes(core::sha256(token))); }

}  // namespace

awaitable<std::optional<std::string>> CalendarTokens::make(CalendarOwner owner) {
    auto token = core::random_base62(kTokenLength);
    auto const digest = digest_of(token);
    auto const made = co_await writes_.execute(kMake, owner.organization, owner.sandbox, owner.staff,
                                               core::Bytes{digest}, owner.facilities);
    co_return made.empty() ? std::nullopt : std::optional(std::move(token));
}

awaitable<void> CalendarTokens::remove(CalendarOwner owner) {
    co_await writes_.execute(kRemove, owner.organization, owner.sandbox, owner.staff);
}

awaitable<std::optional<CalendarOwner>> CalendarTokens::find(std::string token) {
    auto const digest = digest_of(token);
    auto const rows = co_await writes_.execute(kFind, core::Bytes{digest});
    if (rows.empty()) co_return std::nullopt;
    auto const& row = rows[0];
    co_return CalendarOwner{core::read<core::Id>(row["organization_id"]), core::read<bool>(row["is_sandbox"]),
                            core::read<core::Id>(row["staff_id"]),
                            core::read<std::vector<core::Id>>(row["facility_ids"])};
}

}  // namespace workforce::workers
