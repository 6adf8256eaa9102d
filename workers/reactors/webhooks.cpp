// Subscriptions and events to deliveries.
#include "workers/reactors/reactors.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/json_io.hpp"
#include "events/webhook_types.hpp"
#include "workers/engine/folded_rows.hpp"
#include "workers/engine/inactive_organizations.hpp"
#include "workers/sql.hpp"
#include "workers/webhooks/delivery_store.hpp"
#include "workers/webhooks/payload.hpp"
#include "workers/webhooks/places.hpp"
#include "workers/webhooks/readers.hpp"
#include "workers/webhooks/schedule.hpp"

namespace workforce::workers {
namespace {

using events::WebhookRecord;

constexpr std::string_view kReactor = "webhooks";
constexpr std::string_view kNotReadable = "not_readable: whose subscription it is may not read events of this type";

constexpr core::Statement kSubscriptions{"webhook_subscriptions", R"(
SELECT webhook_id, version, doc FROM reactor.webhook_subscription WHERE organization_id = ANY ($1::bigint[]))"};
constexpr core::Statement kKeepSubscriptions{"webhook_keep_subscriptions", sql::reactors_webhooks_keep_subscriptions};
constexpr core::Statement kDropSubscription{"webhook_drop_subscription",
                                            "DELETE FROM reactor.webhook_subscription WHERE webhook_id = $1"};
constexpr core::Statement kDropQueue{"webhook_drop_queue", "DELETE FROM reactor.webhook_queue WHERE webhook_id = $1"};
constexpr core::Statement kResetQueue{
    "webhook_reset_queue", "UPDATE reactor.webhook_queue SET consecutive_failures = 0 WHERE webhook_id = $1"};
constexpr core::Statement kAddBodies{"webhook_add_bodies", sql::reactors_webhooks_add_bodies};
constexpr core::Statement kAddDeliveries{"webhook_add_deliveries", sql::reactors_webhooks_add_deliveries};
constexpr core::Statement kWakeQueues{"webhook_wake_queues", sql::reactors_webhooks_wake_queues};
constexpr core::Statement kAbandon{"webhook_abandon", sql::reactors_webhooks_abandon};
constexpr core::Statement kRedeliver{"webhook_redeliver", sql::reactors_webhooks_redeliver};
constexpr core::Statement kReplay{"webhook_replay", sql::reactors_webhooks_replay};
constexpr core::Statement kBlank{"webhook_blank_responses", R"(
UPDATE ops.webhook_attempt SET response_body = '' WHERE response_body <> '' AND event_id IN (
    SELECT event_id FROM ops.webhook_body WHERE person = $1))"};

/// Whether what happened at these facilities, or in the organization as a whole, is the subscription's to hear.
bool reaches(WebhookRecord const& subscription, std::vector<core::Id> const& facilities) {
    auto const& bound = subscription.facilityId.value;
    return !bound || std::ranges::find(facilities, *bound) != facilities.end();
}

struct Subscription {
    std::int64_t version = 0;
    WebhookRecord record;
    std::optional<Readable> readable{};  ///< now; nothing: to be told anew
};
using Subscriptions = std::map<core::Id, Subscription>;

/// An organization with its subscriptions. While it is not active they hear nothing.
struct SubscribedOrganization {
    bool active = true;
    Subscriptions subscriptions{};
};

/// Organizations, as far as they were asked for. All they are stands in tables, too.
using KnownOrganizations = std::map<core::Id, SubscribedOrganization>;

/// One batch of a partition's events, folded within a transaction.
class WebhookBatch {
   public:
    WebhookBatch(core::Connection& connection, events::Keyring& keyring, int partition, KnownOrganizations& known)
        : connection_(connection), keyring_(keyring), partition_(partition), known_(known) {}

    void fold(std::span<events::Event const> events) {
        acts_after_ = acts_after(connection_, kReactor, partition_);
        load(events);
        if (std::ranges::any_of(events, changes_what_is_recorded)) lock_queues_of(events);
        for (auto const& event : events) {
            if (event.meta.sandbox) continue;
            fold_organization(event);
            fold_reader(event);
            if (auto const* webhook = events::get_if<events::WebhookEvent>(event.data)) fold_webhook(event, *webhook);
            if (auto const* lead = events::get_if<events::LeadEvent>(event.data)) fold_lead(event.meta, *lead);
            if (events::erases(event.data)) connection_.execute(kBlank, to_string(event.meta.subject));
            if (event.meta.position > acts_after_) tell(event);
        }
        add_deliveries();
        keep_subscriptions();
        leads_.keep(connection_, keyring_);
        readers_.keep(connection_);
        wake_queues();
    }

