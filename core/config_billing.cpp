// Which meter needs what.
#include "core/config_billing.hpp"

#include <fmt/format.h>

namespace workforce::core {

std::string billing_fault(Config const& config) {
    auto const& meter = config.billing_meter;
    auto const lacks = [&](std::string_view key) { return fmt::format("'{}' needs {}", meter, key); };
    if (meter == "cloudevents" && config.billing_url.empty()) return lacks("billing_url");
    bool const signs_in = meter == "stripe" || meter == "lago";
    if (signs_in && config.billing_secret_file.empty()) return lacks("billing_secret_file");
    return "";
}

}  // namespace workforce::core
