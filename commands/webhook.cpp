// Rules of webhook subscriptions (domain 1.12, 2.6, 3.8, 11.10).
#include "commands/webhook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/facility.hpp"
#include "events/webhook_types.hpp"

namespace workforce::commands {
namespace {

using events::WebhookRecord;
using events::WebhookView;

constexpr std::int64_t kOverlapHourMs = 3'600'000;
constexpr std::int64_t kReplayDayMs = 24 * kOverlapHourMs;

NewEvent webhook_event(Id id, core::Nullable<Id> const& facility, events::WebhookEvent event) {
    return {{events::Kind::webhook, id}, facility.value.value_or(0), std::move(event)};
}

/// The subscription, where it is the caller's to see: their own or all, within their facilities.
WebhookRecord const* visible(View const& view, Id id, WebhookRights const& rights, Context const& context) {
    auto const* record = view.get<WebhookRecord>(id);
    if (!record || record->deleted) return nullptr;
    bool const in_scope =
        record->facilityId.value ? context.reaches(*record->facilityId.value) : context.facilities.empty();
    bool const own = rights.manages_all || events::owner_of(record->createdBy) == rights.owner;
    return in_scope && own ? record : nullptr;
}

tl::unexpected<core::Problem> no_webhook(Id id) { return not_found("webhook subscription", id); }

/// Each once, in their order.
std::vector<core::ShortText> folded_types(std::vector<core::ShortText> const& types) {
    std::vector<core::ShortText> unique;
    for (auto const& type : types) {
        if (std::ranges::count(unique, type.value, &core::ShortText::value) == 0) unique.push_back(type);
    }
    return unique;
}

/// Without what only the system sets.
events::WebhookMetadata own_metadata(events::WebhookMetadata metadata) {
    for (auto const name : events::kReservedMetadata) metadata.value.erase(std::string(name));
    return metadata;
}

/// What callers say of metadata changes nothing of what the system said.
bool same_metadata(WebhookRecord const& record, events::WebhookMetadata const& said) {
    return own_metadata(record.metadata) == said;
}

/// Why nothing is sent to the organization's subscribers, if that is so.
std::optional<tl::unexpected<core::Problem>> check_sending(View const& view) {
    if (view.organization().isActive) return std::nullopt;
    return refuse(Code::invalid_state_transition, "The organization is not active: its subscriptions hear nothing.", {},
                  "Reactivate the organization first.");
}

tl::unexpected<core::Problem> limit_reached(std::string_view whose, int limit) {
    return refuse(Code::limit_reached,
                  fmt::format("{} may have {} webhook subscriptions, and has them already.", whose, limit),
                  fmt::format(R"({{"resource":"webhook","limit":{}}})", limit));
}

/// Why there can be no other subscription, if that is so. The writer decides one command after the other, so commands
/// that come together count each other.
std::optional<tl::unexpected<core::Problem>> check_limits(View const& view, CreateWebhook const& command) {
    auto const standing = view.by<events::WebhooksOfOrganization>();
    if (std::ssize(standing) >= command.limits.organization) {
        return limit_reached("The organization", command.limits.organization);
    }
    auto const own = std::ranges::count_if(
        standing, [&](auto const* each) { return events::owner_of(each->createdBy) == command.rights.owner; });
    if (own >= command.limits.creator) return limit_reached("A creator", command.limits.creator);
    return std::nullopt;
}

/// Says by which grant a client's rights count, where the caller is one.
void add_grant(WebhookRights const& rights, Id id, core::Nullable<Id> const& facility, Decision& decision) {
    if (rights.grant) decision.events.push_back(webhook_event(id, facility, events::WebhookGranted{*rights.grant}));
}

/// Whether the rights that count are those of the caller, as they are.
bool is_as_said(events::WebhookInternals const& internals, WebhookRights const& rights, events::Actor const& actor) {
    events::WebhookCreator const caller{actor.type, actor.id, actor.user};
    auto const reader = rights.grant ? events::WebhookCreator{events::ActorType::user, actor.user, actor.user} : caller;
    return internals.reader.type == reader.type && internals.reader.id == reader.id &&
           internals.grant == rights.grant && internals.readable == rights.readable;
}

WebhookView view_of(WebhookRecord const& record) {
    WebhookView view;
    static_cast<events::Webhook&>(view) = record;
    return view;
}

core::FieldError unknown_type(std::string_view field, std::size_t place, std::string_view name) {
    return {fmt::format("{}[{}]", field, place), "known", fmt::format("names '{}', which is no event type", name)};
}

}  // namespace

std::vector<core::FieldError> faults_of_types(std::vector<core::ShortText> const& types) {
    std::vector<core::FieldError> faults;
    if (types.empty()) faults.push_back({"events", "min_items", "must name at least one event type"});
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (events::can_subscribe_to(types[i].value)) continue;
        faults.push_back(unknown_type("events", i, types[i].value));
    }
    return faults;
}

