// Wiring of a process.
#include "cli/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <thread>
#include <utility>

#include "api/admin/age_metrics.hpp"
#include "api/admin/node_metrics.hpp"
#include "api/admin/process_metrics.hpp"
#include "api/credentials/signing_key.hpp"
#include "api/rest/idempotency.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/session_budget.hpp"
#include "core/slow_note.hpp"
#include "net/descriptors.hpp"
#include "projections/engine/log_check.hpp"
#include "workers/cluster/activations.hpp"
#include "workers/cluster/master_keys.hpp"
#include "workers/engine/inactive_organizations.hpp"
#include "workers/jobs/head_export.hpp"
#include "workers/jobs/oauth_clients.hpp"
#include "workers/jobs/periodic.hpp"
#include "workers/jobs/request_origins.hpp"
#include "workers/jobs/settlement.hpp"
#include "workers/jobs/sign_in_records.hpp"
#include "workers/jobs/triggers.hpp"
#include "workers/store/erasures.hpp"
#include "workers/usage/roll_ups.hpp"

namespace workforce::cli {
namespace {

using workers::Role;

constexpr auto kGrace = std::chrono::seconds(10);  // for requests in flight at the stop
/// For others to end: past a killed one's heartbeat.
constexpr auto kRivalPatience = std::chrono::seconds(5);
constexpr auto kRivalPause = std::chrono::milliseconds(100);
constexpr std::size_t kDeliverySessions = 3;        // one looks for work, two record
constexpr int kKeptDeliveryDays = 30;               // domain 7.4
constexpr std::chrono::seconds kMeterPatience{10};  // for an answer of the billing meter
constexpr std::size_t kOwnSessions = 15;            // beside those for lists
constexpr std::size_t kReactorSessions = 4;
/// So many calls that were approved are waited for at a time.
constexpr int kOutsideAtOnce = 4;
constexpr std::size_t kDueSessions = 3;
/// No effect is as urgent as a read of one's own write: a transaction may fold what comes in that time.
constexpr auto kReactorPace = std::chrono::milliseconds(20);

projections::RunnerOptions runner_options(core::Config const& config) {
    projections::RunnerOptions options;
    options.connection = workers::session(config, "", "workforce projections");
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

/// Only other processes want leases of limits back.
std::chrono::milliseconds lease_pause(Role role) { return std::chrono::milliseconds(role == Role::serve ? 1000 : 20); }

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
        make_deliveries();
        make_payroll();
        make_runs();
        make_billing();
    }
    if (mail_channel_) {
        mails_.emplace(reactor_sessions_, runtime_.keyring, std::move(mail_channel_), config.mail_channel, metrics_);
    }
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

void Node::enter() {
    core::Connection connection(workers::session(runtime_.config, "workforce_writer", "workforce start"));
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
        core::Connection connection(workers::session(runtime_.config, "", "workforce start"));
        workers::reconcile_inactive_organizations(connection);
    }
    // The ports first: a second instance started by mistake must end before it takes partitions from the first.
    if (front_) front_->listen();
    admin_.listen();
    enter();
    admin_.start();
    background_.finish(keeper_.start());
    if (role_ == Role::serve) {
        core::SlowNote const note("its partitions, whose events are being folded");
        background_.finish(keeper_.settled());
    }
    if (front_) front_->start();
    start_jobs();
    start_deliveries();
    start_payroll();
    start_runs();
    admin_services_.writable = front_.has_value();
    serving_ = true;
}

void Node::begin(workers::Periodic job) {
    background_.start(workers::run_periodically(std::move(job), end_jobs_.get_token()));
}

std::function<boost::asio::awaitable<void>()> Node::blocking(std::function<void()> round) {
    return workers::blocking(job_threads_, std::move(round));
}

void Node::start_jobs() {
    using std::chrono::hours;
    using std::chrono::minutes;
    using std::chrono::seconds;
    begin({"event activations", seconds(1), workers::activation_round(runtime_.writes, runtime_.activations)});
    begin({"master key", seconds(1),
           [this] { return workers::follow_master_key(runtime_.writes, runtime_.master_keys, runtime_.owner); }});
    begin({"erasures", seconds(1), [this] { return workers::follow_erasures(runtime_.writes, runtime_.keyring); }});
    begin({"keys of answers", hours(1), [this] { return workers::end_answer_keys(runtime_.writes); }});
    begin({"erasures of read models", minutes(1),
           blocking([this] { workers::look_for_erasures(runtime_.keyring, runtime_.store); })});
    begin({"stored answers", minutes(1), blocking([this] {
               if (workers::lead(reactor_sessions_, "stored answers", minutes(1))) runtime_.store.prune_answers();
           })});
    begin({"old origins of requests", hours(1), blocking([this] {
               if (workers::lead(reactor_sessions_, "old origins of requests", hours(1)))
                   workers::prune_request_origins(reactor_sessions_);
           })});
    begin({"old streams of MCP", minutes(1), blocking([this] {
               if (workers::lead(reactor_sessions_, "old streams of MCP", minutes(1)))
                   api::mcp::prune_streams(reactor_sessions_);
           })});
    begin({"unused OAuth clients", hours(1), blocking([this] {
               if (!workers::lead(reactor_sessions_, "unused OAuth clients", hours(1))) return;
               workers::remove_unused_clients(reactor_sessions_,
                                              [this](auto request) { return submit(std::move(request)); });
           })});
    begin({"reactor status", seconds(2), blocking([this] { reactor_watch_.look(); })});
    if (front_) start_front_jobs();
    if (runner_) start_worker_jobs();
}

void Node::start_front_jobs() {
    using std::chrono::hours;
    using std::chrono::milliseconds;
    using std::chrono::minutes;
    using std::chrono::seconds;
    begin({"leases of API keys' limits", lease_pause(role_), [this] { return front_->give_idle_limits_back(); }});
    begin({"uses of API keys", seconds(5), [this] { return front_->key_uses().write(); }});
    begin({"uses of sessions", seconds(5), [this] { return front_->session_uses().write(); }});
    begin({"events that are folded elsewhere", seconds(5), [this]() -> boost::asio::awaitable<void> {
               for (int const partition : progress_.elsewhere(false)) {
                   progress_.note_event(partition, co_await head(partition));
               }
           }});
    begin({"sign-ins", milliseconds(500), [this] {
               return workers::tell_sign_ins(runtime_.writes, runtime_.processor.served(), [this](auto request) {
                   return system_calls_->submit(std::move(request));
               });
           }});
    begin({"sessions that ended", minutes(10), [this] { return runtime_.sessions.prune(); }});
    begin({"rests of OAuth", minutes(10), [this] { return front_->oauth_store().prune(); }});
    begin({"rests of signing keys", hours(1), [this] {
               return runtime_.writes.run([](core::Connection& connection) { api::prune_signing_keys(connection); });
           }});
    begin({"rests of sign-ins", hours(1), [this] { return workers::forget_sign_in_rests(runtime_.writes); }});
    begin({"links to mail", seconds(1), blocking([this] {
               if (!workers::lead(reactor_sessions_, "links to mail", seconds(1))) return;
               workers::mail_links(due_sessions_, reactor_sessions_, runtime_.passwords, outbox_,
                                   runtime_.config.base_url);
           })});
    begin({"origins of requests without an entry", seconds(1),
           [this] { return front_->request_origins().remove_unused(); }});
    begin(
        {"last writes to be told again", milliseconds(250), [this] { return front_->last_writes().publish_again(); }});
    begin({"last writes", minutes(1), [this] { return front_->last_writes().prune(); }});
    for (auto const& job : workers::due_jobs()) {
        auto ask = workers::counting_dispatches(metrics_, workers::AskOperation([this](auto request) {
                                                    return system_calls_->submit(std::move(request));
                                                }));
        begin(due_rounds_
                  .emplace_back(job, runtime_.processor, due_sessions_, job_threads_, workers::database_time,
                                std::move(ask))
                  .periodic());
    }
    begin({"settlement", seconds(10), [this] {
               return workers::settle(runtime_.processor, runtime_.reservations, runtime_.secrets,
                                      runtime_.signing_secrets);
           }});
}

void Node::start_worker_jobs() {
    using std::chrono::hours;
    using std::chrono::milliseconds;
    using std::chrono::minutes;
    using std::chrono::seconds;
    begin({"days of webhook deliveries", hours(1), blocking([this] {
               if (!workers::lead(reactor_sessions_, "days of webhook deliveries", hours(1))) return;
               reactor_sessions_.run([](core::Connection& connection) {
                   workers::keep_webhook_partitions(connection, kKeptDeliveryDays);
               });
           })});
    begin({"webhook subscriptions in trouble", seconds(15),
           blocking([this] { workers::export_troubled(metrics_, reactor_sessions_.run(&workers::count_troubled)); })});
    begin({"payroll runs that wait", seconds(15), [this]() -> boost::asio::awaitable<void> {
               workers::export_backlog(metrics_, co_await runtime_.writes.run(&workers::count_payroll));
           }});
    begin({"runs of agents that wait", seconds(15), [this]() -> boost::asio::awaitable<void> {
               workers::export_backlog(metrics_, co_await runtime_.writes.run(&workers::count_runs));
           }});
    begin({"payroll runs of before", hours(1), [this] { return runtime_.writes.run(&workers::prune_payroll); }});
    auto const work_off = [this](bool outside) {
        auto submit_counted = workers::counting_dispatches(
            metrics_, workers::SubmitOperation([this](auto request) { return submit(std::move(request)); }));
        workers::work_off(reactor_sessions_, {runtime_.keyring, outbox_, std::move(submit_counted)},
                          end_jobs_.get_token(), workers::reactors(), outside);
    };
    begin({"reactor work", milliseconds(250), blocking([work_off] { work_off(false); })});
    for (int i = 0; i < kOutsideAtOnce; ++i) {
        begin({"reactor work that asks outside", milliseconds(250), blocking([work_off] { work_off(true); })});
    }
    begin({"schedules that wait", seconds(15), blocking([this] {
               metrics_
                   .gauge("workforce_trigger_overdue_seconds",
                          "For how long the schedule that has waited longest is due, the same from each process")
                   .Set(due_sessions_.run(&workers::overdue_seconds));
           })});
    begin({"billing", seconds(1), blocking([this] {
               if (billing_) billing_->round(end_jobs_.get_token());
           })});
    begin({"billing rows", seconds(15), blocking([this] {
               workers::export_billing(metrics_, reactor_sessions_.run(&workers::read_billing), billing_.has_value());
           })});
    begin({"usage roll-up", seconds(5), blocking([this] {
               if (workers::lead(reactor_sessions_, "usage roll-up", seconds(5)))
                   workers::roll_usage_up(reactor_sessions_);
           })});
    begin({"old usage", hours(1), blocking([this] {
               if (workers::lead(reactor_sessions_, "old usage", hours(1))) workers::prune_usage(reactor_sessions_);
           })});
    if (mails_) begin({"mails", milliseconds(250), blocking([this] { mails_->round(end_jobs_.get_token()); })});
    begin({"last backup", minutes(1), [this] { return last_backup_.look(runtime_.writes); }});
    begin({"mails that ended", hours(1),
           [this] { return workers::prune_outbox(runtime_.writes, runtime_.config.outbox_days); }});
    auto const& config = runtime_.config;
    if (!config.heads_file.empty()) {
        begin({"signed heads", minutes(config.heads_interval_minutes),
               blocking([this] { workers::export_heads(runtime_.log, runtime_.config, runtime_.master_keys); })});
    }
    if (!config.tombstones_file.empty()) {
        begin({"tombstones", seconds(1), blocking([this] { tombstones_.round(); })});
    }
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

void Node::make_deliveries() {
    delivery_engine_.emplace(workers::DeliveryParts{
        .writes = delivery_writes_,
        .keyring = runtime_.keyring,
        .secrets = runtime_.signing_secrets,
        .sender = runtime_.webhook_sender,
        .ask = [this](auto request) { return system_calls_->submit(std::move(request)); },
        .owner = runtime_.owner,
    });
    delivery_engine_->observe(metrics_.histogram("workforce_webhook_attempt_seconds",
                                                 "How long attempts to deliver took", {},
                                                 {0.005, 0.02, 0.1, 0.5, 1, 3, 10}));
    workers::export_deliveries(metrics_, *delivery_engine_);
}

void Node::look_for_work() {
    boost::asio::post(deliveries_.executor(), [this] { delivery_engine_->look_soon(); });
    boost::asio::post(payroll_.executor(), [this] { payroll_engine_->look_soon(); });
    boost::asio::post(runs_.executor(), [this] { run_engine_->look_soon(); });
}

void Node::start_deliveries() {
    if (!runner_) return;
    deliveries_end_ = boost::asio::co_spawn(deliveries_.executor(), delivery_engine_->run(), boost::asio::use_future);
}

void Node::stop_deliveries() {
    if (!deliveries_end_.valid()) return;
    boost::asio::post(deliveries_.executor(), [this] { delivery_engine_->stop(); });
    deliveries_end_.get();
}

void Node::make_payroll() {
    payroll_engine_.emplace(workers::PayrollParts{
        .writes = runtime_.writes,
        .providers = runtime_.payroll,
        .source = workers::payroll_source(due_sessions_, job_threads_),
        .ask = [this](auto request) { return system_calls_->submit(std::move(request)); },
    });
    workers::export_payroll(metrics_, *payroll_engine_);
}

void Node::start_payroll() {
    if (!runner_) return;
    payroll_end_ = boost::asio::co_spawn(payroll_.executor(), payroll_engine_->run(), boost::asio::use_future);
}

void Node::stop_payroll() {
    if (!payroll_end_.valid()) return;
    boost::asio::post(payroll_.executor(), [this] { payroll_engine_->stop(); });
    payroll_end_.get();
}

void Node::make_runs() {
    run_engine_.emplace(workers::RunEngineParts{
        .writes = runtime_.writes,
        .ask = [this](auto request) { return system_calls_->submit(std::move(request)); },
    });
    workers::export_runs(metrics_, *run_engine_);
}

void Node::start_runs() {
    if (!runner_) return;
    runs_end_ = boost::asio::co_spawn(runs_.executor(), run_engine_->run(), boost::asio::use_future);
}

void Node::stop_runs() {
    if (!runs_end_.valid()) return;
    boost::asio::post(runs_.executor(), [this] { run_engine_->stop(); });
    runs_end_.get();
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
    stop_deliveries();
    stop_payroll();
    stop_runs();
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
    deliveries_.stop();
    payroll_.stop();
    runs_.stop();
    delivery_writes_.stop();
    core::database_outage().announce(false);
    core::broker_outage().announce(false);
    if (serving_) core::log(core::Level::info, "stopped");
}

}  // namespace workforce::cli
