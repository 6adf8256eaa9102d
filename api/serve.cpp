// Composition root of the service, and its ordered start and stop.
#include "api/serve.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <thread>

#include "api/admin_listener.hpp"
#include "api/dispatch.hpp"
#include "api/problem_reply.hpp"
#include "api/server.hpp"
#include "core/ids.hpp"
#include "core/logging.hpp"
#include "projections/runner.hpp"
#include "workers/head_export.hpp"
#include "workers/lease_keeper.hpp"
#include "workers/shift_clock.hpp"

namespace workforce::api {
namespace {

constexpr auto kGrace = std::chrono::seconds(10);  // for requests in flight at the stop

projections::RunnerOptions runner_options(core::Config const& config) {
    projections::RunnerOptions options;
    options.connection = session(config, "", "workforce projections");
    return options;
}

ServerOptions listener(core::Config const& config, std::uint16_t port, std::string option, std::size_t threads) {
    ServerOptions options;
    options.host = config.host;
    options.port = port;
    options.port_option = std::move(option);
    options.threads = threads;
    options.on_error = [](std::string const& text) { core::log(core::Level::error, "listener", {{"error", text}}); };
    return options;
}

/// Gauges that are read when metrics are asked for.
void export_metrics(core::Metrics& metrics, Runtime& runtime, projections::Runner& runner, core::Database& reads,
                    Server& rest) {
    auto& lag_events = metrics.gauge("workforce_projection_lag_events", "Events that wait to be folded");
    auto& lag_seconds =
        metrics.gauge("workforce_projection_lag_seconds", "Age of the oldest event that waits to be folded");
    auto& stopped = metrics.gauge("workforce_projections_stopped", "Projections that stand still at a poison event");
    auto& waiting = metrics.gauge("workforce_database_jobs_waiting", "Queries that wait for a database thread");
    auto& connections = metrics.gauge("workforce_http_connections", "Open connections of the REST listener");
    metrics.before_render([&] {
        auto const status = runner.progress().status();
        lag_events.Set(static_cast<double>(status.lag_events));
        lag_seconds.Set(static_cast<double>(status.lag.count()) / 1000);
        stopped.Set(static_cast<double>(status.stopped.size()));
        waiting.Set(static_cast<double>(reads.stats().waiting));
        connections.Set(static_cast<double>(rest.counters().open_connections.load()));
        for (auto const& partition : runtime.processor.partitions()) {
            auto const& stats = partition->stats();
            core::Metrics::Labels const labels{{"partition", std::to_string(partition->number())}};
            metrics.gauge("workforce_log_head", "Position of the partition's last event", labels)
                .Set(static_cast<double>(stats.head));
            metrics.gauge("workforce_log_epoch", "Epoch of this process's claim", labels)
                .Set(static_cast<double>(stats.epoch));
            metrics.gauge("workforce_commands_waiting", "Commands that wait for the partition", labels)
                .Set(static_cast<double>(stats.queued));
            metrics.gauge("workforce_commands_answered", "Commands answered since the start", labels)
                .Set(static_cast<double>(stats.commands));
            metrics.gauge("workforce_appends", "Appends since the start", labels)
                .Set(static_cast<double>(stats.appends));
            metrics.gauge("workforce_append_faults", "Appends fenced or of unknown outcome since the start", labels)
                .Set(static_cast<double>(stats.faults));
        }
    });
}

/// The MCP listener answers for its health only; its tools come from the same table once they are there.
RequestHandler mcp_handler() {
    return [](Request const& request) -> boost::asio::awaitable<Reply> {
        if (request.path() == "/healthz") {
            Reply reply;
            reply.body = R"({"status":"ok"})";
            co_return reply;
        }
        co_return problem_reply({core::Code::not_found, "There is nothing at this path."}, core::request_id(), "");
    };
}

/// Runs until a signal asks to stop.
void wait_for_signal() {
    boost::asio::io_context context{1};
    boost::asio::signal_set signals(context, SIGINT, SIGTERM);
    signals.async_wait(
        [](boost::system::error_code, int number) { core::log(core::Level::info, "stopping", {{"signal", number}}); });
    context.run();
}

/// The thread of timers and leases.
class Background {
   public:
    Background() : work_(boost::asio::make_work_guard(context_)), thread_([this] { context_.run(); }) {}
    ~Background() { stop(); }
    Background(Background const&) = delete;
    Background& operator=(Background const&) = delete;

