// Names of what is sealed for persons among deliveries, which sealing authenticates (workers/engine/sealing.hpp).
#pragma once

#include <string_view>

namespace workforce::workers {

inline constexpr std::string_view kWebhookBodyPlace = "ops.webhook_body";

}  // namespace workforce::workers
