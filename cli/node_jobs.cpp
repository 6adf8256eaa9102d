// Periodic jobs of a process: those of any role, of a front, and of workers.
#include "cli/node.hpp"

#include <chrono>
#include <utility>

#include "api/credentials/signing_key.hpp"
#include "projections/event_tap/event_tap.hpp"
#include "workers/cluster/activations.hpp"
#include "workers/cluster/master_keys.hpp"
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

constexpr int kKeptDeliveryDays = 30;  // domain 7.4
/// So many calls that were approved are waited for at a time.
constexpr int kOutsideAtOnce = 4;

/// Only other processes want leases of limits back.
std::chrono::milliseconds lease_pause(Role role) { return std::chrono::milliseconds(role == Role::serve ? 1000 : 20); }

}  // namespace

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
    begin({"old events of the tap", minutes(10), blocking([this] {
               if (workers::lead(reactor_sessions_, "old events of the tap", minutes(10)))
                   projections::prune_event_tap(due_sessions_, runtime_.config.event_tap_days);
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
               for (int const partition : progress_.elsewhere()) {
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
    start_usage_jobs();
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

void Node::start_usage_jobs() {
    using std::chrono::hours;
    using std::chrono::seconds;
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
}

}  // namespace workforce::cli
