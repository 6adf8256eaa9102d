// What the operations on webhook subscriptions share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/webhook.hpp"
#include "operations/call.hpp"
#include "projections/webhooks/webhooks.hpp"
#include "workers/store/signing_secrets.hpp"
#include "workers/webhooks/sender.hpp"

namespace workforce::operations {

/// What they work with; owned by the composition root.
struct WebhookServices {
    core::Database& writes;  ///< sessions of role workforce_writer
    workers::SigningSecretStore& secrets;
    workers::WebhookSender const& sender;
    commands::WebhookLimits limits{};
};

/// What the caller may do with subscriptions: with their own, or with all of the organization.
commands::WebhookRights webhook_rights(Caller const& caller);

/// The subscription that the call's path names, as read.webhook has it, and its version. Errors: NOT_FOUND for one that
/// is not the caller's; as read_scope().
struct FoundWebhook {
    events::WebhookView view;
    std::int64_t version = 0;
    std::vector<core::Id> facilities{};  ///< of which alone its creator may hear now; empty: of the whole organization
};
boost::asio::awaitable<core::Result<FoundWebhook>> find_webhook(Call& call);

/// Tests, deliveries, and sending once more.
std::vector<Operation> webhook_delivery_operations();

}  // namespace workforce::operations
