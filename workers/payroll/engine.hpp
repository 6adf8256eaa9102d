// Submits payroll runs to their providers, asks how they stand, and records what providers say.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/database.hpp"
#include "core/metrics.hpp"
#include "core/session_pool.hpp"
#include "workers/engine/reactor.hpp"
#include "workers/engine/work_loop.hpp"
#include "workers/payroll/work_store.hpp"

namespace workforce::workers {

/// Where providers look up what they pay, in sessions of role workforce_projector, on those threads.
PayrollSource payroll_source(core::SessionPool& sessions, boost::asio::thread_pool& threads);

/// What the engine works with; all of it outlives it.
struct PayrollParts {
    core::Database& writes;  ///< sessions of role workforce_writer
    PayrollProviders const& providers;
    PayrollSource source;
    AskOperation ask;
};

/// Counts of the engine's work since its start.
struct PayrollStats {
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> unknown{0};      ///< submissions whose outcome is not known
    std::atomic<std::uint64_t> unasked{0};      ///< questions how a run stands that were not answered
    std::atomic<std::uint64_t> settled{0};      ///< payments that were told of
    std::atomic<std::uint64_t> passed_over{0};  ///< those of other runs, or with a status that nobody knows
    std::atomic<std::uint64_t> reports{0};      ///< reports that were called back with and applied
    std::atomic<std::uint64_t> dropped{0};      ///< those of runs that nobody knows
};

/// The engine of a process. Its coroutines run on one executor of one thread, which run() is started on. What it
/// claims is done once however often it is claimed: a provider by its key, and the log by the run's state.
class PayrollEngine {
   public:
    explicit PayrollEngine(PayrollParts parts) : parts_(std::move(parts)) {}
    PayrollEngine(PayrollEngine const&) = delete;
    PayrollEngine& operator=(PayrollEngine const&) = delete;
    ~PayrollEngine() = default;

    /// Works until stop(); returns once nothing is under way, within some seconds.
    boost::asio::awaitable<void> run();
    /// Something may be due. To be called on run()'s executor, as the next.
    void look_soon() { loop_.look_soon(); }
    void stop() { loop_.stop(); }

    [[nodiscard]] PayrollStats const& stats() const { return stats_; }

   private:
    boost::asio::awaitable<bool> look();
    template <class Task>
    void begin(Task task, boost::asio::awaitable<void> (PayrollEngine::*work)(Task));

    boost::asio::awaitable<void> submit(PayrollTask task);
    boost::asio::awaitable<void> poll(PayrollTask task);
    boost::asio::awaitable<void> apply(PayrollCallback callback);

    /// What became of telling the log.
    enum class Told : std::uint8_t {
        yes,
        refused,  ///< the run's state does not allow it, which is logged
        not_yet,  ///< it is to be told again
    };
    /// Of an acceptance or a refusal.
    boost::asio::awaitable<Told> record(PayrollTask const& task, SubmissionResult const& result);
    /// A refusal, or what is true where an earlier try, whose outcome is unknown, was taken.
    boost::asio::awaitable<SubmissionResult> doubt(PayrollTask const& task, SubmissionResult refusal) const;
    /// Of what a provider reported.
    boost::asio::awaitable<Told> settle(PayrollTask const& task, PayrollReport report);
    /// Takes out payments that are not the run's. Says of which ones, and of which the status is unknown.
    boost::asio::awaitable<void> pass_over(PayrollTask const& task, std::vector<ReportedPayment>& payments);
    /// Adds the payments of which a report says without naming them that they were paid, failed or cancelled.
    boost::asio::awaitable<void> spread(PayrollTask const& task, PayrollReport& report,
                                        std::set<core::Id> const& named);
    boost::asio::awaitable<Told> ask(PayrollTask const& task, std::string_view verb, std::string body);
    boost::asio::awaitable<void> try_again(PayrollTask const& task, std::string why);

    PayrollParts const parts_;
    WorkLoop loop_{"payroll work could not be looked for"};
    PayrollStats stats_;
};

/// Shows what the engine, which outlives the metrics' last rendering, did and does.
void export_payroll(core::Metrics& metrics, PayrollEngine const& engine);
/// Shows what waits for providers.
void export_backlog(core::Metrics& metrics, PayrollBacklog const& backlog);

}  // namespace workforce::workers
