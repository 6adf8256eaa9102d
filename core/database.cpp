// The pool's threads: take a job, see to a live session, run, resume the caller.
#include "core/database.hpp"

#include <chrono>
#include <optional>
#include <pqxx/except>

#include "core/allocator.hpp"

namespace workforce::core {
namespace {

/// After a failed connect, jobs are refused at once for this long instead of each waiting for a server that is not
/// there.
constexpr auto kReconnectPause = std::chrono::milliseconds(200);

/// After so long without a job a thread gives back the memory that it keeps for the next one.
constexpr auto kQuiet = std::chrono::seconds(1);
/// Whether the thread has had a job since.
thread_local bool keeps_memory = false;

/// Whether an SQL error says that the server, not the statement, is the trouble: connection exceptions (08),
/// insufficient resources (53), operator intervention, statement timeout among it (57), and a server that only reads
/// (25006).
bool is_unavailability(std::string const& sqlstate) {
    return sqlstate.starts_with("08") || sqlstate.starts_with("53") || sqlstate.starts_with("57") ||
           sqlstate == "25006";
}

std::exception_ptr unavailable(std::exception const& cause) {
    return std::make_exception_ptr(DatabaseUnavailable(cause.what()));
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

Database::Database(DatabaseOptions options)
    : options_(std::move(options)),
      pool_(options_.connection, options_.threads, options_.purpose),
      number_(next_number()),
      queue_(options_.queue_limit) {
    idle_.reserve(options_.threads);
    for (std::size_t i = 0; i < options_.threads; ++i) {
        threads_.emplace_back([this, &self = idlers_.emplace_back()] { serve(self); });
    }
}

Database::~Database() { stop(); }

void Database::stop() {
    std::lock_guard const only(stop_mutex_);
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
        for (auto* idler : idle_) idler->called = true;
        idle_.clear();
    }
    for (auto& idler : idlers_) idler.call.notify_one();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
}

DatabaseStats Database::stats() const { return {waiting_ + finding_, jobs_, failures_, connects_}; }

bool Database::has_room(Lane lane) const {
    // The service's own jobs are few, and many requests of all tenants wait for each of them.
    return lane == kServiceLane ? queue_.size(lane) < options_.queue_limit : queue_.has_room(lane);
}

void Database::submit(Queued next) {
    std::exception_ptr refusal;
    Idler* idler = nullptr;
    {
        std::lock_guard const lock(mutex_);
        if (stopping_) {
            refusal = std::make_exception_ptr(DatabaseUnavailable("the database threads have stopped"));
        } else if (!has_room(next.lane())) {
            refusal = std::make_exception_ptr(DatabaseBusy());
        } else {
            queue_.push(std::move(next));
            waiting_ = queue_.size();
            ++pool_.use().waiting;
            if (!idle_.empty()) {
                idler = idle_.back();
                idle_.pop_back();
                idler->called = true;
            }
        }
    }
    if (idler != nullptr) idler->call.notify_one();
    // NOLINTNEXTLINE(bugprone-use-after-move): moved from exactly when it is not refused
    if (refusal) next.job->finish(std::move(refusal));
}

std::optional<Database::Queued> Database::next_job(Idler& self) {
    std::unique_lock lock(mutex_);
    while (queue_.empty() && !stopping_) {  // a thread that was busy may have been faster than whoever was called
        self.called = false;
        idle_.push_back(&self);
        auto const called = [&self] { return self.called; };
        if (keeps_memory && !self.call.wait_for(lock, kQuiet, called)) {
            keeps_memory = false;
            lock.unlock();
            release_unused_memory();
            lock.lock();
        }
        self.call.wait(lock, called);
    }
    if (queue_.empty()) return std::nullopt;
    keeps_memory = true;
    auto next = queue_.pop();
    waiting_ = queue_.size();
    --pool_.use().waiting;
    return next;
}

Connection& Database::session_of(SessionPool::Loan& loan) {
    using Clock = std::chrono::steady_clock;
    if (auto* const live = loan.live()) return *live;
    if (Clock::now() < retry_at_.load()) throw DatabaseUnavailable("the database was not reachable a moment ago");
    try {
        auto& opened = loan.open();
        ++connects_;
        return opened;
    } catch (...) {
        retry_at_ = Clock::now() + kReconnectPause;
        throw;
    }
}

std::exception_ptr Database::attempt(Queued& next) try {
    SessionPool::Loan loan(pool_);
    try {
        auto& connection = session_of(loan);
        connection.use(next.tenant.value_or(TenantContext{}));
        next.job->run(connection);
        return {};
    } catch (pqxx::broken_connection const& broken) {
        loan.close();
        return unavailable(broken);
    } catch (pqxx::in_doubt_error const& doubt) {
        loan.close();
        return unavailable(doubt);
    } catch (pqxx::sql_error const& failed) {
        if (!is_unavailability(failed.sqlstate())) throw;
        // A session survives its statement's timeout; of the others none is worth keeping.
        if (failed.sqlstate() != "57014") loan.close();
        return unavailable(failed);
    }
} catch (...) {
    return std::current_exception();
}

void Database::serve(Idler& self) {
    while (auto next = next_job(self)) {
        auto error = attempt(*next);
        ++jobs_;
        if (error) ++failures_;
        next->job->finish(std::move(error));
    }
}

}  // namespace workforce::core
