// Names of what is sealed for persons among deliveries, which sealing authenticates (workers/mail/mailer.hpp).
#pragma once

#include <string_view>

namespace workforce::workers {

inline constexpr std::string_view kWebhookBodyPlace = "ops.webhook_body";
inline constexpr std::string_view kWebhookLeadPlace = "reactor.webhook_lead";

}  // namespace workforce::workers
