// Where payroll runs go.
#include "core/config_payroll.hpp"

#include <fmt/format.h>

namespace workforce::core {

std::string payroll_url_fault(std::string_view text) {
    bool const tls = text.starts_with("https://");
    if (!tls && !text.starts_with("http://")) return fmt::format("'{}' does not begin with https://", text);
    auto const rest = text.substr(text.find("://") + 3);
    if (rest.empty() || rest.front() == '/') return fmt::format("'{}' names no host", text);
    if (rest.find('@') != std::string_view::npos) return "must not name who signs in: payroll_http_secret_file signs";
    if (rest.find_first_of(" ?#") != std::string_view::npos) return fmt::format("'{}' is more than an address", text);
    if (rest.back() == '/') return fmt::format("'{}' ends with a slash", text);
    auto const host = text.substr(0, text.find('/', text.find("://") + 3));
    if (!tls && !is_loopback(host_of(host))) return fmt::format("'{}' is not of this machine, and so needs TLS", text);
    return "";
}

std::string payroll_fault(Config const& config) {
    if (config.payroll_provider != "http") {
        return config.payroll_http_url.empty() ? "" : "'simulated' pays nobody, and payroll_http_url names a provider";
    }
    if (config.payroll_http_url.empty()) return "'http' needs payroll_http_url";
    if (config.payroll_http_secret_file.empty()) return "'http' needs payroll_http_secret_file";
    return "";
}

}  // namespace workforce::core
