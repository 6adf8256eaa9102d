// Webhook subscriptions: the resource (domain 1.12), its events, and how they fold. Signing secrets are not here: only
// the ids of the rows beside the log that have them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/text_map.hpp"
#include "events/index.hpp"
#include "events/resource.hpp"

namespace workforce::events {

using WebhookMetadata = core::TextMap<20, 500>;
using WebhookUrl = core::Text<1, 2048>;

struct WebhookDetails {
    core::Name name;
    WebhookUrl url;
    std::vector<core::ShortText> events;  ///< webhook types (events/webhook_types.hpp), or "*"
    core::Nullable<Id> facilityId;        ///< null: all facilities of the organization
    bool isActive = true;
    WebhookMetadata metadata;

    static constexpr std::array<std::string_view, 3> kRequired{"name", "url", "events"};
};
BOOST_DESCRIBE_STRUCT(WebhookDetails, (), (name, url, events, facilityId, isActive, metadata))

/// The fields of an update: absent means unchanged. Metadata is replaced as a whole.
struct WebhookChanges {
    std::optional<core::Name> name;
    std::optional<WebhookUrl> url;
    std::optional<std::vector<core::ShortText>> events;
    std::optional<bool> isActive;
    std::optional<WebhookMetadata> metadata;
};
BOOST_DESCRIBE_STRUCT(WebhookChanges, (), (name, url, events, isActive, metadata))

/// Who made a subscription: the credential, and the user behind it (0: nobody). Whose subscription it is.
struct WebhookCreator {
    ActorType type = ActorType::system;
    Id id = 0;
    Id userId = 0;
};
BOOST_DESCRIBE_STRUCT(WebhookCreator, (), (type, id, userId))

/// A new signing secret that is to take over.
struct SecretRotation {
    Timestamp nextActivatesAt;
};
BOOST_DESCRIBE_STRUCT(SecretRotation, (), (nextActivatesAt))

struct WebhookFlags {
    WebhookCreator createdBy;
    /// `events` as far as the creator may read what they tell of; in the fold, as far as that was so when it was said.
    std::vector<std::string> effectiveEvents;
};
BOOST_DESCRIBE_STRUCT(WebhookFlags, (), (createdBy, effectiveEvents))

/// What no event tells: attempts are none, and a rotation takes over by itself.
struct WebhookState {
    core::Nullable<SecretRotation> secretRotation;
    std::int64_t consecutiveFailures = 0;  ///< attempts since the last that succeeded
    core::Nullable<Timestamp> lastDeliveryAt;
};
BOOST_DESCRIBE_STRUCT(WebhookState, (), (secretRotation, consecutiveFailures, lastDeliveryAt))

struct Webhook : Identified, WebhookDetails, WebhookFlags, Stamped {};
BOOST_DESCRIBE_STRUCT(Webhook, (Identified, WebhookDetails, WebhookFlags, Stamped), ())

/// A subscription as callers see it.
struct WebhookView : Webhook, WebhookState {};
BOOST_DESCRIBE_STRUCT(WebhookView, (Webhook, WebhookState), ())

/// Whose a subscription is: "user/12", or "api_key/7" where nobody stands behind the key.
std::string owner_of(WebhookCreator const& creator);

struct WebhookCreated : WebhookDetails {
    static constexpr std::string_view kType = "webhook.created";
    static constexpr std::int32_t kVersion = 1;
    std::vector<std::string> readable;  ///< webhook types that its creator may read; "*": all, now and later
    std::string secretId;               ///< of the signing secret
};
BOOST_DESCRIBE_STRUCT(WebhookCreated, (WebhookDetails), (readable, secretId))

/// Its `isActive` is never true: WebhookEnabled tells that. What the creator may read is said anew when it changed, or
/// another credential of theirs says it.
struct WebhookUpdated : WebhookChanges {
    static constexpr std::string_view kType = "webhook.updated";
    static constexpr std::int32_t kVersion = 1;
    std::optional<std::vector<std::string>> readable;
};
BOOST_DESCRIBE_STRUCT(WebhookUpdated, (WebhookChanges), (readable))

/// It is active again; what was missed is not sent.
struct WebhookEnabled {
    static constexpr std::string_view kType = "webhook.enabled";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(WebhookEnabled, (), ())

/// The system gave it up.
struct WebhookDisabled {
    static constexpr std::string_view kType = "webhook.disabled";
    static constexpr std::int32_t kVersion = 1;
    std::string reason;  ///< `max_retries_exceeded`
    std::string lastError;
    std::string eventId;  ///< of the delivery that failed
    Id creator = 0;       ///< user who is to hear of it; 0: nobody
};
BOOST_DESCRIBE_STRUCT(WebhookDisabled, (), (reason, lastError, eventId, creator))

/// A new signing secret, by which deliveries are signed from then on; until then both sign.
struct WebhookSecretRotated {
    static constexpr std::string_view kType = "webhook.secret_rotated";
    static constexpr std::int32_t kVersion = 1;
    std::string secretId;
    Timestamp activatesAt;
};
BOOST_DESCRIBE_STRUCT(WebhookSecretRotated, (), (secretId, activatesAt))

/// Somebody had a test sent.
struct WebhookTested {
    static constexpr std::string_view kType = "webhook.tested";
    static constexpr std::int32_t kVersion = 1;
    Id deliveryId = 0;
};
BOOST_DESCRIBE_STRUCT(WebhookTested, (), (deliveryId))

/// Somebody had one event sent once more, in one attempt.
struct WebhookRedelivered {
    static constexpr std::string_view kType = "webhook.redelivered";
    static constexpr std::int32_t kVersion = 1;
    Id deliveryId = 0;  ///< of the attempt that it repeats
    Id newDeliveryId = 0;
    std::string eventId;
};
BOOST_DESCRIBE_STRUCT(WebhookRedelivered, (), (deliveryId, newDeliveryId, eventId))

/// Somebody had events of a time sent once more.
struct WebhookReplayed {
    static constexpr std::string_view kType = "webhook.replayed";
    static constexpr std::int32_t kVersion = 1;
    Timestamp since;
    Timestamp until;
    std::vector<std::string> eventTypes;  ///< empty: all
    bool onlyFailed = false;              ///< of those whose last attempt failed
};
BOOST_DESCRIBE_STRUCT(WebhookReplayed, (), (since, until, eventTypes, onlyFailed))

/// What a client that a user lets act for them was let do when it said what a subscription is sent.
struct WebhookGrant {
    Id grantId = 0;
    Id clientId = 0;  ///< 0: the client is known by a document of its own
    std::vector<std::string> scopes;
    bool operator==(WebhookGrant const&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookGrant, (), (grantId, clientId, scopes))

/// Follows what a client said of what is sent: its user's rights count as far as these scopes go, while the grant
/// stands.
struct WebhookGranted : WebhookGrant {
    static constexpr std::string_view kType = "webhook.granted";
    static constexpr std::int32_t kVersion = 1;
};
BOOST_DESCRIBE_STRUCT(WebhookGranted, (WebhookGrant), ())

struct WebhookDeleted {
    static constexpr std::string_view kType = "webhook.deleted";
    static constexpr std::int32_t kVersion = 1;
    static constexpr bool kEnds = true;
};
BOOST_DESCRIBE_STRUCT(WebhookDeleted, (), ())

using WebhookEvent = std::variant<WebhookCreated, WebhookUpdated, WebhookEnabled, WebhookDisabled, WebhookSecretRotated,
                                  WebhookTested, WebhookRedelivered, WebhookReplayed, WebhookDeleted, WebhookGranted>;

/// What callers don't see of a subscription.
struct WebhookInternals {
    std::string secret;      ///< id of the signing secret
    std::string nextSecret;  ///< of the one that takes over at `activatesAt`; empty: none
    Timestamp activatesAt;
    std::vector<std::string> readable;  ///< as WebhookCreated has it
    WebhookCreator reader;              ///< who said that: whose rights count
    std::optional<WebhookGrant> grant;  ///< by which these are a client's, whose user `reader` is then
};
BOOST_DESCRIBE_STRUCT(WebhookInternals, (), (secret, nextSecret, activatesAt, readable, reader, grant))

struct WebhookRecord : Webhook {
    static constexpr Kind kKind = Kind::webhook;
    WebhookInternals internals;
    bool deleted = false;
};
BOOST_DESCRIBE_STRUCT(WebhookRecord, (Webhook), (internals, deleted))
inline Webhook const& resource_of(WebhookRecord const& record) { return record; }

/// All that were not deleted.
struct WebhooksOfOrganization : Index<Kind::webhook> {
    static constexpr bool kDeleted = false;
};

/// Folds one event into the subscription.
void evolve(WebhookRecord& record, WebhookEvent const& event, Envelope const& meta);

template <>
struct Aggregate<Kind::webhook> : Declared<WebhookRecord, WebhookEvent> {
    static std::vector<std::string> secret_ids(WebhookRecord const& record);
    static constexpr bool kInActivity = false;
    using Indexes = boost::mp11::mp_list<WebhooksOfOrganization>;
};

}  // namespace workforce::events
