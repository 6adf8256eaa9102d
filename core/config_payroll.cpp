// Where payroll runs go.
#include "core/config_payroll.hpp"

namespace workforce::core {

std::string payroll_fault(Config const& config) {
    if (config.payroll_provider != "http") {
        return config.payroll_http_url.empty() ? "" : "'simulated' pays nobody, and payroll_http_url names a provider";
    }
    if (config.payroll_http_url.empty()) return "'http' needs payroll_http_url";
    if (config.payroll_http_secret_file.empty()) return "'http' needs payroll_http_secret_file";
    return "";
}

}  // namespace workforce::core