std::vector<core::FieldError> faults_of(ReplayWebhook const& command, Timestamp now) {
    std::vector<core::FieldError> faults;
    if (command.since.ms < now.ms - kReplayDays * kReplayDayMs) {
        faults.push_back({"since", "range", "must be at most 14 days ago"});
    } else if (command.since > now) {
        faults.push_back({"since", "range", "must lie in the past"});
    }
    if (command.until && *command.until <= command.since) {
        faults.push_back({"until", "after", "must be later than since"});
    }
    if (command.eventTypes) {
        for (std::size_t i = 0; i < command.eventTypes->size(); ++i) {
            if (events::find_webhook_type((*command.eventTypes)[i].value) != nullptr) continue;
            faults.push_back(unknown_type("eventTypes", i, (*command.eventTypes)[i].value));
        }
    }
    return faults;
}

Result<Decision> decide(View const& view, CreateWebhook const& command, Context const& context) {
    events::WebhookCreated created{command, command.rights.readable, command.secret_id};
    created.events = folded_types(command.events);
    created.metadata = own_metadata(command.metadata);
    if (!created.facilityId.value && context.facilities.size() == 1) created.facilityId = context.facilities.front();
    if (created.facilityId.value) {
        if (auto found = facility_in_scope(view, *created.facilityId.value, context); !found)
            return tl::unexpected(found.error());
    } else if (!context.facilities.empty()) {
        return invalid_field("facilityId", "required", "must name one of your facilities");
    }
    if (auto fault = check_limits(view, command)) return *fault;
    auto const facility = created.facilityId;
    auto const id = context.new_ids.at(0);
    Decision decision{{webhook_event(id, facility, std::move(created))}, {}};
    add_grant(command.rights, id, facility, decision);
    return decision;
}
ShownWebhook answer(View const& view, CreateWebhook const& command, Decision const& decision) {
    ShownWebhook shown;
    static_cast<WebhookView&>(shown) = view_of(*view.get<WebhookRecord>(decision.events.at(0).subject.id));
    shown.signingSecret = command.secret_id;
    return shown;
}

Result<Decision> decide(View const& view, UpdateWebhook const& command, Context const& context) {
    auto const* record = visible(view, command.id, command.rights, context);
    if (!record) return no_webhook(command.id);
    if (command.facilityId && *command.facilityId != record->facilityId) {
        return invalid_field("facilityId", "fixed", "can't change; make another subscription");
    }
    events::WebhookUpdated updated{command, {}};
    if (updated.events) updated.events = folded_types(*updated.events);
    if (updated.metadata) {
        updated.metadata = own_metadata(*std::move(updated.metadata));
        if (same_metadata(*record, *updated.metadata)) updated.metadata.reset();
    }
    bool const enables = command.isActive == true && !record->isActive;
    if (updated.isActive != false) updated.isActive.reset();
    bool const redirects = command.url && *command.url != record->url;
    bool const moves = command.events || redirects || enables;
    bool const own = events::owner_of(record->createdBy) == command.rights.owner;
    bool changed = events::keep_changed(static_cast<events::Webhook const&>(*record),
                                        static_cast<events::WebhookChanges&>(updated));
    bool const has_said = moves && own && !is_as_said(record->internals, command.rights, context.actor);
    if (has_said) {
        updated.readable = command.rights.readable;
        changed = true;
    }
    Decision decision;
    if (changed) decision.events.push_back(webhook_event(command.id, record->facilityId, std::move(updated)));
    if (has_said) add_grant(command.rights, command.id, record->facilityId, decision);
    if (enables) decision.events.push_back(webhook_event(command.id, record->facilityId, events::WebhookEnabled{}));
    return decision;
}
WebhookView answer(View const& view, UpdateWebhook const& command, Decision const&) {
    return view_of(*view.get<WebhookRecord>(command.id));
}

