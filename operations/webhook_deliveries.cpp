// What became of deliveries, tests, and sending once more.
#include <algorithm>

#include "core/ids.hpp"
#include "events/webhook_types.hpp"
#include "operations/declare.hpp"
#include "operations/webhooks.hpp"
#include "workers/webhooks/delivery_store.hpp"
#include "workers/webhooks/payload.hpp"

namespace workforce::operations {

template <>
struct FurtherFaults<commands::ReplayWebhook> {
    static std::vector<core::FieldError> of(commands::ReplayWebhook const& replay) {
        return commands::faults_of(replay, core::now());
    }
};

/// What came of a test.
struct WebhookTestResult {
    bool delivered = false;
    core::Nullable<std::int32_t> statusCode;
    std::string responseBody;
    core::Nullable<std::string> error;
    std::int32_t durationMs = 0;
    Id deliveryId = 0;
    std::optional<std::string> skipped;  ///< why nothing was sent: "sandbox"
};
BOOST_DESCRIBE_STRUCT(WebhookTestResult, (),
                      (delivered, statusCode, responseBody, error, durationMs, deliveryId, skipped))

namespace {

using boost::asio::awaitable;
using core::Code;
using events::Kind;
using projections::WebhookDelivery;

constexpr std::string_view kSandboxSkip = "sandbox";
constexpr std::int64_t kTestMs = 15'000;  // a test that is not recorded by then never will be: its process died

WebhookServices& services_of_webhooks(Call const& call) { return *call.services.webhooks; }

awaitable<Id> new_delivery_id(Call const& call) {
    co_return co_await services_of_webhooks(call).writes.run(
        [](core::Connection& connection) { return workers::take_delivery_id(connection); });
}

/// The attempts of one subscription, which newest first alone are in order.
awaitable<core::Result<projections::Page>> delivery_page(core::Database& database, projections::Scope scope,
                                                         projections::PageRequest request, Id webhook) {
    std::optional<Id> before;
    if (request.after) before = core::parse_integer(request.after->back());
    auto deliveries = co_await projections::newest_deliveries(database, scope, webhook, before, request.limit + 1);
    projections::Page page;
    page.has_more = deliveries.size() > static_cast<std::size_t>(request.limit);
    if (page.has_more) {
        deliveries.pop_back();
        page.next = {"id", std::to_string(deliveries.back().id)};
    }
    page.rows = core::to_json(deliveries);
    co_return page;
}

struct DeliveryQuery {
    std::optional<core::Int<1, core::kMaxId>> limit;
    std::optional<std::string> cursor;
    std::optional<Id> orgUnitId;
};
BOOST_DESCRIBE_STRUCT(DeliveryQuery, (), (limit, cursor, orgUnitId))

awaitable<Outcome> list_deliveries(Call& call) {
    auto const found = co_await find_webhook(call);
    if (!found) co_return refuse(call, found.error());
    auto input = read_query<DeliveryQuery>(call.input.parameters).map([](DeliveryQuery const& query) {
        PageQuery page;
        page.limit = query.limit;
        page.cursor = query.cursor;
        return ListInput{page, {}};
    });
    auto source = [webhook = found->view.id](core::Database& database, projections::Scope scope,
                                             projections::PageRequest request, std::vector<core::Parameter>) {
        return delivery_page(database, std::move(scope), std::move(request), webhook);
    };
    co_return co_await get_list(call, PageSource(source), std::move(input));
}

WebhookTestResult result_of(WebhookDelivery const& attempt) {
    WebhookTestResult result{attempt.status == "succeeded",
                             attempt.statusCode,
                             attempt.responseBody,
                             attempt.error,
                             attempt.durationMs.value.value_or(0),
                             attempt.id,
                             {}};
    if (attempt.status == "skipped") result.skipped = kSandboxSkip;
    return result;
}

WebhookTestResult result_of(workers::AttemptRecord const& record) {
    WebhookTestResult result;
    result.delivered = record.result.delivered;
    result.statusCode.value = record.result.status_code;
    result.responseBody = record.result.response_body;
    result.error.value = record.result.error;
    result.durationMs = record.result.duration_ms;
    result.deliveryId = record.delivery.id;
    if (record.status == "skipped") result.skipped = kSandboxSkip;
    return result;
}

/// The secrets that a test is signed with now.
awaitable<workers::SigningSecrets> secrets_of(Call const& call, events::WebhookInternals internals) {
    auto& services = services_of_webhooks(call);
    std::vector<std::string> ids{internals.secret};
    if (!internals.nextSecret.empty()) ids.push_back(internals.nextSecret);
    auto const known = co_await services.writes.run(
        [&store = services.secrets, ids](core::Connection& connection) { return store.read(connection, ids); });
    co_return workers::signing_secrets(internals, core::now(), known);
}

/// One attempt, without another whatever comes of it. The sandbox sends none.
awaitable<workers::AttemptRecord> send_test(Call& call, commands::WebhookTarget target) {
    auto const now = core::now();
    workers::AttemptRecord record{.delivery = {.id = target.deliveryId,
                                               .organization = call.meta.organization,
                                               .webhook = call.input.path.id(),
                                               .event_id = core::uuid_v7(now),
                                               .event_type = std::string(events::kTestType),
                                               .trigger = "test",
                                               .body = {}},
                                  .status = "skipped",
                                  .at = now,
                                  .sandbox = call.meta.sandbox};
    if (!call.meta.sandbox) {
        auto body = workers::test_body(record.delivery.event_id, record.delivery.webhook, now);
        workers::OutgoingDelivery outgoing{.id = target.deliveryId,
                                           .url = target.url,
                                           .secrets = co_await secrets_of(call, target.internals),
                                           .event_id = record.delivery.event_id,
                                           .event_type = record.delivery.event_type,
                                           .correlation_id = call.meta.request_id,
                                           .body = std::make_shared<std::string const>(std::move(body))};
        record.result = co_await services_of_webhooks(call).sender.send(std::move(outgoing), now);
        record.status = record.result.delivered ? "succeeded" : "failed";
    }
    co_await services_of_webhooks(call).writes.run(
        [record](core::Connection& connection) { workers::record_test(connection, record); });
    co_return record;
}

/// A retry with the same key gets what came of the first request.
awaitable<Outcome> test_webhook(Call& call) {
    auto command = read_command<commands::TestWebhook>(call);
    if (command) {
        command->rights = webhook_rights(*call.caller);
        command->delivery_id = co_await new_delivery_id(call);
    }
    auto outcome = co_await submit(call, submission_of(call, std::move(command)), 0);
    if (outcome.status >= 300) co_return outcome;
    auto target = core::from_stored_json<commands::WebhookTarget>(outcome.body);
    std::optional<WebhookDelivery> before;
    if (outcome.replayed) {
        auto const scope = read_scope(call);
        before = co_await projections::find_attempt(call.services.database_of(*scope), *scope, call.input.path.id(),
                                                    target.deliveryId);
    }
    if (outcome.replayed && !before && core::now().ms < target.at.ms + kTestMs) {
        co_return refuse(call, core::Problem{Code::idempotency_in_progress,
                                             "The test of the first request with the Idempotency-Key is still running.",
                                             {}});
    }
    outcome.version = 0;
    outcome.body = core::to_json(before ? result_of(*before) : result_of(co_await send_test(call, std::move(target))));
    co_return outcome;
}

awaitable<Outcome> redeliver(Call& call) {
    auto command = read_command<commands::RedeliverWebhook>(call);
    auto const scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    auto const found = co_await find_webhook(call);
    auto const delivery = call.input.path.id("deliveryId");
    auto const attempt =
        co_await projections::find_attempt(call.services.database_of(*scope), *scope, call.input.path.id(), delivery);
    if (command && !found) {
        command = tl::unexpected(found.error());
    } else if (command && !attempt) {
        command = commands::not_found("delivery", delivery);
    } else if (command && attempt->eventType == events::kTestType) {
        auto refused = commands::invalid_transition("delivery", attempt->status, "redeliver", {});
        refused.value().message = "The delivery is a test, of which there is no event to send again.";
        refused.value().suggestion = "Send another test (POST /api/webhooks/{id}/test).";
        command = std::move(refused);
    } else if (command) {
        command->rights = webhook_rights(*call.caller);
        command->delivery_id = delivery;
        command->new_delivery_id = co_await new_delivery_id(call);
        command->event_id = attempt->eventId;
    }
    co_return co_await submit(call, submission_of(call, std::move(command)), 0);
}

awaitable<Outcome> replay(Call& call) {
    auto command = read_command<commands::ReplayWebhook>(call);
    if (command) {
        if (auto faults = commands::faults_of(*command, core::now()); !faults.empty()) {
            command = tl::unexpected(core::validation_problem(faults));
        }
    }
    if (command && !call.meta.sandbox) {
        auto const found = co_await find_webhook(call);
        if (!found && call.stale) {
            command = tl::unexpected(found.error());
        } else if (found) {
            std::vector<std::string> wanted;
            for (auto const& type : command->eventTypes.value_or(std::vector<core::ShortText>())) {
                wanted.push_back(type.value);
            }
            workers::ReplayFilter const filter{
                .webhook = found->view.id,
                .organization = found->view.organizationId,
                .since = command->since,
                .until = command->until.value_or(core::now()),
                .types = events::types_to_replay(found->view.effectiveEvents, wanted),
                .facility = found->view.facilityId.value,
                .facilities = found->facilities,
                .only_failed = command->onlyFailed.value_or(false),
            };
            command->count = co_await services_of_webhooks(call).writes.run(
                [filter](core::Connection& connection) { return workers::count_replay(connection, filter); });
        }
    }
    if (command) command->rights = webhook_rights(*call.caller);
    co_return co_await submit(call, submission_of(call, std::move(command)), 0);
}

template <class Command>
Operation delivery_command(std::string_view name, std::string_view summary, Handler handler) {
    auto row = command<Command>(name, summary);
    row.handler = handler;
    row.versioned = false;
    return std::move(row).for_any_organization().on(Kind::webhook).audit();
}

}  // namespace

std::vector<Operation> webhook_delivery_operations() {
    using enum net::Method;
    auto tested = delivery_command<commands::TestWebhook>("webhooks.test", "Send a test, in one attempt", test_webhook);
    tested.description =
        "Posts a signed event of type test to the address at once, in one attempt, and returns what came back. It "
        "works for inactive subscriptions too, and never disables one.";
    tested.answer = &answer_of<WebhookTestResult>;
    tested.answer_example = &example<WebhookTestResult, Side::answer>;
    auto redelivered = delivery_command<commands::RedeliverWebhook>(
        "webhooks.redeliver", "Send an event once more, in one attempt", redeliver);
    redelivered.description =
        "Sends the event of an attempt once more, with its first id, in one attempt of its own. Refused for a test.";
    redelivered.success = 202;
    auto replayed =
        delivery_command<commands::ReplayWebhook>("webhooks.replay", "Send the events of a time once more", replay);
    replayed.description =
        "Sends the events of a time once more, up to 10,000 of the last 14 days, and returns how many. Receivers tell "
        "repeats by the id.";
    replayed.success = 202;
    auto listed = query_with<WebhookDelivery, DeliveryQuery>(
        "webhooks.deliveries", "List attempts, newest first, those to come included", list_deliveries);
    listed.description = "Returns a page of attempts of the last 30 days, newest first, those that are due included.";
    listed.answer = &page_of<WebhookDelivery>;
    listed.answer_example = &page_example<WebhookDelivery>;
    listed.reads = {projections::webhooks().spec().name};
    return {
        std::move(tested).at(post, "/api/webhooks/{id:int}/test"),
        std::move(listed).for_any_organization().at(get, "/api/webhooks/{id:int}/deliveries"),
        std::move(redelivered).at(post, "/api/webhooks/{id:int}/deliveries/{deliveryId:int}/redeliver"),
        std::move(replayed).at(post, "/api/webhooks/{id:int}/replay"),
    };
}

}  // namespace workforce::operations
