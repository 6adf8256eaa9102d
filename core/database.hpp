// Database threads: blocking sessions for coroutines to await.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/connection.hpp"
#include "core/database_errors.hpp"
#include "core/fair_queue.hpp"
#include "core/pipeline.hpp"
#include "core/session_pool.hpp"

namespace workforce::core {

/// How a pool works.
struct DatabaseOptions {
    ConnectionOptions connection{};
    std::size_t threads = 8;  ///< jobs at a time, each on a thread of its own
    /// Jobs of tenants that may wait, of each as FairQueue has it; besides, as many of the service itself. 4 or more.
    std::size_t queue_limit = 1000;
    SessionPurpose purpose = SessionPurpose::request;
};

/// What a pool has done, for metrics.
struct DatabaseStats {
    std::size_t waiting = 0;     ///< jobs not begun, and queries of find() not answered
    std::uint64_t jobs = 0;      ///< jobs ended, failed ones included
    std::uint64_t failures = 0;  ///< jobs that threw
    std::uint64_t connects = 0;  ///< sessions opened
};

/// Threads that borrow a session for each job (SessionPool): so there are no more sessions than jobs at a time, and
/// their plans are there already. The thread that has been idle for the shortest time has the next job. Thread-safe.
class Database {
   public:
    explicit Database(DatabaseOptions options);
    Database(Database const&) = delete;
    Database& operator=(Database const&) = delete;
    /// As stop().
    ~Database();

    /// Calls `work(Connection&)` on a thread of the pool and resumes the caller on its own executor with the result or
    /// the exception. A job begins outside a transaction with the tenant's context; jobs of different organizations
    /// take turns. Without a tenant it is of the service itself, sees nothing, and finds room whatever tenants ask for.
    /// Jobs are never repeated; libpqxx's exceptions for a lost, silent or overloaded server become
    /// DatabaseUnavailable. Throws DatabaseBusy when too many jobs wait. `work` should own what it uses; it is
    /// destroyed on the pool's thread.
    template <class F>
    boost::asio::awaitable<std::invoke_result_t<F&, Connection&>> run(F work, std::optional<TenantContext> tenant = {});

    /// As run(), with the work in a transaction.
    template <class F>
    auto transact(F work, std::optional<TenantContext> tenant = {}) {
        return run(
            [work = std::move(work)](Connection& connection) mutable {
                return connection.transaction([&] { return work(connection); });
            },
            tenant);
    }
    /// The result of one statement with these parameters, as run() has it.
    template <class... Args>
    boost::asio::awaitable<pqxx::result> execute(Statement statement, Args const&... args) {
        std::array<Parameter, sizeof...(Args)> parameters{to_parameter(args)...};
        return run([statement, parameters = std::move(parameters)](Connection& connection) {
            return connection.execute_prepared(statement, parameters);
        });
    }

    /// The rows of a short statement, under the same errors as run(). Callers must run on an io_context of one thread,
    /// which then has a session of its own where many callers' statements travel together; while that is not there, or
    /// failed, a thread of the pool executes the statement, once more where need be.
    boost::asio::awaitable<Rows> find(Query query);

    /// Ends what waits, then the threads; later jobs get DatabaseUnavailable. Call it while the callers' io_contexts
    /// still exist. A second call does nothing.
    void stop();

    [[nodiscard]] DatabaseStats stats() const;

   private:
    class Job {
       public:
        virtual ~Job() = default;
        /// Does the work on a session and keeps the result. May throw.
        virtual void run(Connection& connection) = 0;
        /// Resumes the caller with the result, or with the error if there is one.
        virtual void finish(std::exception_ptr error) noexcept = 0;
    };
    template <class F, class Handler>
    class AwaitedJob;

    static constexpr Lane kServiceLane{-1, false};
    struct Queued {
        std::optional<TenantContext> tenant;
        std::unique_ptr<Job> job;
        [[nodiscard]] Lane lane() const { return tenant ? tenant->lane() : kServiceLane; }
    };

