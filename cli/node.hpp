// One process of the service, with the parts that its role needs: the composition root, with ordered start and stop.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/admin/admin_listener.hpp"
#include "api/cluster/system_calls.hpp"
#include "cli/engine_thread.hpp"
#include "cli/front.hpp"
#include "core/background.hpp"
#include "projections/engine/checkpoint_watch.hpp"
#include "projections/engine/runner.hpp"
#include "workers/agents/run_engine.hpp"
#include "workers/billing/delivery.hpp"
#include "workers/cluster/lease_keeper.hpp"
#include "workers/engine/standing.hpp"
#include "workers/jobs/due_job.hpp"
#include "workers/jobs/last_backup.hpp"
#include "workers/jobs/tombstone_export.hpp"
#include "workers/mail/delivery.hpp"
#include "workers/mail/outbox.hpp"
#include "workers/payroll/engine.hpp"
#include "workers/runtime.hpp"
#include "workers/webhooks/delivery_engine.hpp"

namespace workforce::cli {

/// `serve` has all parts, `api` listeners and writers, `workers` projections and reactors; each has the admin listener
/// and leases.
/// Built, started and stopped by one thread.
class Node {
   public:
    /// Connects. Errors: std::runtime_error with one line for the operator.
    Node(core::Config const& config, workers::Role role);
    /// As stop(), also after a start() that threw half way.
    ~Node();
    Node(Node const&) = delete;
    Node& operator=(Node const&) = delete;

    /// Takes ports, then partitions, then requests. `serve` answers once it has what it could take over. Errors: as the
    /// constructor; also while processes live that this one can't run beside (workers::enter), after some seconds.
    void start();

    /// /readyz may say that the process is ready: the start is done and a signal is an orderly stop.
    void announce_start();

    /// /readyz says that the process is about to stop, so that nobody sends new clients; all is served as before.
    void announce_stop();

    /// Asks for an operation as the installation, here or where its partition is written, as reactors do
    /// (workers::SubmitOperation). Blocks. Between start() and stop(), on another thread than start()'s tasks.
    core::Result<workers::OperationAnswer> submit(workers::OperationRequest request);

    /// No new connections, requests in flight answered, what is queued decided, leases given back, projections to the
    /// end of their batch. A second call does nothing.
    void stop();

   private:
    /// The head of a partition now: this process's own, or the log's. Errors: events::LogUnavailable.
    boost::asio::awaitable<std::int64_t> head(int partition);

    /// Shows what projections remember.
    void export_rows();
    /// Shows how many processes live, and how many partitions nobody writes or folds.
    void export_fleet();
    /// Shows what could not be forwarded.
    void export_forwarding();
    /// Has a job run again and again until the stop.
    void begin(workers::Periodic job);
    /// A round of such a job that blocks, on a thread for it.
    std::function<boost::asio::awaitable<void>()> blocking(std::function<void()> round);
    /// Begins what is done again and again beside the requests; of that, what goes with a front and with projections.
    void start_jobs();
    void start_front_jobs();
    void start_worker_jobs();
    void start_usage_jobs();  ///< bills, and what calls add up to
    /// Makes what reports outcomes to the billing meter, if there is one.
    void make_billing();
    /// Makes what sends webhooks, what has payroll runs paid, and what has runs of agents go on.
    void make_engines();
    /// Something may be due for them that was not before. Thread-safe.
    void look_for_work();

    /// Announces the process once none lives that it can't run beside.
    void enter(core::Connection& connection);

    workers::Role const role_;
    std::string const billing_secret_;  // as the next
    std::string const admin_token_;     // may be refused, so it comes before what has to be stopped; as does the next
    std::unique_ptr<workers::MailChannel> mail_channel_;  // until mails_ has it; null: mails leave elsewhere, or not
    bool entered_ = false;
    bool serving_ = false;
    bool stopped_ = false;
    core::Metrics metrics_;
    core::Background background_;
    std::atomic<bool> stopping_{false};
    // For heads that the log is asked for: up to three may hang, and the rest is had; one more for guardrails.
    boost::asio::thread_pool asking_{5};
    boost::asio::thread_pool job_threads_{22};  // one for each periodic job that blocks, and for payroll
    std::stop_source end_jobs_;
    workers::Runtime runtime_;
    workers::Owners owners_;
    std::vector<projections::ProjectionType> const reactor_folds_;
    std::optional<projections::Runner> runner_;
    std::optional<projections::Runner> reactor_runner_;
    std::optional<projections::Progress> followed_;  // where nothing is folded here
    projections::Progress& progress_;
    projections::CheckpointWatch watch_;
    core::SessionPool reactor_sessions_;
    workers::Outbox outbox_;
    std::optional<workers::MailDelivery> mails_;
    std::optional<workers::BillingDelivery> billing_;
    workers::ReactorWatch reactor_watch_;
    core::SessionPool due_sessions_;
    std::deque<workers::DueRounds> due_rounds_;
    workers::TombstoneExport tombstones_;
    workers::LastBackup last_backup_;
    workers::LeaseKeeper keeper_;
    api::Forwarder forwarder_;
    api::Cluster cluster_;
    std::optional<Front> front_;
    std::optional<api::SystemCalls> system_calls_;
    core::Database delivery_writes_;
    EngineThread<workers::DeliveryEngine> deliveries_;
    EngineThread<workers::PayrollEngine> payroll_;
    EngineThread<workers::RunEngine> runs_;
    api::InternalVerifier internal_;
    api::LogProbe log_probe_;
    api::AdminServices admin_services_;
    net::Server admin_;
};

}  // namespace workforce::cli
