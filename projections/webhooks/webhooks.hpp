// Webhook subscriptions and their deliveries as queries see them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/bool_or_any.hpp"
#include "core/result.hpp"
#include "events/webhook.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a caller may narrow a list of subscriptions to.
struct WebhookFilter : ListFilter {
    std::optional<core::BoolOrAny> isActive = core::BoolOrAny{true};
};
BOOST_DESCRIBE_STRUCT(WebhookFilter, (ListFilter), (isActive))

/// As it is narrowed by the service, too.
struct OwnedWebhookFilter : WebhookFilter {
    std::optional<std::string> owner{};  ///< events::owner_of; nothing: anybody's
};
BOOST_DESCRIBE_STRUCT(OwnedWebhookFilter, (WebhookFilter), (owner))

using WebhookRows = ReadModel<events::WebhookRecord, OwnedWebhookFilter, events::WebhookView>;

/// read.webhook, shown with how its deliveries go. Who is bound to facilities sees subscriptions of these alone.
WebhookRows const& webhooks();

/// An attempt that was made, or is to be made (domain 1.12).
struct WebhookDelivery {
    Id id = 0;
    Id webhookId = 0;
    std::string eventId;
    std::string eventType;
    std::int32_t attempt = 1;
    std::string trigger;  ///< event, retry, manual or test
    std::string status;   ///< pending, succeeded, failed, abandoned or skipped
    core::Nullable<std::int32_t> statusCode;
    std::string responseBody;
    bool responseTruncated = false;
    core::Nullable<std::string> error;
    core::Nullable<std::int32_t> durationMs;
    core::Nullable<core::Timestamp> nextRetryAt;
    core::Nullable<core::Timestamp> attemptedAt;
    core::Timestamp createdAt;
};
BOOST_DESCRIBE_STRUCT(WebhookDelivery, (),
                      (id, webhookId, eventId, eventType, attempt, trigger, status, statusCode, responseBody,
                       responseTruncated, error, durationMs, nextRetryAt, attemptedAt, createdAt))

/// The newest attempts of a subscription older than `before`, those that are to be made included, newest first: at most
/// so many. The scope says whose rows may be seen, not which subscriptions: those are looked at before. Errors, as of
/// all queries: core::DatabaseUnavailable, core::DatabaseBusy.
boost::asio::awaitable<std::vector<WebhookDelivery>> newest_deliveries(core::Database& database, Scope scope,
                                                                       Id webhook, std::optional<Id> before, int most);

/// The newest of those that were made. The rest as newest_deliveries.
boost::asio::awaitable<std::vector<WebhookDelivery>> newest_attempts(core::Database& database, Scope scope, Id webhook,
                                                                     int most);

/// One attempt that was made. Errors: as newest_deliveries.
boost::asio::awaitable<std::optional<WebhookDelivery>> find_attempt(core::Database& database, Scope scope, Id webhook,
                                                                    Id delivery);

}  // namespace workforce::projections
