// Wiring of a process.
#include "cli/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <thread>
#include <utility>

#include "api/admin/age_metrics.hpp"
#include "api/admin/node_metrics.hpp"
#include "api/admin/process_metrics.hpp"
#include "api/rest/idempotency.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/session_budget.hpp"
#include "core/slow_note.hpp"
#include "net/descriptors.hpp"
#include "projections/engine/log_check.hpp"
#include "projections/event_tap/event_tap.hpp"
#include "workers/cluster/master_keys.hpp"
#include "workers/engine/inactive_organizations.hpp"

namespace workforce::cli {
namespace {

using workers::Role;

constexpr auto kGrace = std::chrono::seconds(10);  // for requests in flight at the stop
/// For others to end: past a killed one's heartbeat.
constexpr auto kRivalPatience = std::chrono::seconds(5);
constexpr auto kRivalPause = std::chrono::milliseconds(100);
constexpr std::size_t kDeliverySessions = 3;  // one looks for work, two record
constexpr std::size_t kOwnSessions = 15;      // beside those for lists
constexpr std::size_t kReactorSessions = 4;
constexpr std::size_t kDueSessions = 3;
/// For the first rounds of periodic jobs, which all begin when the process begins to serve.
constexpr auto kFirstRounds = std::chrono::seconds(2);
/// No effect is as urgent as a read of one's own write: a transaction may fold what comes in that time.
constexpr auto kReactorPace = std::chrono::milliseconds(20);

projections::RunnerOptions runner_options(core::Config const& config) {
    projections::RunnerOptions options;
    options.connection =
        projections::keep_events(workers::session(config, "", "workforce projections"), config.event_tap_days);
    options.row_bytes = config.projection_bytes;
    options.all = false;
    return options;
}

projections::RunnerOptions reactor_options(core::Config const& config, std::function<void()> on_folded) {
    projections::RunnerOptions options;
    options.connection = workers::session(config, "", "workforce reactors");
    options.connections = 2;
    options.all = false;
    options.tables = projections::Tables::reactors;
    options.pace = kReactorPace;
    options.on_folded = std::move(on_folded);
    return options;
}

/// As far as a writer of this process knows.
std::int64_t own_head(workers::Runtime const& runtime, int partition) {
    auto const& own = *runtime.processor.partitions().at(static_cast<std::size_t>(partition));
    return own.served() ? own.stats().head.load() : -1;
}

std::string load_admin_token(core::Config const& config) {
    if (config.admin_token_file.empty()) return {};
    auto token = core::load_token("admin_token_file", config.admin_token_file);
    if (!token) throw std::runtime_error(token.error());
    return *std::move(token);
}

std::string load_billing_secret(core::Config const& config) {
    if (config.billing_secret_file.empty()) return {};
    auto secret = core::load_token("billing_secret_file", config.billing_secret_file);
    if (!secret) throw std::runtime_error(secret.error());
    return *std::move(secret);
}

/// From then on no statement waits for another's session for longer than its purpose may.
boost::asio::awaitable<void> end_start_of_sessions() {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, kFirstRounds);
    co_await timer.async_wait(boost::asio::use_awaitable);
    core::SessionBudget::of_process().set_serving(true);
}

}  // namespace

