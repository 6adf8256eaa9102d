// GET /developers/webhooks/{id}: a subscription, and what became of its deliveries.
#include "operations/dashboard/pages.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

constexpr std::string_view kWebhookPage = "pages.webhook";

boost::asio::awaitable<void> fill_webhook(Call& call, PageContent& content) {
    auto const path = path_of(call.input.path.id());
    auto const webhook = co_await content.add_subject("webhook", {.operation = "webhooks.get", .path = path});
    if (!webhook) co_return;
    content.set_title((*webhook)["name"].GetString());
    co_await content.add_rows("deliveries",
                              {.operation = "webhooks.deliveries", .path = path, .parameters = {{"limit", "50"}}},
                              [](core::JsonValue& row, Allocator& allocator) {
                                  row.AddMember("is_test", row["trigger"] == "test", allocator);
                              });
}

}  // namespace

DashboardSection webhook_section() {
    return {{.name = kWebhookPage,
             .path = "/developers/webhooks/{id:int}",
             .title = "Webhook",
             .summary = "A subscription, and its deliveries",
             .needs = "events.list",
             .in_menu = false,
             .text = templates::dashboard_webhook,
             .fill = fill_webhook},
            {{.name = "pages.test_webhook",
              .path = "/developers/webhooks/{id:int}/test",
              .summary = "Send a test to a subscriber by the form",
              .page = kWebhookPage,
              .done = "A test was sent.",
              .shows_answer = true,
              .operation = "webhooks.test"},
             {.name = "pages.rotate_webhook_secret",
              .path = "/developers/webhooks/{id:int}/rotate",
              .summary = "Give a subscription a new secret by the form",
              .page = kWebhookPage,
              .done = "The subscription has a new secret.",
              .shows_answer = true,
              .operation = "webhooks.rotate_secret"},
             {.name = "pages.delete_webhook",
              .path = "/developers/webhooks/{id:int}/delete",
              .summary = "End a subscription by the form",
              .page = kWebhookPage,
              .done = "The subscription is ended.",
              .leads_to = "pages.developers",
              .operation = "webhooks.delete"},
             {.name = "pages.redeliver",
              .path = "/developers/webhooks/{id:int}/deliveries/{deliveryId:int}/redeliver",
              .summary = "Send an event to a subscriber once more by the form",
              .page = kWebhookPage,
              .done = "It is sent once more.",
              .operation = "webhooks.redeliver"}}};
}

}  // namespace workforce::operations