    void start(boost::asio::awaitable<void> task) {
        boost::asio::co_spawn(context_, std::move(task), boost::asio::detached);
    }
    void stop() {
        if (!thread_.joinable()) return;
        context_.stop();
        thread_.join();
    }

   private:
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::thread thread_;
};

/// Takes all partitions over, under leases that stand before, so that whoever comes meanwhile finds this process.
void take_over(Runtime& runtime, Background& background, workers::Owners& owners, LastWrites& last_writes) {
    workers::Member const self{runtime.owner, workers::Role::serve, runtime.config.admin_url};
    {
        core::Connection connection(session(runtime.config, "workforce_writer", "workforce start"));
        workers::take_leases(connection, runtime.log.partitions(), self);
    }
    background.start(workers::keep_leases(runtime.writes, runtime.log.partitions(), self, owners));
    runtime.processor.take_over_all();
    std::vector<LogPosition> heads;
    for (auto const& partition : runtime.processor.partitions()) {
        heads.push_back({partition->number(), partition->stats().head});
    }
    last_writes.set_start(std::move(heads));
}

void give_back_leases(Runtime const& runtime) {
    try {
        core::Connection connection(session(runtime.config, "workforce_writer", "workforce stop"));
        workers::give_back(connection, runtime.owner);
    } catch (std::exception const& error) {
        core::log(core::Level::warn, "leases were not given back; they run out by themselves",
                  {{"error", error.what()}});
    }
}

}  // namespace

int serve(core::Config const& config) {
    core::Metrics metrics;
    Background background;
    Runtime runtime(config);
    workers::Owners owners(runtime.writes, runtime.owner);
    core::Database reads({session(config, "workforce_reader", "workforce reads"),
                          static_cast<std::size_t>(config.database_connections)});
    projections::Runner runner(runtime.log, runtime.keyring, runner_options(config));
    LastWrites last_writes;
    Authenticator authenticator(reads);
    Services services{runtime.config,    reads,       runtime.processor,
                      runner.progress(), last_writes, runtime.derived_key("cursors")};
    Dispatcher dispatcher(services, authenticator, metrics);
    AdminServices admin_services{runtime, runner.progress(), metrics, false};

    Server rest(listener(config, config.port, "--port", static_cast<std::size_t>(config.http_threads)),
                [&dispatcher](Request const& request) { return dispatcher.answer(request); });
    Server mcp(listener(config, config.mcp_port, "--mcp-port", 1), mcp_handler());
    Server admin(listener(config, config.admin_port, "--admin-port", 1), admin_handler(admin_services));
    export_metrics(metrics, runtime, runner, reads, rest);

    // The ports first: a second instance started by mistake must end before it takes partitions from the first.
    rest.listen();
    mcp.listen();
    admin.start();
    take_over(runtime, background, owners, last_writes);
    admin_services.writable = true;
    mcp.start();
    rest.start();
    background.start(workers::run_shift_clock(runtime.processor, runtime.writes));
    workers::HeadExport const heads(runtime.log, runtime.config, runtime.master_key);
    core::log(core::Level::info, "serving",
              {{"rest", config.base_url},
               {"mcp", config.mcp_url},
               {"admin", config.admin_url},
               {"partitions", runtime.log.partitions()},
               {"owner", runtime.owner}});
    wait_for_signal();

    rest.stop(kGrace);
    mcp.stop(kGrace);
    background.stop();
    runtime.processor.stop();
    runtime.log.stop();
    runner.stop();
    admin.stop(kGrace);
    give_back_leases(runtime);
    reads.stop();
    runtime.stop();
    core::log(core::Level::info, "stopped");
    return 0;
}

}  // namespace workforce::api
