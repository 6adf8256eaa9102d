// Reports of the payroll provider: verified, read, and kept.
#include "api/admin/payroll_callback.hpp"

#include "core/log_throttle.hpp"
#include "core/logging.hpp"
#include "workers/payroll/work_store.hpp"
#include "workers/webhooks/signature.hpp"

namespace workforce::api {
namespace {

core::LogThrottle& forged_reports() {
    static core::LogThrottle throttle(
        "a payroll report was refused, for its signature is not the provider's or too old");
    return throttle;
}

}  // namespace

boost::asio::awaitable<core::Result<std::string>> take_payroll_report(core::Database& writes, std::string_view secret,
                                                                      net::Request const& request) {
    using workers::SignatureCheck;
    if (secret.empty()) co_return core::refuse(core::Code::not_found, "No payroll provider calls back here.");
    std::string const id(request.header("webhook-id").value_or(""));
    workers::ReceivedSignature const sent{id, request.header("webhook-timestamp").value_or(""),
                                          request.header("webhook-signature").value_or("")};
    auto const check = workers::check_signature(secret, sent, request.body, core::now());
    if (check != SignatureCheck::good) {
        forged_reports().met(core::Level::warn, {{"from", request.remote_address}});
        co_return core::refuse(core::Code::unauthenticated,
                               check == SignatureCheck::stale ? "The report's time is more than five minutes off."
                                                              : "The report is not signed with the provider's secret.");
    }
    forged_reports().over();
    auto report = workers::read_report(request.body);
    if (!report) co_return tl::unexpected(report.error());
    try {
        bool const is_new = co_await writes.run([id, report = *std::move(report)](core::Connection& connection) {
            return workers::store_callback(connection, id, report);
        });
        co_return is_new ? R"({"received":true})" : R"({"received":true,"repeated":true})";
    } catch (core::DatabaseUnavailable const&) {
    } catch (core::DatabaseBusy const&) {
    }
    co_return core::refuse(core::Code::service_unavailable, "The report can't be kept now.", {}, "Send it again.");
}

}  // namespace workforce::api
