// Commands on webhook subscriptions. A subscription is its creator's: of the user behind the credential, or of the
// credential where there is none. Others see it only with the permission integrations.manage_webhooks (domain 11.10);
// for the rest it is NOT_FOUND. What a subscriber's address may be is looked at before (operations/webhooks.cpp).
#pragma once

#include "commands/command.hpp"
#include "commands/view.hpp"
#include "events/webhook.hpp"

namespace workforce::commands {

/// What the caller may do with subscriptions; no part of the input.
struct WebhookRights {
    std::string owner;                            ///< whose subscriptions are the caller's own (events::owner_of)
    bool manages_all = false;                     ///< holds integrations.manage_webhooks
    std::vector<std::string> readable;            ///< webhook types that the caller may read
    std::optional<events::WebhookGrant> grant{};  ///< of a client: by which it acts for its user
};

/// How many subscriptions there may be in an organization, its sandbox apart; no part of the input.
struct WebhookLimits {
    int organization = 100;
    int creator = 20;  ///< of one owner (events::owner_of) among them
};

/// A subscription with its signing secret, which is shown once.
struct ShownWebhook : events::WebhookView {
    core::Nullable<std::string> signingSecret;  ///< as it is stored for retries, the id of the secret
};
BOOST_DESCRIBE_STRUCT(ShownWebhook, (events::WebhookView), (signingSecret))

/// POST /api/webhooks. Whoever is bound to one facility makes subscriptions of that one where none is named.
/// VALIDATION_ERROR for unknown types; FACILITY_SCOPE_VIOLATION; LIMIT_REACHED where there are as many as there may be.
struct CreateWebhook : events::WebhookDetails {
    using Answer = ShownWebhook;
    std::optional<Id> orgUnitId;  ///< the organization, which the command is in
    WebhookRights rights;         ///< no part of the input, as the rest
    WebhookLimits limits{};
    std::string secret_id;
};
BOOST_DESCRIBE_STRUCT(CreateWebhook, (events::WebhookDetails), (orgUnitId))
Result<Decision> decide(View const& view, CreateWebhook const& command, Context const& context);
ShownWebhook answer(View const& view, CreateWebhook const& command, Decision const& decision);

/// PATCH /api/webhooks/{id}. `isActive: true` has a subscription that was given up go on with new events. The facility
/// may be repeated as it is (VALIDATION_ERROR). Whoever sets other types, names another address, or has it go on, as
/// its owner is the one whose permissions count from then on.
struct UpdateWebhook : events::WebhookChanges {
    using Answer = events::WebhookView;
    Id id = 0;
    std::optional<core::Nullable<Id>> facilityId;
    WebhookRights rights;  ///< no part of the input
};
BOOST_DESCRIBE_STRUCT(UpdateWebhook, (events::WebhookChanges), (facilityId))
Result<Decision> decide(View const& view, UpdateWebhook const& command, Context const& context);
events::WebhookView answer(View const& view, UpdateWebhook const& command, Decision const& decision);

/// DELETE /api/webhooks/{id}. For good: NOT_FOUND from then on.
struct DeleteWebhook {
    using Answer = Nothing;
    Id id = 0;
    WebhookRights rights{};  ///< no part of the input
};
BOOST_DESCRIBE_STRUCT(DeleteWebhook, (), ())
Result<Decision> decide(View const& view, DeleteWebhook const& command, Context const& context);

/// The new secret, and when it takes over.
struct RotatedSecret {
    core::Nullable<std::string> signingSecret;  ///< as in ShownWebhook
    Timestamp activatesAt;
};
BOOST_DESCRIBE_STRUCT(RotatedSecret, (), (signingSecret, activatesAt))

/// POST /api/webhooks/{id}/rotate-secret. Another rotation that has not taken over is replaced.
struct RotateWebhookSecret {
    using Answer = RotatedSecret;
    core::Int<0, 72> overlapHours{24};
    Id id = 0;  ///< no part of the input, as the rest
    WebhookRights rights{};
    std::string secret_id{};

