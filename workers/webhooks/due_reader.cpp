// Rows of deliveries first; then what of subscriptions and bodies is not in memory.
#include "workers/webhooks/due_reader.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <pqxx/except>
#include <set>

#include "core/json_io.hpp"
#include "workers/engine/sealing.hpp"
#include "workers/sql.hpp"
#include "workers/webhooks/places.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kDue{"webhook_due_deliveries", sql::webhooks_due_deliveries};
constexpr core::Statement kBodies{"webhook_due_bodies", sql::webhooks_due_bodies};
constexpr core::Statement kTargets{"webhook_targets", R"(
SELECT webhook_id, version, doc FROM reactor.webhook_subscription WHERE webhook_id = ANY ($1::bigint[]))"};

constexpr std::size_t kMostTargets = 10'000;  // in memory
constexpr std::size_t kMostBodies = 10'000;   // names of them, most of which are gone

}  // namespace

DueWork DueReader::read(core::Connection& connection, std::string_view owner, std::vector<core::Id> const& webhooks,
                        std::vector<int> const& rooms, std::vector<core::Id> const& known, core::Timestamp now) {
    DueWork work;
    std::map<core::Id, std::int64_t> versions;
    for (auto const& row : connection.execute(kDue, webhooks, rooms, owner, now)) {
        auto const id = core::read<core::Id>(row[0]);
        if (std::ranges::binary_search(known, id)) continue;
        auto& delivery = work.deliveries.emplace_back();
        delivery.id = id;
        delivery.organization = core::read<core::Id>(row[1]);
        delivery.webhook = core::read<core::Id>(row[2]);
        delivery.event_id = core::read<std::string>(row[3]);
        delivery.event_type = core::read<std::string>(row[4]);
        delivery.body_at = core::read<core::Timestamp>(row[5]);
        delivery.trigger = core::read<std::string>(row[6]);
        delivery.attempt = core::read<int>(row[7]);
        versions.emplace(delivery.webhook, core::read<std::int64_t>(row[8]));
    }
    if (work.deliveries.empty()) return work;
    add_targets(connection, work, versions);
    add_bodies(connection, work.deliveries);
    return work;
}

void DueReader::add_targets(core::Connection& connection, DueWork& work,
                            std::map<core::Id, std::int64_t> const& versions) {
    if (targets_.size() > kMostTargets) targets_.clear();
    std::vector<core::Id> unknown;
    for (auto const& [webhook, version] : versions) {
        auto const& target = targets_[webhook];
        if (!target || target->version != version) unknown.push_back(webhook);
    }
    if (!unknown.empty()) read_targets(connection, unknown);
    for (auto const& [webhook, version] : versions) {
        auto const& target = targets_[webhook];
        if (target && target->version == version) work.targets[webhook] = target;
    }
    // Of a subscription that was deleted meanwhile nothing is due any more, what is due of one that changed meanwhile
    // is read again, and one that can't be read has to wait.
    std::erase_if(work.deliveries, [&](auto const& delivery) { return !work.targets.contains(delivery.webhook); });
}

void DueReader::read_targets(core::Connection& connection, std::vector<core::Id> const& webhooks) {
    std::map<core::Id, std::shared_ptr<DeliveryTarget>> read;
    for (auto const& row : connection.execute(kTargets, webhooks)) {
        auto const webhook = core::read<core::Id>(row[0]);
        readable("subscription", std::to_string(webhook), [&] {
            auto const record = core::from_stored_json<events::WebhookRecord>(core::read_view(row[2]));
            read[webhook] = std::make_shared<DeliveryTarget>(
                DeliveryTarget{core::read<std::int64_t>(row[1]), record.url.value, record.internals, {}});
        });
    }
    auto const ids_of = [](DeliveryTarget const& target) {
        std::vector<std::string> ids{target.internals.secret};
        if (!target.internals.nextSecret.empty()) ids.push_back(target.internals.nextSecret);
        return ids;
    };
    std::vector<std::string> ids;
    for (auto const& [webhook, target] : read) std::ranges::copy(ids_of(*target), std::back_inserter(ids));
    std::map<std::string, std::string> secrets;
    bool const all = readable("secret", "", [&] { secrets = secrets_.read(connection, ids); });
    for (auto const webhook : webhooks) targets_.erase(webhook);
    for (auto& [webhook, target] : read) {
        bool const sound = readable("secret", std::to_string(webhook), [&] {
            auto const own = ids_of(*target);
            if (!all) secrets.merge(secrets_.read(connection, own));
            for (auto const& id : own) target->secrets.emplace(id, secrets.at(id));
        });
        if (sound) targets_[webhook] = std::move(target);
    }
}

bool DueReader::readable(std::string_view what, std::string const& id, std::function<void()> const& make) {
    try {
        make();
        return true;
    } catch (pqxx::failure const&) {
        throw;  // that is the database
    } catch (std::exception const& error) {
        unreadable_.met(core::Level::error, {{"what", what}, {"id", id}, {"error", error.what()}});
        return false;
    }
}

void DueReader::add_bodies(core::Connection& connection, std::vector<DueDelivery>& deliveries) {
    if (bodies_.size() > kMostBodies) {
        std::erase_if(bodies_, [](auto const& each) { return each.second.expired(); });
    }
    std::map<std::string, std::shared_ptr<DeliveryBody const>> found;
    std::vector<std::string> unknown;
    std::vector<core::Timestamp> at;
    for (auto const& delivery : deliveries) {
        auto const [place, is_new] = found.try_emplace(delivery.event_id);
        if (!is_new) continue;
        if (auto const known = bodies_.find(delivery.event_id); known != bodies_.end())
            place->second = known->second.lock();
        if (place->second) continue;
        unknown.push_back(delivery.event_id);
        at.push_back(delivery.body_at);
    }
    if (!unknown.empty()) {
        auto const rows = connection.execute(kBodies, unknown, at);
        std::vector<std::string> persons;
        for (auto const& row : rows) {
            if (!row[2].is_null()) persons.push_back(core::read<std::string>(row[2]));
        }
        if (!persons.empty()) keyring_.prefetch(persons);
        for (auto const& row : rows) {
            auto const event = core::read<std::string>(row[0]);
            auto body = std::make_shared<DeliveryBody>();
            bool const sound = readable("body", event, [&] {
                body->correlation_id = core::read<std::string>(row[1]);
                auto stored = core::read_bytes(row[3]);
                body->bytes = row[2].is_null()
                                  ? std::move(stored)
                                  : open_for(keyring_, core::read<std::string>(row[2]), kWebhookBodyPlace, stored);
            });
            if (!sound) {
                std::erase_if(deliveries, [&](auto const& delivery) { return delivery.event_id == event; });
                continue;
            }
            bodies_[event] = body;
            found[event] = std::move(body);
        }
    }
    for (auto& delivery : deliveries) delivery.body = found[delivery.event_id];
}

}  // namespace workforce::workers