Node::Node(core::Config const& config, Role role)
    : role_(role),
      billing_secret_(load_billing_secret(config)),
      admin_token_(load_admin_token(config)),
      mail_channel_(role == Role::api ? nullptr : workers::open_channel(config)),
      runtime_(config, workers::Ownership::leased),
      owners_(runtime_.leases, runtime_.owner),
      reactor_folds_(workers::reactor_folds(runtime_.keyring)),
      progress_(role == Role::api
                    ? followed_.emplace(runtime_.log.partitions(), projections::names_of(projections::registry()))
                    : runner_.emplace(runtime_.log, runtime_.keyring, runner_options(config)).progress()),
      watch_(progress_, config.database_url, [this](int partition) { return own_head(runtime_, partition); }),
      reactor_sessions_(workers::writer_session(config), kReactorSessions, core::SessionPurpose::job),
      outbox_(reactor_sessions_, runtime_.keyring, config.mail_channel != "outbox"),
      reactor_watch_(reactor_sessions_, progress_, runtime_.log.partitions()),
      due_sessions_(workers::due_session(workers::session(config, "", "workforce reactors")), kDueSessions,
                    core::SessionPurpose::job),
      tombstones_(runtime_.log, runtime_.config, runtime_.master_keys),
      keeper_(
          background_.executor(), runtime_.leases, runtime_.clock, [&log = runtime_.log] { return log.silence(); },
          runtime_.log.partitions(), {runtime_.owner, role, runtime_.config.admin_url}, owners_,
          role == Role::workers ? std::nullopt : std::optional(workers::writing(runtime_.processor)),
          runner_ ? std::optional(workers::projecting(
                        *runner_,
                        reactor_runner_.emplace(runtime_.log, runtime_.keyring,
                                                reactor_options(config, [this] { look_for_work(); }), reactor_folds_)))
                  : std::nullopt),
      forwarder_({{runtime_.master_keys, api::kHopPurpose}, {runtime_.master_keys, api::kInternalPurpose}}),
      cluster_{owners_, forwarder_},
      delivery_writes_({workers::writer_session(config), kDeliverySessions}),
      internal_({runtime_.master_keys, api::kInternalPurpose}, runtime_.owner),
      log_probe_([this] { runtime_.log.head(0); }),
      admin_services_{runtime_, progress_, metrics_, owners_, role, log_probe_, reactor_watch_, internal_},
      admin_(listener_options(config, config.admin_host, {{config.admin_port, "--admin-port"}},
                              role == Role::api ? static_cast<std::size_t>(config.http_threads) : 1,
                              admin_body_gate(admin_services_)),
             admin_handler(admin_services_)) {
    core::SessionBudget::of_process().limit(kOwnSessions + static_cast<std::size_t>(config.database_connections));
    if (role != Role::workers) {
        front_.emplace(
            runtime_, progress_, role == Role::api ? &cluster_ : nullptr,
            [this](int partition) { return head(partition); }, metrics_);
    }
    admin_services_.loopback = core::is_loopback(config.admin_host);
    admin_services_.token = admin_token_;
    admin_services_.payroll_secret = runtime_.payroll.callback_secret;
    if (front_) {
        admin_services_.calls = &front_->calls();
        admin_services_.dispatcher = &front_->dispatcher();
        admin_services_.hops = &front_->hops();
    }
    system_calls_.emplace(runtime_.processor, cluster_, front_ ? &front_->calls() : nullptr,
                          runtime_.master_keys.kept(api::kIdempotencyPurpose));
    if (front_) front_->set_system_calls(*system_calls_);
    api::export_metrics(metrics_, runtime_, progress_, reactor_watch_);
    export_fleet();
    api::export_process(metrics_);
    api::export_sessions(metrics_);
    export_forwarding();
    if (runner_) {
        export_rows();
        api::export_ages(metrics_, runtime_.config, last_backup_);
        make_engines();
        make_billing();
    }
    if (mail_channel_) {
        mails_.emplace(reactor_sessions_, runtime_.keyring, std::move(mail_channel_), config.mail_channel, metrics_);
    }
}

void Node::export_forwarding() {
    std::string const name = "workforce_forward_failures_total";
    std::string const help = "Requests that could not be forwarded, or whose answer did not come";
    auto& unsent = metrics_.counter(name, help, {{"outcome", "nothing_done"}});
    auto& unknown = metrics_.counter(name, help, {{"outcome", "unknown"}});
    metrics_.before_render([this, &unsent, &unknown] {
        core::raise(unsent, static_cast<double>(forwarder_.failed().unsent));
        core::raise(unknown, static_cast<double>(forwarder_.failed().unknown));
    });
}

void Node::export_fleet() {
    using workers::LeaseKind;
    constexpr std::array kRoles{Role::serve, Role::api, Role::workers};
    constexpr std::array kKinds{LeaseKind::writer, LeaseKind::projector};
    std::array<prometheus::Gauge*, kRoles.size()> processes{};
    std::array<prometheus::Gauge*, kKinds.size()> free{};
    for (std::size_t i = 0; i < kRoles.size(); ++i) {
        processes.at(i) = &metrics_.gauge("workforce_processes", "Processes that live, as this one sees them",
                                          {{"role", std::string(core::enum_name(kRoles.at(i)))}});
    }
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        free.at(i) = &metrics_.gauge("workforce_partitions_without_owner",
                                     "Partitions of which no live process has the lease, as this one sees them",
                                     {{"lease", std::string(core::enum_name(kKinds.at(i)))}});
    }
    metrics_.before_render([this, processes, free, kRoles, kKinds] {
        auto const live = owners_.processes();
        for (std::size_t i = 0; i < kRoles.size(); ++i) {
            processes.at(i)->Set(static_cast<double>(std::ranges::count(live, kRoles.at(i), &workers::Process::role)));
        }
        for (std::size_t i = 0; i < kKinds.size(); ++i) {
            int missing = 0;
            for (int partition = 0; partition < runtime_.log.partitions(); ++partition) {
                if (!owners_.find(partition, kKinds.at(i))) ++missing;
            }
            free.at(i)->Set(missing);
        }
    });
}

core::Result<workers::OperationAnswer> Node::submit(workers::OperationRequest request) {
    return boost::asio::co_spawn(background_.executor(), system_calls_->submit(std::move(request)),
                                 boost::asio::use_future)
        .get();
}

