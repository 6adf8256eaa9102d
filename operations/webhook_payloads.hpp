// What is delivered to webhooks, by type, as descriptions of the API show it.
#pragma once

#include <span>
#include <string_view>

#include "operations/operation.hpp"

namespace workforce::operations {

/// The body of one type: `{id, type, data, occurredAt}`.
struct WebhookPayload {
    std::string_view type;
    SchemaWriter schema = nullptr;
    ExampleWriter example = nullptr;
};

/// Those of all types that are sent, tests included.
std::span<WebhookPayload const> webhook_payloads();

/// When what subscriptions can name by that text is sent, in a sentence; empty for what they can't.
std::string_view trigger_of(std::string_view webhook_type);

}  // namespace workforce::operations
