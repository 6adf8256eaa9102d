// The engines of a process with projections, and its billing meter, are made here.
#include "cli/node.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <stdexcept>
#include <utility>

namespace workforce::cli {
namespace {

constexpr std::chrono::seconds kMeterPatience{10};  // for an answer of the billing meter

}  // namespace

void Node::make_engines() {
    auto const ask = [this](auto request) { return system_calls_->submit(std::move(request)); };
    auto& deliveries = deliveries_.make(workers::DeliveryParts{
        .writes = delivery_writes_,
        .keyring = runtime_.keyring,
        .secrets = runtime_.signing_secrets,
        .sender = runtime_.webhook_sender,
        .ask = ask,
        .owner = runtime_.owner,
    });
    deliveries.observe(metrics_.histogram("workforce_webhook_attempt_seconds", "How long attempts to deliver took", {},
                                          {0.005, 0.02, 0.1, 0.5, 1, 3, 10}));
    workers::export_deliveries(metrics_, deliveries);
    auto const& payroll = payroll_.make(workers::PayrollParts{
        .writes = runtime_.writes,
        .providers = runtime_.payroll,
        .source = workers::payroll_source(due_sessions_, job_threads_),
        .ask = ask,
    });
    workers::export_payroll(metrics_, payroll);
    workers::export_runs(metrics_, runs_.make(workers::RunEngineParts{.writes = runtime_.writes, .ask = ask}));
}

void Node::look_for_work() {
    deliveries_.look_soon();
    payroll_.look_soon();
    runs_.look_soon();
}

void Node::export_rows() {
    auto& bytes = metrics_.gauge("workforce_projection_row_bytes", "Bytes of rows that projections remember");
    auto& dropped =
        metrics_.counter("workforce_projection_rows_dropped_total", "Rows that projections forgot, for room");
    metrics_.before_render([this, &bytes, &dropped] {
        bytes.Set(static_cast<double>(runner_->rows().used()));
        core::raise(dropped, static_cast<double>(runner_->rows().dropped()));
    });
}

void Node::make_billing() {
    auto const& config = runtime_.config;
    auto const* const meter = workers::find_meter(config.billing_meter);
    if (meter == nullptr) return;
    auto const address = config.billing_url.empty() ? std::string(meter->default_url) : config.billing_url;
    auto const url = net::parse_operator_url(address);
    if (!url) throw std::runtime_error(fmt::format("billing_url: '{}' is no URL", address));
    auto send = [this, url = *url](net::ClientRequest request) {
        auto const limits = net::within_installation(kMeterPatience);
        return boost::asio::co_spawn(background_.executor(), runtime_.outbound.send(url, std::move(request), limits),
                                     boost::asio::use_future)
            .get();
    };
    billing_.emplace(reactor_sessions_, *meter, billing_secret_, "urn:workforce:" + runtime_.log.key().installation,
                     std::move(send), metrics_);
}

}  // namespace workforce::cli
