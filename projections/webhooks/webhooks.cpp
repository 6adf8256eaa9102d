// The declaration of read.webhook, and pages of deliveries.
#include "projections/webhooks/webhooks.hpp"

#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

/// Of WebhookState: a rotation until it has taken over.
constexpr std::string_view kState = R"((
        '{"secretRotation":' || CASE
            WHEN t.internals::json ->> 'nextSecret' <> '' AND (t.internals::json ->> 'activatesAt')::timestamptz > now()
            THEN '{"nextActivatesAt":"' || (t.internals::json ->> 'activatesAt') || '"}' ELSE 'null' END || ','
        || COALESCE((SELECT '"consecutiveFailures":' || q.consecutive_failures || ',"lastDeliveryAt":'
                         || coalesce(to_json(to_char(q.last_delivery_at AT TIME ZONE 'UTC',
                                                     'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, 'null')
                     FROM reactor.webhook_queue q
                     WHERE q.organization_id = t.organization_id AND q.webhook_id = t.id),
                    '"consecutiveFailures":0,"lastDeliveryAt":null') || '}'))";

constexpr core::Statement kNewest{"webhook_newest_deliveries", sql::webhooks_newest_deliveries};
constexpr core::Statement kNewestAttempts{"webhook_newest_attempts", sql::webhooks_newest_attempts};
constexpr core::Statement kFindAttempt{"webhook_find_attempt", sql::webhooks_find_attempt};

template <class T>
core::Nullable<T> nullable(pqxx::field const& field) {
    core::Nullable<T> value;
    value.value = core::read<std::optional<T>>(field);
    return value;
}

WebhookDelivery delivery_of(pqxx::row const& row) {
    return {.id = core::read<Id>(row["id"]),
            .webhookId = core::read<Id>(row["webhook_id"]),
            .eventId = core::read<std::string>(row["event_id"]),
            .eventType = core::read<std::string>(row["event_type"]),
            .attempt = core::read<std::int32_t>(row["attempt"]),
            .trigger = core::read<std::string>(row["trigger"]),
            .status = core::read<std::string>(row["status"]),
            .statusCode = nullable<std::int32_t>(row["status_code"]),
            .responseBody = core::read<std::string>(row["response_body"]),
            .responseTruncated = core::read<bool>(row["response_truncated"]),
            .error = nullable<std::string>(row["error"]),
            .durationMs = nullable<std::int32_t>(row["duration_ms"]),
            .nextRetryAt = nullable<core::Timestamp>(row["next_retry_at"]),
            .attemptedAt = nullable<core::Timestamp>(row["attempted_at"]),
            .createdAt = core::read<core::Timestamp>(row["created_at"])};
}

}  // namespace

WebhookRows const& webhooks() {
    static WebhookRows const model =
        WebhookRows::declare("webhook")
            .revision(2)
            .called("webhook subscription")
            .beside(kState)
            .seen_at("t.facility_id = ANY ($facilities)")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& hook) { return hook.facilityId; })
            .column("deleted", [](auto const& hook) { return hook.deleted; })
            .column("is_active", [](auto const& hook) { return hook.isActive; })
            .column("owner", [](auto const& hook) { return owner_of(hook.createdBy); })
            .column("name_key", [](auto const& hook) { return core::fold_case(hook.name.value); })
            .json("internals", [](auto const& hook) -> auto const& { return hook.internals; })
            .filter<&OwnedWebhookFilter::isActive>("t.is_active = $isActive")
            .filter<&OwnedWebhookFilter::owner>("t.owner = $owner")
            .search([](auto const& hook) { return search_text(hook.name.value, hook.url.value); })
            .stamped()
            .sort("createdAt", "created_at")
            .sort("name", "name_key");
    return model;
}

boost::asio::awaitable<std::vector<WebhookDelivery>> newest_deliveries(core::Database& database, Scope scope,
                                                                       Id webhook, std::optional<Id> before, int most) {
    auto read = [webhook, before, most](core::Connection& connection) {
        std::vector<WebhookDelivery> all;
        for (auto const& row : connection.execute(kNewest, webhook, before, most)) all.push_back(delivery_of(row));
        return all;
    };
    co_return co_await database.run(std::move(read), tenant(scope));
}

boost::asio::awaitable<std::vector<WebhookDelivery>> newest_attempts(core::Database& database, Scope scope, Id webhook,
                                                                     int most) {
    auto read = [webhook, most](core::Connection& connection) {
        std::vector<WebhookDelivery> all;
        for (auto const& row : connection.execute(kNewestAttempts, webhook, most)) all.push_back(delivery_of(row));
        return all;
    };
    co_return co_await database.run(std::move(read), tenant(scope));
}

boost::asio::awaitable<std::optional<WebhookDelivery>> find_attempt(core::Database& database, Scope scope, Id webhook,
                                                                    Id delivery) {
    auto read = [webhook, delivery](core::Connection& connection) -> std::optional<WebhookDelivery> {
        auto const rows = connection.execute(kFindAttempt, webhook, delivery);
        if (rows.empty()) return std::nullopt;
        return delivery_of(rows[0]);
    };
    co_return co_await database.run(std::move(read), tenant(scope));
}

}  // namespace workforce::projections
