// How events of webhook subscriptions fold: the one definition, for the write side's memory, read models and
// deliveries.
#include "events/webhook.hpp"

#include <algorithm>

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"
#include "events/webhook_types.hpp"

namespace workforce::events {
namespace {

/// Says once more what is delivered, when either side of it changed.
void narrow(WebhookRecord& record) {
    record.effectiveEvents = effective_types(record.events, record.internals.readable);
}

void clear_reserved(WebhookMetadata& metadata) {
    for (auto const name : kReservedMetadata) metadata.value.erase(std::string(name));
}

void rotate(WebhookRecord& record, WebhookSecretRotated const& rotated, Timestamp now) {
    auto& internals = record.internals;
    if (!internals.nextSecret.empty() && internals.activatesAt <= now) internals.secret = internals.nextSecret;
    internals.nextSecret.clear();
    internals.activatesAt = rotated.activatesAt;
    if (rotated.activatesAt <= now) {
        internals.secret = rotated.secretId;
    } else {
        internals.nextSecret = rotated.secretId;
    }
}

}  // namespace

std::string owner_of(WebhookCreator const& creator) {
    if (creator.userId != 0) return "user/" + std::to_string(creator.userId);
    return std::string(core::enum_name(creator.type)) + '/' + std::to_string(creator.id);
}

void evolve(WebhookRecord& record, WebhookEvent const& event, Envelope const& meta) {
    auto& webhook = static_cast<Webhook&>(record);
    std::visit(Overloaded{[&](WebhookCreated const& e) {
                              static_cast<WebhookDetails&>(webhook) = e;
                              webhook.createdBy = {meta.actor.type, meta.actor.id, meta.actor.user};
                              record.internals.readable = e.readable;
                              record.internals.reader = webhook.createdBy;
                              // A client's tokens come and go: what it subscribed to is the user's to read.
                              if (meta.actor.type == ActorType::oauth) {
                                  record.internals.reader = {ActorType::user, meta.actor.user, meta.actor.user};
                              }
                              record.internals.secret = e.secretId;
                              narrow(record);
                          },
                          [&](WebhookUpdated const& e) {
                              auto const kept = webhook.metadata.value;
                              merge(webhook, static_cast<WebhookChanges const&>(e));
                              if (e.metadata) {
                                  for (auto const name : kReservedMetadata) {
                                      auto const was = kept.find(name);
                                      if (was != kept.end()) webhook.metadata.value.insert(*was);
                                  }
                              }
                              if (e.readable) {
                                  record.internals.readable = *e.readable;
                                  record.internals.reader = {meta.actor.type, meta.actor.id, meta.actor.user};
                                  record.internals.grant.reset();
                              }
                              narrow(record);
                          },
                          [&](WebhookGranted const& e) {
                              record.internals.reader = {ActorType::user, meta.actor.user, meta.actor.user};
                              record.internals.grant = e;
                          },
                          [&](WebhookEnabled const&) {
                              webhook.isActive = true;
                              clear_reserved(webhook.metadata);
                          },
                          [&](WebhookDisabled const& e) {
                              webhook.isActive = false;
                              auto& values = webhook.metadata.value;
                              values["disabledReason"] = e.reason;
                              values["disabledAt"] = core::to_string(meta.time);
                              values["lastError"] = e.lastError;
                          },
                          [&](WebhookSecretRotated const& e) { rotate(record, e, meta.time); },
                          [](WebhookTested const&) {}, [](WebhookRedelivered const&) {}, [](WebhookReplayed const&) {},
                          [&](WebhookDeleted const&) { record.deleted = true; }},
               event);
    stamp(webhook, meta);
}

std::vector<std::string> Aggregate<Kind::webhook>::secret_ids(WebhookRecord const& record) {
    return {record.internals.secret, record.internals.nextSecret};
}

template struct DataCodec<WebhookEvent>;

}  // namespace workforce::events