   private:
    /// Of an event of the batch.
    struct Body {
        events::Envelope const* cause;
        WebhookMessage message;
    };
    struct Delivery {
        core::Id webhook;
        events::Envelope const* cause;
        std::string_view type;
    };

    void load(std::span<events::Event const> events) {
        std::set<core::Id> organizations, leads;
        for (auto const& event : events) {
            if (event.meta.sandbox) continue;
            if (!known_.contains(event.meta.organization)) organizations.insert(event.meta.organization);
            if (event.meta.subject.kind == events::Kind::lead) leads.insert(event.meta.subject.id);
        }
        load_subscriptions(organizations);
        load_readers(events);
        leads_.load(connection_, keyring_, leads);
    }

    /// Of each batch anew: who made subscriptions here may belong to another partition.
    void load_readers(std::span<events::Event const> events) {
        std::set<std::string> names;
        std::set<core::Id> organizations;
        for (auto const& event : events) {
            if (is_reader(event.meta.subject.kind)) names.insert(to_string(event.meta.subject));
            if (event.meta.subject.kind == events::Kind::webhook) {  // its reader may be whoever is behind the event
                auto const& actor = event.meta.actor;
                names.merge(reader_names(events::WebhookCreator{actor.type, actor.id, actor.user}));
                auto const* granted = events::get_if<events::WebhookGranted>(event.data);
                if (granted) names.merge(reader_names(*granted));
            }
            if (!event.meta.sandbox) organizations.insert(event.meta.organization);
        }
        for (auto const organization : organizations) {
            for (auto& [id, subscription] : known_[organization].subscriptions) {
                subscription.readable.reset();
                names.merge(reader_names(subscription.record));
            }
        }
        readers_.load(connection_, names);
        readers_.add_shown(connection_, names);
    }

    void fold_reader(events::Event const& event) {
        if (!is_reader(event.meta.subject.kind) || !readers_.fold(event)) return;
        for (auto& [id, organization] : known_) {
            for (auto& [webhook, subscription] : organization.subscriptions) subscription.readable.reset();
        }
        if (events::is<events::OAuthGrantRevoked>(event.data)) abandon_granted(event.meta);
    }

    /// What was still to be sent to a client is not, once its user takes back what they let it do.
    void abandon_granted(events::Envelope const& revoked) {
        std::vector<core::Id> webhooks;
        for (auto const& [id, subscription] : known_[revoked.organization].subscriptions) {
            auto const& grant = subscription.record.internals.grant;
            if (grant && grant->grantId == revoked.subject.id) webhooks.push_back(id);
        }
        if (!webhooks.empty()) abandon(webhooks, true);
    }

    /// What was still to be sent of an organization that is deactivated is not, whoever asked for it.
    void fold_organization(events::Event const& event) {
        auto const change = change_of(event);
        if (change == OrganizationChange::none) return;
        keep_organization(connection_, kReactor, event);
        auto& organization = known_[event.meta.organization];
        organization.active = change == OrganizationChange::reactivated;
        if (organization.active) return;
        std::vector<core::Id> webhooks;
        for (auto const& [id, subscription] : organization.subscriptions) webhooks.push_back(id);
        if (!webhooks.empty()) abandon(webhooks, true);
    }

    /// What the subscription delivers of what its creator may read now.
    bool delivers(Subscription& subscription, WebhookMessage const& message, core::Timestamp at) {
        auto const type = message.type;
        auto const& record = subscription.record;
        bool const named = std::ranges::any_of(record.events, [&](core::ShortText const& each) {
            return each.value == events::kEveryType || each.value == type;
        });
        if (!named) return false;
        if (!subscription.readable) subscription.readable = readers_.readable(record);
        auto const& readable = *subscription.readable;
        return readable.holds(at) && readable.reaches(message.facilities) &&
               events::includes_type(readable.types, type);
    }

    void load_subscriptions(std::set<core::Id> const& organizations) {
        if (organizations.empty()) return;
        auto const inactive = inactive_organizations(connection_, kReactor, organizations);
        for (auto const id : organizations) known_[id].active = !inactive.contains(id);
        for (auto const& row : connection_.execute(kSubscriptions, core::array_literal(organizations))) {
            auto record = core::from_stored_json<WebhookRecord>(core::read_view(row["doc"]));
            auto const organization = record.organizationId;
            known_[organization].subscriptions[core::read<core::Id>(row["webhook_id"])] = {
                core::read<std::int64_t>(row["version"]), std::move(record)};
        }
    }

