// The providers of a configuration.
#include "workers/payroll/provider.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "workers/payroll/http_provider.hpp"
#include "workers/payroll/simulated.hpp"
#include "workers/webhooks/signature.hpp"

namespace workforce::workers {

std::string payroll_key(core::Id run, std::int64_t attempt) { return fmt::format("pr_{}_{}", run, attempt); }

PayrollProviders open_payroll(core::Config const& config, net::HttpClient& client) {
    PayrollProviders all{
        std::make_unique<SimulatedPayroll>(std::chrono::milliseconds(config.payroll_simulated_delay_ms)), nullptr, {}};
    if (config.payroll_provider != "http") return all;
    auto const url = net::parse_outbound_url(config.payroll_http_url, config.payroll_http_url.starts_with("http://"));
    if (!url) throw std::runtime_error(fmt::format("payroll_http_url {}", url.error()));
    auto secret = core::load_token("payroll_http_secret_file", config.payroll_http_secret_file);
    if (!secret) throw std::runtime_error(secret.error());
    if (!is_signing_secret(*secret)) {
        throw std::runtime_error(
            fmt::format("payroll_http_secret_file ({}): must hold whsec_ and the base64 of 24 or more bytes",
                        config.payroll_http_secret_file));
    }
    all.callback_secret = *secret;
    all.live = std::make_unique<HttpPayroll>(
        client, HttpPayrollOptions{.url = *url,
                                   .secret = *std::move(secret),
                                   .installation = config.installation,
                                   .poll = std::chrono::seconds(config.payroll_poll_seconds)});
    return all;
}

}  // namespace workforce::workers
