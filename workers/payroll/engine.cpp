// Looking for what is due, and doing it.
#include "workers/payroll/engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/crypto.hpp"
#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/run_on.hpp"

namespace workforce::workers {

using boost::asio::awaitable;

namespace {

/// Longer than a question to a provider and the log after it may take. Who does the same after that has the same key.
constexpr std::chrono::seconds kPayrollLease = kProviderTime + std::chrono::seconds(10);
constexpr int kAtOnce = 8;
constexpr std::chrono::minutes kLongestSubmissionPause{5};
/// A report whose run is not known is looked at again as often, and dropped in the end.
constexpr std::chrono::minutes kLongestReportPause{1};
constexpr std::chrono::hours kReportLife{7 * 24};

struct SubmissionBody {
    std::int64_t attempt = 0;
    std::string externalPayrollId;
};
BOOST_DESCRIBE_STRUCT(SubmissionBody, (), (attempt, externalPayrollId))
struct RefusalBody {
    std::int64_t attempt = 0;
    std::string reason;
};
BOOST_DESCRIBE_STRUCT(RefusalBody, (), (attempt, reason))
struct SettlementBody {
    std::int64_t attempt = 0;
    std::vector<ReportedPayment> payments;
};
BOOST_DESCRIBE_STRUCT(SettlementBody, (), (attempt, payments))
struct CancellationBody {
    std::int64_t attempt = 0;
};
BOOST_DESCRIBE_STRUCT(CancellationBody, (), (attempt))

/// A line about an attempt.
void log_attempt(core::Level level, std::string_view message, PayrollTask const& task, core::LogField more) {
    core::log(level, message,
              {{"run", task.attempt.run},
               {"attempt", task.attempt.attempt},
               {"organization", task.attempt.organization},
               {"sandbox", task.attempt.sandbox},
               more});
}

std::string_view why_all_failed(ReportedStatus status) {
    return status == ReportedStatus::cancelled ? "The provider cancelled the payment."
                                               : "The provider failed the whole run.";
}

bool is_settled(ReportedPayment const& payment) {
    auto const status = payment.status.value;
    return status == events::PaymentStatus::paid || status == events::PaymentStatus::failed;
}

/// A line about payments of a report that count for nothing.
void log_passed_over(PayrollTask const& task, std::string_view why, std::vector<core::Id> const& payments) {
    constexpr std::size_t kNamed = 20;
    std::span const named(payments.data(), std::min(payments.size(), kNamed));
    log_attempt(core::Level::error, "payments of a payroll provider's report are passed over", task,
                {"payments", fmt::format("{}: {}: {}{}", why, payments.size(), fmt::join(named, ", "),
                                         payments.size() > kNamed ? ", …" : "")});
}

}  // namespace

PayrollSource payroll_source(core::SessionPool& sessions, boost::asio::thread_pool& threads) {
    auto const ask = [&sessions, &threads](auto const& question) {
        return core::run_on(threads, [&sessions, question] { return sessions.run(question); });
    };
    return {
        .brief = [ask](core::Id run) -> awaitable<PayrollBrief> {
            co_return co_await ask([run](core::Connection& connection) { return read_brief(connection, run); });
        },
        .payments = [ask](core::Id run, core::Id after) -> awaitable<DuePayments> {
            co_return co_await ask(
                [=](core::Connection& connection) { return read_due_payments(connection, run, after); });
        },
        .last_payment = [ask](core::Id run) -> awaitable<core::Id> {
            co_return co_await ask([run](core::Connection& connection) { return read_last_payment(connection, run); });
        },
        .made_to_fail = [ask](core::Id organization, bool sandbox,
                              std::vector<core::Id> staff) -> awaitable<std::vector<core::Id>> {
            co_return co_await ask(
                [=](core::Connection& connection) { return made_to_fail(connection, organization, sandbox, staff); });
        }};
}

awaitable<void> PayrollEngine::run() {
    co_await loop_.run([this] { return look(); });
}

awaitable<bool> PayrollEngine::look() {
    auto const room = kAtOnce - static_cast<int>(loop_.under_way());
    if (room <= 0) co_return false;
    struct Due {
        std::vector<PayrollTask> submissions, polls;
        std::vector<PayrollCallback> callbacks;
    };
    auto due = co_await parts_.writes.run([room](core::Connection& connection) {
        return Due{claim_submissions(connection, room, kPayrollLease), claim_polls(connection, room, kPayrollLease),
                   claim_callbacks(connection, 1, kPayrollLease)};  // which may be large
    });
    for (auto& task : due.submissions) begin(std::move(task), &PayrollEngine::submit);
    for (auto& task : due.polls) begin(std::move(task), &PayrollEngine::poll);
    for (auto& callback : due.callbacks) begin(std::move(callback), &PayrollEngine::apply);
    co_return false;
}

template <class Task>
void PayrollEngine::begin(Task task, awaitable<void> (PayrollEngine::*work)(Task)) {
    loop_.begin((this->*work)(std::move(task)),
                [](std::exception const& error) {  // its lease ends, and it is due again
                    core::log(core::quiet_while_away(core::Level::warn), "payroll work failed and is tried again",
                              {{"error", error.what()}});
                });
}

awaitable<void> PayrollEngine::submit(PayrollTask task) {
    auto result = co_await parts_.providers.of(task.attempt.sandbox).submit(task.attempt, parts_.source);
    if (result.kind == SubmissionResult::Kind::refused && task.tries > 1) {
        result = co_await doubt(task, std::move(result));
    }
    if (result.kind == SubmissionResult::Kind::unknown) {
        ++stats_.unknown;
        co_return co_await try_again(task, result.text);
    }
    auto const told = co_await record(task, result);
    if (told == Told::not_yet) co_return co_await try_again(task, "the log could not be told");
    if (told == Told::yes) co_return;  // the fold of that takes the work away
    co_await parts_.writes.run(
        [id = task.work_id](core::Connection& connection) { payroll_work().finish(connection, {id}); });
}

awaitable<SubmissionResult> PayrollEngine::doubt(PayrollTask const& task, SubmissionResult refusal) const {
    auto const found = co_await parts_.providers.of(task.attempt.sandbox).find(task.attempt);
    if (!found) co_return SubmissionResult{SubmissionResult::Kind::unknown, found.error()};
    if (!*found) co_return refusal;
    log_attempt(core::Level::warn, "a payroll provider refused a run that it had taken before", task,
                {"external_id", **found});
    co_return SubmissionResult{SubmissionResult::Kind::accepted, **found};
}

awaitable<PayrollEngine::Told> PayrollEngine::record(PayrollTask const& task, SubmissionResult const& result) {
    bool const accepted = result.kind == SubmissionResult::Kind::accepted;
    auto body = accepted ? core::to_json(SubmissionBody{task.attempt.attempt, result.text})
                         : core::to_json(RefusalBody{task.attempt.attempt, result.text});
    auto const verb = accepted ? "payroll_runs.record_submission" : "payroll_runs.record_refusal";
    auto const told = co_await ask(task, verb, std::move(body));
    if (told != Told::yes) co_return told;
    ++(accepted ? stats_.accepted : stats_.refused);
    if (accepted) {
        log_attempt(core::Level::info, "a payroll provider has a run", task, {"external_id", result.text});
    } else {
        log_attempt(core::Level::warn, "a payroll provider refused a run, whose failureReason says why", task,
                    {"tries", task.tries});
    }
    co_return told;
}

awaitable<void> PayrollEngine::poll(PayrollTask task) {
    auto const& provider = parts_.providers.of(task.attempt.sandbox);
    auto pause = provider.next_poll(task.tries - 1);
    if (task.tries > 1) {  // the first time it was submitted a moment ago
        auto report = co_await provider.get(task.attempt, parts_.source);
        if (!report) {
            ++stats_.unasked;
            log_attempt(core::quiet_while_away(core::Level::warn), "a payroll provider did not say how a run stands",
                        task, {"error", report.error()});
        } else if (co_await settle(task, *std::move(report)) == Told::not_yet) {
            pause = std::chrono::seconds(1);
        }
    }
    co_await parts_.writes.run(
        [attempt = task.attempt, pause](core::Connection& connection) { postpone_poll(connection, attempt, pause); });
}

awaitable<void> PayrollEngine::apply(PayrollCallback callback) {
    bool done = callback.ended;
    bool const too_old = !callback.task && callback.age > kReportLife;
    if (too_old) {
        ++stats_.dropped;
        core::log(core::Level::error, "a payroll provider's report is dropped, for nobody knows its run",
                  {{"id", callback.id}, {"external_id", callback.report.externalPayrollId.value}});
    } else if (callback.task && !done) {
        auto& task = *callback.task;
        // It knows the run's id before the answer to the submission told it.
        auto told = Told::yes;
        if (!task.attempt.external_id) {
            told = co_await record(task, {SubmissionResult::Kind::accepted, callback.report.externalPayrollId.value});
        }
        if (told == Told::yes) told = co_await settle(task, std::move(callback.report));
        done = told != Told::not_yet;
        if (done) ++stats_.reports;
    }
    auto const pause = std::min<std::chrono::milliseconds>(pause_after(callback.tries), kLongestReportPause);
    co_await parts_.writes.run([id = callback.id, over = done || too_old, pause](core::Connection& connection) {
        over ? finish_callback(connection, id) : postpone_callback(connection, id, pause);
    });
}

awaitable<PayrollEngine::Told> PayrollEngine::settle(PayrollTask const& task, PayrollReport report) {
    auto& payments = report.payments.value;
    auto const reported = payments.size();
    co_await pass_over(task, payments);
    if (reported > 0 && payments.empty()) co_return Told::yes;  // what it says of the run is of another one
    std::set<core::Id> named;
    for (auto const& payment : payments) named.insert(payment.paymentId);
    std::erase_if(payments, [](ReportedPayment const& payment) { return !is_settled(payment); });
    if (report.status == ReportedStatus::cancelled && named.empty()) {
        auto const told = co_await ask(task, "payroll_runs.record_cancellation",
                                       core::to_json(CancellationBody{task.attempt.attempt}));
        if (told != Told::refused) co_return told;  // some payments were settled before
    }
    co_await spread(task, report, named);
    std::span<ReportedPayment const> rest(payments);
    while (!rest.empty()) {
        auto const some = rest.first(std::min(rest.size(), events::kPaymentsOfEvent));
        auto body = core::to_json(SettlementBody{task.attempt.attempt, {some.begin(), some.end()}});
        auto const told = co_await ask(task, "payroll_runs.settle_payments", std::move(body));
        if (told != Told::yes) co_return told;
        stats_.settled += some.size();
        rest = rest.subspan(some.size());
    }
    co_return Told::yes;
}

awaitable<void> PayrollEngine::pass_over(PayrollTask const& task, std::vector<ReportedPayment>& payments) {
    if (payments.empty()) co_return;
    auto const run = task.attempt.run;
    auto const last = co_await parts_.source.last_payment(run);
    if (last == 0) co_return;  // the run ended, and the log says so
    std::vector<core::Id> foreign;
    std::vector<core::Id> unknown;
    std::erase_if(payments, [&](ReportedPayment const& payment) {
        auto const id = payment.paymentId;
        bool const own = events::payment_id(run, 1) <= id && id <= last;
        if (!own) {
            foreign.push_back(id);
        } else if (!payment.status.known) {
            unknown.push_back(id);
        }
        return !own;
    });
    if (!foreign.empty()) log_passed_over(task, "not of the run", foreign);
    if (!unknown.empty()) log_passed_over(task, "their status is unknown", unknown);
    stats_.passed_over += foreign.size() + unknown.size();
}

awaitable<void> PayrollEngine::spread(PayrollTask const& task, PayrollReport& report, std::set<core::Id> const& named) {
    auto& payments = report.payments.value;
    auto const status = report.status;
    bool const whole = named.empty() && (status == ReportedStatus::paid || status == ReportedStatus::failed);
    if (!whole && status != ReportedStatus::cancelled) co_return;
    for (core::Id after = 0;;) {
        auto const due = co_await parts_.source.payments(task.attempt.run, after);
        if (due.payments.empty()) co_return;
        after = due.payments.back().paymentId;
        for (auto const& payment : due.payments) {
            if (named.contains(payment.paymentId)) continue;
            auto& told = payments.emplace_back();
            told.paymentId = payment.paymentId;
            told.status.value =
                status == ReportedStatus::paid ? events::PaymentStatus::paid : events::PaymentStatus::failed;
            if (status != ReportedStatus::paid) told.failureReason = std::string(why_all_failed(status));
        }
    }
}

awaitable<PayrollEngine::Told> PayrollEngine::ask(PayrollTask const& task, std::string_view verb, std::string body) {
    auto const& attempt = task.attempt;
    OperationRequest request{.verb = std::string(verb),
                             .organization = attempt.organization,
                             .sandbox = attempt.sandbox,
                             .id = attempt.run,
                             .body = std::move(body),
                             .key = {},
                             .correlation_id = task.correlation_id,
                             .event_id = task.event_id};
    request.key = fmt::format("payroll/{}/{}/{}/{}", attempt.run, attempt.attempt, verb,
                              core::hex_encode(core::bytes(core::sha256(request.body))));
    auto const answer = co_await parts_.ask(std::move(request));
    if (!answer) co_return Told::not_yet;
    if (!answer->refused) co_return Told::yes;
    log_attempt(core::Level::error, "what a payroll provider says of a run is refused", task,
                {"refusal", fmt::format("{}: {}", verb, core::info(*answer->refused).name)});
    co_return Told::refused;
}

awaitable<void> PayrollEngine::try_again(PayrollTask const& task, std::string why) {
    log_attempt(core::quiet_while_away(core::Level::warn),
                "it is not known whether a payroll provider has a run: it is submitted again under the same key", task,
                {"error", why});
    auto const pause = std::min<std::chrono::milliseconds>(pause_after(task.tries), kLongestSubmissionPause);
    co_await parts_.writes.run([id = task.work_id, pause, why = std::move(why)](core::Connection& connection) {
        payroll_work().postpone(connection, id, pause, why);
    });
}

void export_payroll(core::Metrics& metrics, PayrollEngine const& engine) {
    std::string const name = "workforce_payroll_submissions_total";
    std::string const help = "Payroll runs that were submitted to a provider, by outcome";
    auto& accepted = metrics.counter(name, help, {{"outcome", "accepted"}});
    auto& refused = metrics.counter(name, help, {{"outcome", "refused"}});
    auto& unknown = metrics.counter(name, help, {{"outcome", "unknown"}});
    auto& unasked = metrics.counter("workforce_payroll_polls_failed_total",
                                    "Questions to payroll providers how a run stands that were not answered");
    auto& settled = metrics.counter("workforce_payroll_payments_reported_total",
                                    "Payments that providers said were paid or failed, repeats included");
    auto& passed_over =
        metrics.counter("workforce_payroll_payments_passed_over_total",
                        "Payments in reports of providers that are not the run's, or have a status that nobody knows");
    std::string const reports = "workforce_payroll_reports_total";
    std::string const about_reports = "Reports that payroll providers called back with, by what became of them";
    auto& applied = metrics.counter(reports, about_reports, {{"outcome", "applied"}});
    auto& dropped = metrics.counter(reports, about_reports, {{"outcome", "dropped"}});
    metrics.before_render([&] {
        auto const& stats = engine.stats();
        core::raise(accepted, static_cast<double>(stats.accepted));
        core::raise(refused, static_cast<double>(stats.refused));
        core::raise(unknown, static_cast<double>(stats.unknown));
        core::raise(unasked, static_cast<double>(stats.unasked));
        core::raise(settled, static_cast<double>(stats.settled));
        core::raise(passed_over, static_cast<double>(stats.passed_over));
        core::raise(applied, static_cast<double>(stats.reports));
        core::raise(dropped, static_cast<double>(stats.dropped));
    });
}

void export_backlog(core::Metrics& metrics, PayrollBacklog const& backlog) {
    metrics.gauge("workforce_payroll_unsubmitted", "Approved payroll runs whose provider is not known to have them")
        .Set(static_cast<double>(backlog.unsubmitted));
    metrics.gauge("workforce_payroll_unsubmitted_seconds", "For how long the oldest of them waits")
        .Set(backlog.oldest_seconds);
    metrics.gauge("workforce_payroll_processing", "Payroll runs that a provider has and did not settle yet")
        .Set(static_cast<double>(backlog.processing));
}

}  // namespace workforce::workers
