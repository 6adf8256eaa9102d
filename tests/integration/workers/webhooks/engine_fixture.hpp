// Delivery engines, as processes have them, on one database with a clock that a test sets.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/connection.hpp"
#include "core/crypto.hpp"
#include "core/ids.hpp"
#include "core/json.hpp"
#include "tests/integration/workers/webhooks/receiver.hpp"
#include "tests/support/await.hpp"
#include "tests/support/memory_keyring.hpp"
#include "tests/support/test_database.hpp"
#include "workers/webhooks/delivery_engine.hpp"

namespace workforce::tests {

using core::Id;

/// An engine on a thread of its own, with sessions and connections of its own.
class RunningEngine {
   public:
    RunningEngine(core::ConnectionOptions connection,
                  std::function<workers::DeliveryParts(RunningEngine&)> const& parts, workers::DeliveryLimits limits)
        : database({.connection = std::move(connection), .threads = 3}),
          engine_(std::make_unique<workers::DeliveryEngine>(parts(*this), limits)) {
        boost::asio::co_spawn(*context_, engine_->run(), [this](std::exception_ptr const& error) {
            EXPECT_FALSE(error);
            returned_ = true;
        });
        thread_ = std::thread([this] { context_->run(); });
    }
    ~RunningEngine() {
        stop();
        drop();
    }
    RunningEngine(RunningEngine const&) = delete;
    RunningEngine& operator=(RunningEngine const&) = delete;

    /// Tells it that something may be due.
    void look_soon() {
        boost::asio::post(*context_, [this] { engine_->look_soon(); });
    }
    /// Asks it to end; it has once returned() holds.
    void ask_to_stop() {
        boost::asio::post(*context_, [this] { engine_->stop(); });
    }
    /// Ends it in order.
    void stop() {
        if (!thread_.joinable()) return;
        ask_to_stop();
        while (!returned_) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        drop();
    }
    /// Has it be gone, as when its process was killed.
    void drop() {
        if (!thread_.joinable()) return;
        context_->stop();
        thread_.join();
        database.stop();
        client.close();
        engine_.reset();
        context_.reset();
    }
    [[nodiscard]] bool returned() const { return returned_; }
    [[nodiscard]] workers::DeliveryStats const& stats() const { return engine_->stats(); }

    core::Database database;
    net::HttpClient client;
    workers::WebhookSender sender{client, true};
    std::atomic<std::uint64_t> looks = 0;  ///< at what is due

   private:
    std::unique_ptr<boost::asio::io_context> context_ = std::make_unique<boost::asio::io_context>(1);
    std::unique_ptr<workers::DeliveryEngine> engine_;
    std::atomic<bool> returned_ = false;
    std::thread thread_;
};

class DeliveryEngineTest : public testing::Test {
   protected:
    static constexpr Id kOrganization = 7;

    std::unique_ptr<RunningEngine> start(std::string const& owner = "one", workers::DeliveryLimits limits = {}) {
        auto parts = [this, owner](RunningEngine& engine) {
            return workers::DeliveryParts{
                .writes = engine.database,
                .keyring = keyring_,
                .secrets = secrets_,
                .sender = engine.sender,
                .ask = [this](workers::OperationRequest request) { return disable(std::move(request)); },
                .owner = owner,
                .clock =
                    [this, &engine](core::Connection& connection) {
                        ++engine.looks;
                        return core::Timestamp{workers::database_time(connection).ms + ahead_ms_};
                    }};
        };
        core::ConnectionOptions connection{.url = database_.url(), .role = "workforce_writer"};
        connection.statement_timeout = statement_timeout_;
        connection.application_name = "engine " + owner;
        return std::make_unique<RunningEngine>(connection, parts, limits);
    }

