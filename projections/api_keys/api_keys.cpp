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

}  // namespace

ApiKeyRows const& api_keys() {
    static ApiKeyRows const model = ApiKeyRows::declare("api_key")
                                        .revision(2)
                                        .called("API key")
                                        .seen_at("t.facility_id = ANY ($facilities)")
                                        .column("facility_id", [](auto const& key) { return key.facilityId; })
                                        .column("type", [](auto const& key) { return key.type; })
                                        .column("status", [](auto const& key) { return key.status; })
                                        .column("user_id", [](auto const& key) { return key.userId; })
                                        .column("ends_at", [](auto const& key) { return ends_at(key); })
                                        .column("name_key", [](auto const& key) { return fold_case(key.name.value); })
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