boost::asio::awaitable<std::int64_t> Node::head(int partition) {
    if (auto const own = own_head(runtime_, partition); own >= 0) co_return own;
    auto const ask = [this, partition]() -> boost::asio::awaitable<std::int64_t> {
        if (stopping_) throw events::LogUnavailable("this process is stopping");
        co_return runtime_.log.head(partition).position;
    };
    co_return co_await boost::asio::co_spawn(asking_, ask(), boost::asio::use_awaitable);
}

Node::~Node() {
    try {
        stop();
    } catch (std::exception const& error) {
        core::log(core::Level::error, "the stop was not orderly", {{"error", error.what()}});
        if (reactor_runner_) reactor_runner_->stop();  // it calls what ends before it
    }
}

void Node::enter(core::Connection& connection) {
    auto const deadline = std::chrono::steady_clock::now() + kRivalPatience;
    std::optional<core::SlowNote> note;
    while (auto const rival = workers::enter(
               connection, {runtime_.owner, role_, runtime_.config.admin_url, runtime_.master_keys.ids()})) {
        if (!note)
            note.emplace(
                fmt::format("the end of {} ({}, {})", rival->owner, core::enum_name(rival->role), rival->admin_url));
        if (std::chrono::steady_clock::now() >= deadline) {
            throw std::runtime_error(fmt::format("`{}` does not run beside `{}`, and {} ({}) lives: stop that first",
                                                 core::enum_name(role_), core::enum_name(rival->role), rival->owner,
                                                 rival->admin_url));
        }
        std::this_thread::sleep_for(kRivalPause);
    }
    entered_ = true;
}

void Node::start() {
    {
        core::SlowNote const note("the log's heads");
        projections::require_log_not_behind(runtime_.log, workers::session(runtime_.config, "", "workforce start"));
    }
    if (runner_) {
        core::SessionPool(workers::session(runtime_.config, "", "workforce start"), 1)
            .run(&workers::reconcile_inactive_organizations);
    }
    // The ports first: a second instance started by mistake must end before it takes partitions from the first.
    if (front_) front_->listen();
    admin_.listen();
    core::SessionPool(workers::session(runtime_.config, "workforce_writer", "workforce start"), 1)
        .run([this](core::Connection& connection) { enter(connection); });
    admin_.start();
    background_.finish(keeper_.start());
    if (role_ == Role::serve) {
        core::SlowNote const note("its partitions, whose events are being folded");
        background_.finish(keeper_.settled());
    }
    if (front_) front_->start();
    start_jobs();
    deliveries_.start();
    payroll_.start();
    runs_.start();
    admin_services_.writable = front_.has_value();
    serving_ = true;
    background_.start(end_start_of_sessions());
}

void Node::announce_start() {
    admin_services_.phase = api::Phase::serving;
    core::database_outage().announce(true);
    core::broker_outage().announce(true);
    auto const& config = runtime_.config;
    core::log(core::Level::info, "serving",
              {{"role", core::enum_name(role_)},
               {"rest", front_ ? config.base_url : ""},
               {"mcp", front_ ? config.mcp_url : ""},
               {"admin", config.admin_url},
               {"partitions", runtime_.log.partitions()},
               {"connections", front_ ? static_cast<std::int64_t>(net::affordable_connections(config)) : 0},
               {"owner", runtime_.owner}});
}

void Node::announce_stop() { admin_services_.phase = api::Phase::stopping; }

void Node::stop() {
    if (std::exchange(stopped_, true)) return;
    announce_stop();
    if (front_) {
        front_->stop(kGrace);
        background_.finish(front_->give_all_limits_back());
        background_.finish(front_->key_uses().write_rest());
        background_.finish(front_->session_uses().write_rest());
        background_.finish(front_->request_origins().remove_rest());
        front_->usage().stop();
    }
    deliveries_.stop();
    payroll_.stop();
    runs_.stop();
    if (entered_) background_.finish(keeper_.stop());
    end_jobs_.request_stop();
    job_threads_.join();  // jobs may wait for what runs in the background
    forwarder_.close();
    background_.stop();
    runtime_.processor.stop();
    runtime_.log.stop();
    if (runner_) runner_->stop();
    if (reactor_runner_) reactor_runner_->stop();
    watch_.stop();
    stopping_ = true;
    log_probe_.stop();
    admin_.stop(kGrace);
    log_probe_.join();
    asking_.join();
    if (front_) front_->close();
    runtime_.stop();
    deliveries_.close();
    payroll_.close();
    runs_.close();
    delivery_writes_.stop();
    core::database_outage().announce(false);
    core::broker_outage().announce(false);
    if (serving_) core::log(core::Level::info, "stopped");
}

}  // namespace workforce::cli