    static constexpr std::array<std::string_view, 0> kRequired{};
};
BOOST_DESCRIBE_STRUCT(RotateWebhookSecret, (), (overlapHours))
Result<Decision> decide(View const& view, RotateWebhookSecret const& command, Context const& context);
RotatedSecret answer(View const& view, RotateWebhookSecret const& command, Decision const& decision);

/// What a test is sent by.
struct WebhookTarget {
    Id deliveryId = 0;
    std::string url;
    events::WebhookInternals internals;
    Timestamp at;  ///< of the command
};
BOOST_DESCRIBE_STRUCT(WebhookTarget, (), (deliveryId, url, internals, at))

/// POST /api/webhooks/{id}/test, before it is sent. INVALID_STATE_TRANSITION, as of what sends events once more, where
/// the organization is not active.
struct TestWebhook {
    using Answer = WebhookTarget;
    Id id = 0;
    WebhookRights rights{};
    Id delivery_id = 0;
};
BOOST_DESCRIBE_STRUCT(TestWebhook, (), ())
Result<Decision> decide(View const& view, TestWebhook const& command, Context const& context);
WebhookTarget answer(View const& view, TestWebhook const& command, Decision const& decision);

/// The attempt that is to be made.
struct QueuedDelivery {
    Id deliveryId = 0;
};
BOOST_DESCRIBE_STRUCT(QueuedDelivery, (), (deliveryId))

/// POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver, of an attempt that was found.
struct RedeliverWebhook {
    using Answer = QueuedDelivery;
    Id id = 0;
    WebhookRights rights{};
    Id delivery_id = 0;
    Id new_delivery_id = 0;
    std::string event_id{};
};
BOOST_DESCRIBE_STRUCT(RedeliverWebhook, (), ())
Result<Decision> decide(View const& view, RedeliverWebhook const& command, Context const& context);
QueuedDelivery answer(View const& view, RedeliverWebhook const& command, Decision const& decision);

/// How many events are to be sent once more.
struct QueuedReplay {
    std::int64_t queued = 0;
};
BOOST_DESCRIBE_STRUCT(QueuedReplay, (), (queued))

/// POST /api/webhooks/{id}/replay. Errors: VALIDATION_ERROR for a time of more than 14 days, or ahead of now, and for
/// unknown types.
struct ReplayWebhook {
    using Answer = QueuedReplay;
    Timestamp since;
    std::optional<Timestamp> until;
    std::optional<std::vector<core::ShortText>> eventTypes;
    std::optional<bool> onlyFailed;  ///< of those whose last attempt failed
    Id id = 0;                       ///< no part of the input, as the rest
    WebhookRights rights{};
    std::int64_t count = 0;  ///< events that there are
};
BOOST_DESCRIBE_STRUCT(ReplayWebhook, (), (since, until, eventTypes, onlyFailed))
Result<Decision> decide(View const& view, ReplayWebhook const& command, Context const& context);
QueuedReplay answer(View const& view, ReplayWebhook const& command, Decision const& decision);

/// The most events that one replay may send, and how far back.
inline constexpr std::int64_t kMostReplayed = 10'000;
inline constexpr std::int64_t kReplayDays = 14;

/// What is wrong with the input of a replay, at that time.
std::vector<core::FieldError> faults_of(ReplayWebhook const& command, Timestamp now);
/// What is wrong with types that a subscription names.
std::vector<core::FieldError> faults_of_types(std::vector<core::ShortText> const& types);

/// The system gives a subscription up after its last attempt failed; of one that is not active nothing is recorded.
struct DisableWebhook {
    using Answer = Nothing;
    core::ShortText reason;
    core::LongText lastError;
    core::ShortText eventId;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(DisableWebhook, (), (reason, lastError, eventId))
Result<Decision> decide(View const& view, DisableWebhook const& command, Context const& context);

}  // namespace workforce::commands
