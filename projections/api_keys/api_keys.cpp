// The declaration of read.api_key.
#include "projections/api_keys/api_keys.hpp"

#include <algorithm>

namespace workforce::projections {
namespace {

using events::ApiKeyStatus;

/// When time itself changes something next: a rotated secret ends, or the key.
core::Nullable<core::Timestamp> ends_at(events::ApiKey const& key) {
    core::Nullable<core::Timestamp> next;
    auto const consider = [&](core::Nullable<core::Timestamp> const& end) {
        if (end.value && (!next.value || *end.value < *next.value)) next = end;
    };
    if (key.status == ApiKeyStatus::revoked) return next;
    if (key.status != ApiKeyStatus::expired) consider(key.expiresAt);
    for (auto const& secret : key.secrets) consider(secret.validUntil);
    return next;
}

/// Of ApiKeyUse.
constexpr std::string_view kUse = R"(COALESCE(
        (SELECT '{"lastUsedAt":"' || to_char(u.used_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
             || '","lastUsedIp":' || coalesce(to_json(u.address)::text, 'null') || '}'
         FROM auth.api_key_use u WHERE u.organization_id = t.organization_id AND u.key_id = t.id),
        '{"lastUsedAt":null,"lastUsedIp":null}'))";

constexpr core::Statement kFindUse{
    "find_api_key_use", "SELECT used_at, address FROM auth.api_key_use WHERE organization_id = $1 AND key_id = $2"};

}  // namespace

boost::asio::awaitable<events::ApiKeyUse> find_api_key_use(core::Database& database, Scope const& scope, Id id) {
    auto find = [organization = scope.organization, id](core::Connection& connection) {
        events::ApiKeyUse use;
        auto const rows = connection.execute(kFindUse, organization, id);
        if (rows.empty()) return use;
        use.lastUsedAt.value = core::read<std::optional<core::Timestamp>>(rows[0][0]);
        use.lastUsedIp.value = core::read<std::optional<std::string>>(rows[0][1]);
        return use;
    };
    co_return co_await database.run(std::move(find), tenant(scope));
}

ApiKeyRows const& api_keys() {
    static ApiKeyRows const model =
        ApiKeyRows::declare("api_key")
            .revision(3)
            .called("API key")
            .beside(kUse)
            .seen_at("t.facility_id = ANY ($facilities)")
            .column("facility_id", [](auto const& key) { return key.facilityId; })
            .column("type", [](auto const& key) { return key.type; })
            .column("status", [](auto const& key) { return key.status; })
            .column("user_id", [](auto const& key) { return key.userId; })
            .column("ends_at", [](auto const& key) { return ends_at(key); })
            .column("name_key", [](auto const& key) { return core::fold_case(key.name.value); })
            .filter<&ApiKeyFilter::type>("t.type = ANY ($type)")
            .filter<&ApiKeyFilter::status>("t.status = ANY ($status)")
            .filter<&ApiKeyFilter::userId>("t.user_id = $userId")
            .search([](auto const& key) { return search_text(key.name.value); })
            .stamped()
            .sort("createdAt", "created_at")
            .sort("name", "name_key");
    return model;
}

}  // namespace workforce::projections