    [[nodiscard]] bool has_room(Lane lane) const;
    /// Queues a job, or finishes it with DatabaseBusy or DatabaseUnavailable.
    void submit(Queued next);
    /// A thread that waits for a job.
    struct Idler {
        std::condition_variable call{};
        bool called = false;
    };
    /// The next job, for the thread of that idler; none when the pool stops.
    std::optional<Queued> next_job(Idler& self);
    /// The session of the caller's io_context; nothing when it may have none.
    std::shared_ptr<Pipeline> pipeline_of(boost::asio::any_io_executor const& executor);
    boost::asio::awaitable<void> open(std::shared_ptr<Pipeline> pipeline);
    void serve(Idler& self);
    /// Does the job; returns what became of it.
    std::exception_ptr attempt(Queued& next);
    Connection& session_of(SessionPool::Loan& loan);

    DatabaseOptions const options_;
    SessionPool pool_;
    std::uint64_t const number_;  // among all of the program
    std::atomic<std::size_t> pipelines_{0};
    std::atomic<std::chrono::steady_clock::time_point> retry_at_{};  // nobody connects before
    std::mutex mutex_;
    FairQueue<Queued> queue_;
    std::deque<Idler> idlers_;  // one a thread
    std::vector<Idler*> idle_;  // who waits: the last one is called first
    bool stopping_ = false;
    std::atomic<std::size_t> waiting_{0};
    std::atomic<std::size_t> finding_{0};
    std::atomic<std::uint64_t> jobs_{0};
    std::atomic<std::uint64_t> failures_{0};
    std::atomic<std::uint64_t> connects_{0};
    std::mutex stop_mutex_;
    std::vector<std::thread> threads_;
};

template <class F, class Handler>
class Database::AwaitedJob final : public Database::Job {
   public:
    using Value = std::invoke_result_t<F&, Connection&>;
    using Outcome = tl::expected<Value, std::exception_ptr>;

    AwaitedJob(F work, Handler handler)
        : work_(std::move(work)),
          handler_(std::move(handler)),
          // Tracked: the caller's io_context must not run out of work while its only coroutine waits here.
          executor_(boost::asio::prefer(boost::asio::get_associated_executor(handler_),
                                        boost::asio::execution::outstanding_work.tracked)) {}

    void run(Connection& connection) override {
        if constexpr (std::is_void_v<Value>) {
            work_(connection);
            outcome_ = Outcome();
        } else {
            outcome_ = Outcome(work_(connection));
        }
    }

    void finish(std::exception_ptr error) noexcept override {
        if (error) outcome_ = tl::unexpected(std::move(error));
        boost::asio::post(executor_, [handler = std::move(handler_), outcome = std::move(outcome_)]() mutable {
            std::move(handler)(std::move(outcome));
        });
    }

   private:
    F work_;
    Handler handler_;
    decltype(boost::asio::prefer(boost::asio::get_associated_executor(std::declval<Handler&>()),
                                 boost::asio::execution::outstanding_work.tracked)) executor_;
    Outcome outcome_ =
        tl::unexpected(std::exception_ptr());  // NOLINT(bugprone-throw-keyword-missing): a value, not thrown
};

template <class F>
boost::asio::awaitable<std::invoke_result_t<F&, Connection&>> Database::run(F work,
                                                                            std::optional<TenantContext> tenant) {
    using Value = std::invoke_result_t<F&, Connection&>;
    using Outcome = tl::expected<Value, std::exception_ptr>;
    auto initiate = [this, &work, tenant](auto handler) {
        using Handler = std::decay_t<decltype(handler)>;
        submit({tenant, std::make_unique<AwaitedJob<F, Handler>>(std::move(work), std::move(handler))});
    };
    Outcome outcome = co_await boost::asio::async_initiate<boost::asio::use_awaitable_t<> const, void(Outcome)>(
        initiate, boost::asio::use_awaitable);
    if (!outcome) std::rethrow_exception(std::move(outcome.error()));
    if constexpr (!std::is_void_v<Value>) co_return *std::move(outcome);
}

}  // namespace workforce::core
