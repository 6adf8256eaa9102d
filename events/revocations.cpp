// One statement on auth.api_key_secret.
#include "events/revocations.hpp"

namespace workforce::events {
namespace {

// Rows are locked in one order, so that processes that mark the same keys don't deadlock.
constexpr core::Statement kMark{"mark_revoked_keys", R"(
UPDATE auth.api_key_secret SET revoked_at = now() WHERE digest = ANY (ARRAY(
    SELECT digest FROM auth.api_key_secret WHERE key_id = ANY ($1::bigint[]) AND revoked_at IS NULL
    ORDER BY digest FOR UPDATE)))"};

}  // namespace

void add_revoked_key(Event const& event, std::vector<core::Id>& keys) {
    if (is<ApiKeyRevoked>(event.data)) keys.push_back(event.meta.subject.id);
}

void mark_revoked(core::Connection& connection, std::vector<core::Id> const& keys) {
    connection.transaction([&] {
        // Sessions that fold do not wait for the disk, and the mark has to outlive what they lose in a crash.
        connection.execute_sql("SET LOCAL synchronous_commit TO on");
        connection.execute(kMark, keys);
    });
}

}  // namespace workforce::events