    /// A subscription of that path at the receiver, with one secret.
    Id subscribe(std::string const& path) {
        Id const id = ++last_id_;
        events::WebhookRecord record;
        record.id = id;
        record.organizationId = kOrganization;
        record.url = receiver_.url(path);
        record.internals.secret = put_secret(id, "first" + std::to_string(id));
        keep(record);
        ask("INSERT INTO reactor.webhook_queue (webhook_id, organization_id) VALUES (" + std::to_string(id) + ", 7)");
        return id;
    }
    std::string put_secret(Id webhook, std::string const& text) {
        return await(secrets_.put("whsec_" + core::base64_encode(text), kOrganization, webhook));
    }
    void keep(events::WebhookRecord const& record) {
        static constexpr core::Statement kKeep{"test_keep", R"(
INSERT INTO reactor.webhook_subscription VALUES ($1, $2, 1, true, $3)
ON CONFLICT (webhook_id) DO UPDATE SET version = webhook_subscription.version + 1, doc = excluded.doc)"};
        owner_.execute(kKeep, record.id, kOrganization, core::to_json(record));
    }
    /// So many events for these subscriptions, as the fan-out adds them: an event's time has
    /// milliseconds. Returns the events' ids.
    std::vector<std::string> deliver(std::vector<Id> const& webhooks, int count = 1,
                                     std::string const& trigger = "event", int attempt = 1) {
        static constexpr core::Statement kBodies{"test_bodies", R"(
INSERT INTO ops.webhook_body (event_id, at, organization_id, facility_ids, event_type, correlation_id, body)
SELECT e, date_trunc('milliseconds', now()), 7, '{}', 'shift_posted', 'req_1', convert_to('{"id":"' || e || '"}', 'UTF8')
FROM unnest($1::uuid[]) AS e)"};
        static constexpr core::Statement kDeliveries{"test_deliveries", R"(
INSERT INTO reactor.webhook_delivery (
    partition, organization_id, webhook_id, event_id, event_type, body_at, cause, trigger, attempt)
SELECT 0, 7, w, e, 'shift_posted', date_trunc('milliseconds', now()), gen_random_uuid(), $3, $4::int
FROM unnest($1::bigint[]) AS w, unnest($2::uuid[]) AS e)"};
        static constexpr core::Statement kWake{"test_wake", R"(
UPDATE reactor.webhook_queue SET next_due = least(next_due, now()) WHERE webhook_id = ANY ($1::bigint[]))"};
        std::vector<std::string> ids;
        for (int i = 0; i < count; ++i) ids.push_back(core::uuid_v7(core::now()));
        owner_.transaction([&] {
            owner_.execute(kBodies, ids);
            owner_.execute(kDeliveries, webhooks, ids, trigger, attempt);
            owner_.execute(kWake, webhooks);
        });
        return ids;
    }
    std::vector<std::string> deliver(Id webhook, int count = 1) { return deliver(std::vector{webhook}, count); }

    /// The first field of the first row, as the superuser sees it.
    std::string ask(std::string const& sql) { return database_.ask(sql); }
    std::string pending() { return ask("SELECT count(*) FROM reactor.webhook_delivery"); }
    /// What was recorded, in its order: "succeeded failed".
    std::string attempts() {
        return ask("SELECT coalesce(string_agg(status, ' ' ORDER BY id), '') FROM ops.webhook_attempt");
    }
    std::string queue(Id webhook, std::string const& column) {
        return ask("SELECT " + column + " FROM reactor.webhook_queue WHERE webhook_id = " + std::to_string(webhook));
    }

    /// Waits until it holds, for as long as a test may hang.
    static bool eventually(std::function<bool()> const& holds) {
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        while (!holds()) {
            if (std::chrono::steady_clock::now() > deadline) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    }
    /// Waits until the engine has looked for what is due by the present clock, and has begun what it found.
    static bool looked(RunningEngine& engine) {
        auto const before = engine.looks.load();
        return eventually([&] { return engine.looks >= before + 3; });
    }
    /// Waits until nothing more is due nor under way.
    bool settled(RunningEngine& engine) {
        return eventually([&] { return pending() == "0" && engine.stats().under_way == 0; });
    }

    std::vector<workers::OperationRequest> asked() {
        std::lock_guard const lock(mutex_);
        return asked_;
    }

    TestDatabase database_;
    core::Connection owner_{{.url = database_.url(), .statement_timeout = {}}};  // thousands of rows take their time
    MemoryKeyring keyring_;
    core::Database secret_sessions_{{.connection = {.url = database_.url(), .role = "workforce_writer"}, .threads = 1}};
    workers::SigningSecretStore secrets_{secret_sessions_, std::string(32, 'k')};
    Receiver receiver_;
    std::atomic<std::int64_t> ahead_ms_ = 0;   ///< of the engines' clock
    std::atomic<bool> hold_requests_ = false;  ///< requests to disable wait
    std::atomic<bool> fold_requests_ = true;   ///< what they ask for is folded at once
    std::chrono::milliseconds statement_timeout_{10'000};

   private:
    /// As the operation, and as the fan-out that folds its event.
    boost::asio::awaitable<core::Result<workers::OperationAnswer>> disable(workers::OperationRequest request) {
        {
            std::lock_guard const lock(mutex_);
            asked_.push_back(request);
        }
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
        while (hold_requests_) {
            timer.expires_after(std::chrono::milliseconds(5));
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        if (fold_requests_) {
            auto const id = std::to_string(request.id);
            ask("WITH gone AS (DELETE FROM reactor.webhook_delivery WHERE webhook_id = " + id +
                " AND trigger <> 'manual' RETURNING *) INSERT INTO ops.webhook_attempt (id, organization_id, "
                "webhook_id,"
                " event_id, event_type, body_at, attempt, trigger, status) SELECT id, organization_id, webhook_id,"
                " event_id, event_type, body_at, attempt, trigger, 'abandoned' FROM gone WHERE attempt <= 6");
        }
        co_return workers::OperationAnswer{};
    }

    std::mutex mutex_;
    std::vector<workers::OperationRequest> asked_;
    Id last_id_ = 0;
};

}  // namespace workforce::tests
