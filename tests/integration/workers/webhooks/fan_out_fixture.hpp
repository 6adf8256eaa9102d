// The fan-out of webhooks over a real log and database, and what is due by it.
#pragma once

#include <algorithm>
#include <array>
#include <future>

#include "events/lead.hpp"
#include "events/webhook.hpp"
#include "tests/integration/projections/fixture.hpp"
#include "tests/support/await.hpp"
#include "workers/engine/standing.hpp"
#include "workers/jobs/due_job.hpp"
#include "workers/reactors/reactors.hpp"
#include "workers/webhooks/due_reader.hpp"

namespace workforce::tests {

using events::Kind;
using Types = std::vector<std::string>;

inline constexpr std::string_view kMe = "a process";

inline events::WebhookCreated webhook_created(std::vector<core::ShortText> types, Types readable = {"*"}) {
    events::WebhookCreated webhook;
    webhook.name = "Mirror";
    webhook.url = "https://hooks.example.test/in";
    webhook.events = std::move(types);
    webhook.readable = std::move(readable);
    webhook.secretId = "a secret";
    return webhook;
}
inline events::WebhookUpdated switched_off() {
    events::WebhookUpdated updated;
    updated.isActive = false;
    return updated;
}
inline events::LeadCreated grace() {
    events::LeadCreated lead;
    lead.name = core::ShortText("Grace Hopper");
    lead.company = "Harbour Care";
    return lead;
}
inline events::LeadStatusChanged to_qualified() {
    events::LeadStatusChanged moved;
    moved.from = events::LeadStatus::contacted;
    moved.status = events::LeadStatus::qualified;
    return moved;
}

class WebhookFanOutTest : public ProjectionsTest {
   protected:
    WebhookFanOutTest() { writer_.meta.organization = elsewhere_.meta.organization = 7; }

    void record_starts() {
        core::Connection owner(connection());
        workers::record_starts(
            owner, kTestPartitions,
            [&] {
                events::PostgresLogOptions options;
                options.database_url = database_.url();
                return std::make_unique<events::PostgresLog>(options);
            },
            types_);
    }
    /// Folds the log to its end, in batches of that many events.
    void react(std::size_t batch = 2000) {
        auto options = runner_options(batch);
        options.tables = projections::Tables::reactors;
        auto const folds = workers::reactor_folds(keyring_, types_);
        projections::Runner runner(*log_, keyring_, options, folds);
        fold(runner);
    }
    void subscribe(core::Id webhook, events::WebhookCreated created) {
        created.secretId = await(secrets_.put("whsec_c2VjcmV0", 7, webhook));
        writer_.append(Kind::webhook, webhook, created);
    }
    void post(core::Id shift, core::Id facility = 1) {
        writer_.meta.facility = facility;
        writer_.append(Kind::shift, shift, shift_posted(facility, "Night", "2026-07-24T20:00:00Z"));
        writer_.meta.facility = 0;
    }
    void fill(core::Id shift, core::Id facility = 1) {
        writer_.meta.facility = facility;
        writer_.append(Kind::shift, shift, events::ShiftFilled{{4}});
        writer_.meta.facility = 0;
    }
    void qualify(core::Id lead) {
        writer_.append(Kind::lead, lead, grace());
        writer_.append(Kind::lead, lead, to_qualified());
        writer_.append(Kind::lead, lead, events::LeadQualified{});
    }

    /// What is to be sent, by subscription: "1 shift_posted event, 2 shift_filled manual".
    std::string deliveries() {
        return ask(
            "SELECT coalesce(string_agg(webhook_id || ' ' || event_type || ' ' || trigger, ', '"
            " ORDER BY webhook_id, id), '') FROM reactor.webhook_delivery");
    }
    std::string count(std::string const& table) { return ask("SELECT count(*) FROM " + table); }
    core::Connection session() { return core::Connection(workers::reactor_session(connection())); }

    /// What is due, of all subscriptions, as the engine takes it.
    std::vector<workers::DueDelivery> due() {
        auto writes = session();
        auto const now = workers::database_time(writes);
        std::vector<core::Id> webhooks;
        for (auto const& queue : workers::lease_queues(writes, {.owner = std::string(kMe)}, now, 100)) {
            webhooks.push_back(queue.webhook);
        }
        auto all = workers::DueReader(keyring_, secrets_)
                       .read(writes, kMe, webhooks, std::vector<int>(webhooks.size(), 100), {}, now);
        workers::release_queues(writes, kMe);
        return std::move(all.deliveries);
    }
    /// Records that all that is due was sent, and how it went. Returns the attempts' ids.
    std::vector<core::Id> send_all(bool delivered) {
        std::vector<workers::AttemptRecord> records;
        std::vector<core::Id> ids;
        auto writes = session();
        auto const now = workers::database_time(writes);
        for (auto& delivery : due()) {
            ids.push_back(delivery.id);
            workers::AttemptRecord record{.delivery = std::move(delivery),
                                          .status = delivered ? "succeeded" : "failed"};
            record.result.response_body = "thanks";
            record.at = now;
            records.push_back(std::move(record));
        }
        workers::record_attempts(writes, kMe, records, {}, now);
        return ids;
    }
    void replay(core::Id webhook, Types wanted = {}, bool only_failed = false) {
        events::WebhookReplayed again;
        again.since = *core::parse_timestamp("2026-07-24T00:00:00Z");
        again.until = *core::parse_timestamp("2026-07-25T00:00:00Z");
        again.eventTypes = std::move(wanted);
        again.onlyFailed = only_failed;
        writer_.append(Kind::webhook, webhook, again);
    }

    /// Returns once what was begun waits for a lock, or is done.
    void wait_blocked(std::future<void> const& begun) {
        while (begun.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
            if (ask("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    " AND wait_event_type = 'Lock'") != "0")
                return;
        }
    }

    core::Database secret_sessions_{{.connection = connection(), .threads = 1}};
    workers::SigningSecretStore secrets_{secret_sessions_, std::string(32, 'k')};
    std::array<workers::ReactorType, 1> const types_{workers::webhooks()};
    EventWriter writer_{*log_, keyring_, 0};
    EventWriter elsewhere_{*log_, keyring_, 1};
};

}  // namespace workforce::tests
