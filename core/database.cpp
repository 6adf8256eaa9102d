// The pool's threads: take a job, see to a live session, run, resume the caller.
#include "core/database.hpp"

#include <chrono>
#include <optional>
#include <pqxx/except>

namespace workforce::core {
namespace {

/// After a failed connect, jobs are refused at once for this long instead of each waiting for a server that is not
/// there.
constexpr auto kReconnectPause = std::chrono::milliseconds(200);

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

/// One thread's session.
class Session {
   public:
    explicit Session(ConnectionOptions const& options) : options_(options) {}

    /// A live session; `opened` is counted up when it is a new one.
    Connection& get(std::atomic<std::uint64_t>& opened) {
        if (connection_ && !connection_->usable()) connection_.reset();
        if (connection_) return *connection_;
        auto const now = std::chrono::steady_clock::now();
        if (now < retry_at_) throw DatabaseUnavailable("the database was not reachable a moment ago");
        retry_at_ = now + kReconnectPause;
        connection_.emplace(options_);
        retry_at_ = {};
        ++opened;
        return *connection_;
    }
    /// After a job: whatever tenant it worked for must not be the next one's.
    void leave() {
        if (connection_) connection_->use({});
    }
    void drop() { connection_.reset(); }

   private:
    ConnectionOptions const& options_;
    std::optional<Connection> connection_;
    std::chrono::steady_clock::time_point retry_at_;
};

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

Database::Database(DatabaseOptions options) : options_(std::move(options)), number_(next_number()) {
    for (std::size_t i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { serve(); });
}

Database::~Database() { stop(); }

void Database::stop() {
    std::lock_guard const only(stop_mutex_);
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
    }
    arrived_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
}

DatabaseStats Database::stats() const { return {waiting_, jobs_, failures_, connects_}; }

void Database::admit() {
    if (waiting_.fetch_add(1) >= options_.queue_limit) {
        waiting_.fetch_sub(1);
        throw DatabaseBusy();
    }
}

void Database::submit(std::unique_ptr<Job> job) {
    bool wake = false;
    {
        std::lock_guard const lock(mutex_);
        if (!stopping_) {
            queue_.push_back(std::move(job));
            wake = idle_ > 0;
        }
    }
    if (wake) arrived_.notify_one();
    if (!job) return;  // it was queued
    waiting_.fetch_sub(1);
    // NOLINTNEXTLINE(bugprone-use-after-move): moved from exactly when it was queued, which has returned
    job->finish(std::make_exception_ptr(DatabaseUnavailable("the database threads have stopped")));
}

std::unique_ptr<Database::Job> Database::next_job() {
    std::unique_lock lock(mutex_);
    ++idle_;
    arrived_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return nullptr;
    auto job = std::move(queue_.front());
    queue_.pop_front();
    waiting_.fetch_sub(1);
    return job;
}

void Database::serve() {
    Session session(options_.connection);
    while (auto job = next_job()) {
        std::exception_ptr error;
        try {
            job->run(session.get(connects_));
        } catch (pqxx::broken_connection const& broken) {
            error = unavailable(broken);
            session.drop();
        } catch (pqxx::in_doubt_error const& doubt) {
            error = unavailable(doubt);
            session.drop();
        } catch (pqxx::sql_error const& failed) {
            bool const theirs = is_unavailability(failed.sqlstate());
            error = theirs ? unavailable(failed) : std::current_exception();
            // A session survives its statement's timeout; of the others none is worth keeping.
            if (theirs && failed.sqlstate() != "57014") session.drop();
        } catch (...) {
            error = std::current_exception();
        }
        session.leave();
        ++jobs_;
        if (error) ++failures_;
        job->finish(std::move(error));
    }
}

}  // namespace workforce::core