    /// Whether the event may change deliveries or attempts that are there.
    static bool changes_what_is_recorded(events::Event const& event) {
        return !event.meta.sandbox && (event.meta.subject.kind == events::Kind::webhook || events::erases(event.data) ||
                                       events::is<events::OAuthGrantRevoked>(event.data) ||
                                       change_of(event) == OrganizationChange::deactivated);
    }

    /// Any queue that the batch may wake or drop.
    void lock_queues_of(std::span<events::Event const> events) {
        std::set<core::Id> organizations;
        for (auto const& event : events) {
            if (!event.meta.sandbox) organizations.insert(event.meta.organization);
        }
        std::vector<core::Id> webhooks;
        for (auto const organization : organizations) {
            for (auto const& [id, subscription] : known_[organization].subscriptions) webhooks.push_back(id);
        }
        if (!webhooks.empty()) lock_queues(connection_, webhooks);
    }

    void fold_webhook(events::Event const& event, events::WebhookEvent const& data) {
        auto const id = event.meta.subject.id;
        auto& subscription = known_[event.meta.organization].subscriptions[id];
        bool const was_active = subscription.record.isActive && !subscription.record.deleted;
        evolve(subscription.record, data, event.meta);
        subscription.version = event.meta.seq;
        subscription.readable.reset();
        changed_.insert({event.meta.organization, id});
        bool const is_active = subscription.record.isActive && !subscription.record.deleted;
        // One that is deleted when it is inactive may have manual ones left.
        bool const deleted = subscription.record.deleted;
        if (!is_active && (was_active || deleted)) abandon({id}, deleted);
        if (std::holds_alternative<events::WebhookEnabled>(data)) connection_.execute(kResetQueue, id);
        // What waits was another's to read, where the client did not make the subscription itself.
        if (std::holds_alternative<events::WebhookGranted>(data)) abandon({id}, true);
        if (event.meta.position <= acts_after_) return;
        if (auto const* again = std::get_if<events::WebhookRedelivered>(&data)) redeliver(event.meta, *again);
        if (auto const* again = std::get_if<events::WebhookReplayed>(&data)) replay(event.meta, *again);
    }

    /// What is still to be sent is not; what somebody asked for neither, where `manual` says so.
    void abandon(std::vector<core::Id> const& webhooks, bool manual) {
        add_deliveries();
        connection_.execute(kAbandon, webhooks, kMostAttempts, manual);
    }

    /// What the creator of the subscription may read at the time of its event.
    Readable readable_at(events::Envelope const& meta) {
        auto const& organization = known_[meta.organization];
        auto readable = readers_.readable(organization.subscriptions.at(meta.subject.id).record);
        if (!organization.active || !readable.holds(meta.time)) readable.types.clear();
        return readable;
    }

    void redeliver(events::Envelope const& meta, events::WebhookRedelivered const& again) {
        add_deliveries();
        auto const readable = readable_at(meta);
        connection_.execute(kRedeliver, partition_, meta.subject.id, meta.organization, again.deliveryId,
                            again.newDeliveryId, meta.id, readable.types, kNotReadable, readable.facilities);
        woken_[meta.subject.id] = meta.organization;
    }

    void replay(events::Envelope const& meta, events::WebhookReplayed const& again) {
        add_deliveries();
        auto const& record = known_[meta.organization].subscriptions[meta.subject.id].record;
        auto const readable = readable_at(meta);
        auto const types =
            events::types_to_replay(events::effective_types(record.events, readable.types), again.eventTypes);
        connection_.execute(kReplay, meta.id, meta.subject.id, meta.organization, again.since, again.until, types,
                            record.facilityId.value, again.onlyFailed, partition_, readable.facilities);
        woken_[meta.subject.id] = meta.organization;
    }

    void fold_lead(events::Envelope const& meta, events::LeadEvent const& event) {
        workers::fold(leads_.rows[meta.subject.id], event);
        leads_.changed[meta.subject.id] = meta.organization;
    }