Result<Decision> decide(View const& view, DeleteWebhook const& command, Context const& context) {
    auto const* record = visible(view, command.id, command.rights, context);
    if (!record) return no_webhook(command.id);
    return Decision{{webhook_event(command.id, record->facilityId, events::WebhookDeleted{})}, {}};
}

Result<Decision> decide(View const& view, RotateWebhookSecret const& command, Context const& context) {
    auto const* record = visible(view, command.id, command.rights, context);
    if (!record) return no_webhook(command.id);
    events::WebhookSecretRotated rotated;
    rotated.secretId = command.secret_id;
    rotated.activatesAt = {context.now.ms + command.overlapHours.value * kOverlapHourMs};
    return Decision{{webhook_event(command.id, record->facilityId, std::move(rotated))}, {}};
}
RotatedSecret answer(View const&, RotateWebhookSecret const& command, Decision const& decision) {
    auto const& rotated = events::get<events::WebhookSecretRotated>(decision.events.at(0).data);
    return {command.secret_id, rotated.activatesAt};
}

Result<Decision> decide(View const& view, TestWebhook const& command, Context const& context) {
    auto const* record = visible(view, command.id, command.rights, context);
    if (!record) return no_webhook(command.id);
    if (auto fault = check_sending(view)) return *fault;
    return Decision{{webhook_event(command.id, record->facilityId, events::WebhookTested{command.delivery_id})}, {}};
}
WebhookTarget answer(View const& view, TestWebhook const& command, Decision const&) {
    auto const* record = view.get<WebhookRecord>(command.id);
    return {command.delivery_id, record->url.value, record->internals, record->updatedAt};
}

Result<Decision> decide(View const& view, RedeliverWebhook const& command, Context const& context) {
    auto const* record = visible(view, command.id, command.rights, context);
    if (!record) return no_webhook(command.id);
    if (auto fault = check_sending(view)) return *fault;
    events::WebhookRedelivered redelivered{command.delivery_id, command.new_delivery_id, command.event_id};
    return Decision{{webhook_event(command.id, record->facilityId, std::move(redelivered))}, {}};
}
QueuedDelivery answer(View const&, RedeliverWebhook const& command, Decision const&) {
    return {command.new_delivery_id};
}

Result<Decision> decide(View const& view, ReplayWebhook const& command, Context const& context) {
    auto const* record = visible(view, command.id, command.rights, context);
    if (!record) return no_webhook(command.id);
    if (auto fault = check_sending(view)) return *fault;
    if (auto faults = faults_of(command, context.now); !faults.empty()) {
        return tl::unexpected(core::validation_problem(faults));
    }
    if (command.count > kMostReplayed) {
        return invalid_field("since", "most",
                             "begins a time of more than 10000 events; name a shorter one or fewer types");
    }
    if (command.count == 0) return Decision{};
    events::WebhookReplayed replayed;
    replayed.since = command.since;
    replayed.until = std::min(command.until.value_or(context.now), context.now);
    for (auto const& type : command.eventTypes.value_or(std::vector<core::ShortText>())) {
        replayed.eventTypes.push_back(type.value);
    }
    replayed.onlyFailed = command.onlyFailed.value_or(false);
    return Decision{{webhook_event(command.id, record->facilityId, std::move(replayed))}, {}};
}
QueuedReplay answer(View const&, ReplayWebhook const& command, Decision const&) { return {command.count}; }

Result<Decision> decide(View const& view, DisableWebhook const& command, Context const&) {
    auto const* record = view.get<WebhookRecord>(command.id);
    if (!record || record->deleted) return no_webhook(command.id);
    if (!record->isActive) return Decision{};
    events::WebhookDisabled disabled{command.reason.value, command.lastError.value, command.eventId.value,
                                     record->createdBy.userId};
    return Decision{{webhook_event(command.id, record->facilityId, std::move(disabled))}, {}};
}

}  // namespace workforce::commands
