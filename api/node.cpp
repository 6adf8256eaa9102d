// Wiring of a process.
#include "api/node.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include "api/node_metrics.hpp"
#include "core/logging.hpp"
#include "projections/log_check.hpp"
#include "workers/erasures.hpp"
#include "workers/shift_clock.hpp"

namespace workforce::api {
namespace {

using workers::Role;

constexpr auto kGrace = std::chrono::seconds(10);  // for requests in flight at the stop

projections::RunnerOptions runner_options(core::Config const& config) {
    projections::RunnerOptions options;
    options.connection = session(config, "", "workforce projections");
    options.all = false;
    return options;
}

/// As far as a writer of this process knows.
std::int64_t own_head(Runtime const& runtime, int partition) {
    auto const& own = *runtime.processor.partitions().at(static_cast<std::size_t>(partition));
    return own.served() ? own.stats().head.load() : -1;
}

}  // namespace

Node::Node(core::Config const& config, Role role)
    : role_(role),
      runtime_(config, Ownership::leased),
      owners_(runtime_.leases, runtime_.owner),
      progress_(role == Role::api
                    ? followed_.emplace(runtime_.log.partitions(), projections::names_of(projections::registry()))
                    : runner_.emplace(runtime_.log, runtime_.keyring, runner_options(config)).progress()),
      watch_(progress_, session(config, "", "workforce checkpoints"),
             [this](int partition) { return own_head(runtime_, partition); }),
      keeper_(background_.executor(), runtime_.leases, runtime_.log.partitions(),
              {runtime_.owner, role, runtime_.config.admin_url}, owners_,
              role == Role::workers ? std::nullopt : std::optional(workers::writing(runtime_.processor)),
              runner_ ? std::optional(workers::projecting(*runner_)) : std::nullopt),
      admin_services_{runtime_, progress_, metrics_, owners_, role, asking_},
      admin_(listener_options(config, config.admin_port, "--admin-port",
                              role == Role::api ? static_cast<std::size_t>(config.http_threads) : 1),
             admin_handler(admin_services_)) {
    if (role != Role::workers) {
        front_.emplace(
            runtime_, progress_, role == Role::api ? &owners_ : nullptr, [this] { return heads(); }, metrics_);
    }
    if (front_) {
        admin_services_.dispatcher = &front_->dispatcher();
        admin_services_.hops = &front_->hops();
    }
    export_metrics(metrics_, runtime_, progress_);
}

boost::asio::awaitable<std::vector<LogPosition>> Node::heads() {
    auto const ask = [this]() -> boost::asio::awaitable<std::vector<LogPosition>> {
        std::vector<LogPosition> all;
        for (int i = 0; i < runtime_.log.partitions(); ++i) {
            auto const own = own_head(runtime_, i);
            all.push_back({i, own >= 0 ? own : runtime_.log.head(i).position});
        }
        co_return all;
    };
    co_return co_await boost::asio::co_spawn(asking_, ask(), boost::asio::use_awaitable);
}

void Node::start() {
    projections::require_log_not_behind(runtime_.log, session(runtime_.config, "", "workforce start"));
    // The ports first: a second instance started by mistake must end before it takes partitions from the first.
    if (front_) front_->listen();
    admin_.start();
    background_.finish(keeper_.start());
    if (role_ == Role::serve) background_.finish(keeper_.settled());
    if (front_) {
        front_->start(boost::asio::co_spawn(asking_, heads(), boost::asio::use_future).get());
        background_.start(workers::run_shift_clock(runtime_.processor, runtime_.store));
    }
    background_.start(workers::run_erasures(runtime_.writes, runtime_.keyring, runtime_.store));
    if (runner_) heads_export_.emplace(runtime_.log, runtime_.config, runtime_.master_key);
    admin_services_.writable = front_.has_value();
    auto const& config = runtime_.config;
    core::log(core::Level::info, "serving",
              {{"role", core::enum_name(role_)},
               {"rest", front_ ? config.base_url : ""},
               {"mcp", front_ ? config.mcp_url : ""},
               {"admin", config.admin_url},
               {"partitions", runtime_.log.partitions()},
               {"owner", runtime_.owner}});
}

void Node::stop() {
    if (front_) front_->stop(kGrace);
    background_.finish(keeper_.stop());
    background_.stop();
    heads_export_.reset();
    runtime_.processor.stop();
    runtime_.log.stop();
    if (runner_) runner_->stop();
    watch_.stop();
    admin_.stop(kGrace);
    asking_.join();
    if (front_) front_->close();
    runtime_.stop();
    core::log(core::Level::info, "stopped");
}

}  // namespace workforce::api