    /// Adds the event's body and a delivery for each subscription that hears of it.
    void tell(events::Event const& event) {
        auto& [active, subscriptions] = known_[event.meta.organization];
        if (!active || subscriptions.empty()) return;
        auto const lead = leads_.rows.find(event.meta.subject.id);
        bool const of_lead = event.meta.subject.kind == events::Kind::lead && lead != leads_.rows.end();
        auto message = message_of(event, of_lead ? lead->second : std::optional<LeadBrief>());
        if (!message || !seal(*message)) return;
        for (auto& [id, subscription] : subscriptions) {
            auto const& record = subscription.record;
            if (!record.isActive || record.deleted || !reaches(record, message->facilities)) continue;
            if (!delivers(subscription, *message, event.meta.time)) continue;
            deliveries_.push_back({id, &event.meta, message->type});
            woken_[id] = event.meta.organization;
        }
        bodies_.push_back({&event.meta, *std::move(message)});
    }

    /// Seals the body where it is about a person. False: who was erased since is nobody's to hear of.
    bool seal(WebhookMessage& message) {
        if (message.person.empty()) return true;
        auto sealed = seal_for(keyring_, message.person, kWebhookBodyPlace, message.body);
        if (!sealed) return false;
        message.body = *std::move(sealed);
        return true;
    }

    void add_deliveries() {
        using Text = std::string_view;
        core::execute_rows(connection_, kAddBodies, bodies_, [](Body const& body) {
            auto const& [cause, message] = body;
            return std::tuple(Text(cause->id), cause->time, cause->organization,
                              core::array_literal(message.facilities), message.type, Text(cause->correlation()),
                              Text(message.person), core::Bytes{message.body});
        });
        auto const values_of = [](Delivery const& delivery) {
            auto const& [webhook, cause, type] = delivery;
            return std::tuple(webhook, cause->organization, Text(cause->id), type, cause->time);
        };
        core::execute_rows(connection_, kAddDeliveries, deliveries_, values_of, partition_);
        bodies_.clear();
        deliveries_.clear();
    }

    void keep_subscriptions() {
        std::vector<std::pair<core::Id, core::Id>> kept;
        for (auto const& [organization, id] : changed_) {
            auto& subscriptions = known_[organization].subscriptions;
            if (!subscriptions.at(id).record.deleted) {
                kept.emplace_back(organization, id);
                continue;
            }
            connection_.execute(kDropSubscription, id);
            connection_.execute(kDropQueue, id);
            woken_.erase(id);
            subscriptions.erase(id);
        }
        core::execute_rows(connection_, kKeepSubscriptions, kept, [&](auto const& each) {
            auto const& [version, record, readable] = known_[each.first].subscriptions.at(each.second);
            return std::tuple(each.second, each.first, version, record.isActive, core::to_json(record));
        });
    }

    void wake_queues() {
        core::execute_rows(connection_, kWakeQueues, woken_,
                           [](auto const& each) { return std::tuple(each.first, each.second); });
    }

    core::Connection& connection_;
    events::Keyring& keyring_;
    int const partition_;
    KnownOrganizations& known_;
    WebhookReaders readers_;
    std::int64_t acts_after_ = -1;
    FoldedRows<LeadBrief> leads_;
    std::set<std::pair<core::Id, core::Id>> changed_;  // organization and subscription
    std::map<core::Id, core::Id> woken_;               // subscriptions, with their organizations
    std::vector<Body> bodies_;
    std::vector<Delivery> deliveries_;
};

/// What it remembers stands in its tables.
class Webhooks final : public projections::Projection {
   public:
    explicit Webhooks(events::Keyring& keyring) : keyring_(keyring) {}
    void apply(core::Connection& connection, int partition, std::span<events::Event const> events) override {
        if (known_.size() > kMostOrganizations) known_.clear();
        WebhookBatch(connection, keyring_, partition, known_).fold(events);
    }
    void forget() override { known_.clear(); }

   private:
    static constexpr std::size_t kMostOrganizations = 10'000;

    events::Keyring& keyring_;
    KnownOrganizations known_;
};

}  // namespace

ReactorType webhooks() {
    static WorkTable const work(kReactor, "webhook_delivery");
    return {.name = kReactor,
            .revision = 1,
            .kinds = {events::Kind::webhook, events::Kind::lead, events::Kind::shift, events::Kind::staff,
                      events::Kind::user, events::Kind::api_key, events::Kind::credential, events::Kind::timesheet,
                      events::Kind::payroll_run, events::Kind::organization, events::Kind::agent_run,
                      events::Kind::oauth_grant, events::Kind::oauth_client},
            .make = [](events::Keyring& keyring) -> std::unique_ptr<projections::Projection> {
                return std::make_unique<Webhooks>(keyring);
            },
            .work = &work};
}

}  // namespace workforce::workers
