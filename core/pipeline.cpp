// libpq's pipeline mode, driven by readiness of its socket.
#include "core/pipeline.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <pqxx/except>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/config.hpp"
#include "core/outage.hpp"
#include "core/session_budget.hpp"
#include "core/session_use.hpp"

namespace workforce::core {
namespace {

constexpr std::size_t kBatch = 32;
constexpr std::size_t kBatchesUnderWay = 2;  // the server works on one while this thread answers the other's callers
constexpr std::size_t kWorthwhile = 16;      // queries of a batch beside another one: each batch has a price of its own
constexpr std::chrono::milliseconds kOpeningPause{200};
constexpr char const* kTenant = "tenant_of_next";
constexpr char const* kTenantSql =
    "SELECT set_config('app.organization', $1, false), set_config('app.sandbox', $2, false),"
    " set_config('app.operator', $3, false)";

struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
};
using Answer = std::unique_ptr<PGresult, Clear>;

std::string first_line(char const* text) {
    std::string const whole = text;
    return whole.substr(0, whole.find('\n'));
}

bool is_good(PGresult const* result) {
    auto const status = PQresultStatus(result);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

Rows rows_of(PGresult const* result) {
    Rows rows(static_cast<std::size_t>(PQntuples(result)));
    int const columns = PQnfields(result);
    for (int row = 0; row < PQntuples(result); ++row) {
        auto& fields = rows[static_cast<std::size_t>(row)];
        fields.reserve(static_cast<std::size_t>(columns));
        for (int column = 0; column < columns; ++column) {
            if (PQgetisnull(result, row, column) != 0) {
                fields.emplace_back();
            } else {
                fields.emplace_back(std::in_place, PQgetvalue(result, row, column),
                                    static_cast<std::size_t>(PQgetlength(result, row, column)));
            }
        }
    }
    return rows;
}

/// What stands on io_contexts of which none ends while its pipelines are looked through.
struct Standing {
    std::mutex mutex;
    std::vector<Pipeline*> pipelines;
};
Standing& standing_pipelines() {
    static Standing all;
    return all;
}

/// A session's place in the process's budget.
struct Place {
    Place() = default;
    Place(Place const&) = delete;
    Place& operator=(Place const&) = delete;
    ~Place() { SessionBudget::of_process().end_pipeline(); }
};

}  // namespace

/// The connection, and what has been sent to it whose answer is still to come.
class Pipeline::Session {
   public:
    /// Once SessionBudget::take_pipeline() has granted it, which it gives back.
    explicit Session(ConnectionOptions const& options)
        : connection_(PQconnectdb(session_url(options).c_str())),
          open_(session_use(options.application_name, options.role).open),
          used_(session_use(options.application_name, options.role).used) {
        PQsetNoticeProcessor(connection_.get(), [](void*, char const*) {}, nullptr);
        if (PQstatus(connection_.get()) != CONNECTION_OK) fail(options);
        watch_.emplace(PQsocket(connection_.get()), answer_limit(options));
        Watch::Question const question(*watch_);
        auto const quote = [this](std::string const& text) {
            auto* const quoted = PQescapeLiteral(connection_.get(), text.data(), text.size());
            std::string copy = quoted;
            PQfreemem(quoted);
            return copy;
        };
        Answer const opened(PQexec(connection_.get(), session_opening(options, quote).c_str()));
        Answer const prepared(PQprepare(connection_.get(), kTenant, kTenantSql, 3, nullptr));
        bool const ready = is_good(opened.get()) && is_good(prepared.get()) &&
                           PQenterPipelineMode(connection_.get()) == 1 && PQsetnonblocking(connection_.get(), 1) == 0;
        if (!ready) fail(options);
    }
    Session(Session const&) = delete;
    Session& operator=(Session const&) = delete;
    ~Session() {
        // libpq closes it. Out of the epoll set first: the watch's duplicate would keep a closed one there.
        if (socket_) socket_->release();
    }

    void attach(boost::asio::any_io_executor const& executor) {
        socket_.emplace(executor, PQsocket(connection_.get()));
    }
    boost::asio::posix::stream_descriptor& socket() { return *socket_; }

    /// Sends a query, before it what it needs. False when the connection is lost.
    bool send(Query const& query) {
        std::string const name(query.statement.name);
        if (prepared_.insert(query.statement.name).second) {
            std::string const sql(query.statement.sql);
            if (PQsendPrepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr) == 0) return false;
            expected_.push_back(kAside);
        }
        if (!(query.context == context_)) {
            context_ = query.context;
            std::array<Parameter, 3> const settings{
                context_.organization == 0 ? "" : std::to_string(context_.organization),
                context_.sandbox ? "true" : "false", context_.operator_access ? "true" : "false"};
            if (!send_prepared(kTenant, settings)) return false;
            expected_.push_back(kAside);
        }
        if (!send_prepared(name.c_str(), query.parameters)) return false;
        expected_.push_back(sent_++);
        return true;
    }

    /// Ends the batch, which is under way `alone` or after another one. False when the connection is lost.
    bool end_batch(bool alone) {
        expected_.push_back(kSync);
        sent_ = 0;
        if (alone) watch_->asked();  // else the time of the one before goes on
        return PQpipelineSync(connection_.get()) == 1;
    }
    /// Sends on what the socket did not take yet: 0 when all is gone, 1 when it has to wait, -1 when the connection is
    /// lost.
    int flush() { return PQflush(connection_.get()); }

    /// Reads what the socket has. False when the connection is lost.
    bool read() { return PQconsumeInput(connection_.get()) == 1; }

    enum class State : std::uint8_t { more, done, lost };

    /// Takes of what was read the results of the oldest batch: done at its end, and to be called again then. `take(i,
    /// result)` is called for the batch's query number i, with null when it failed.
    template <class Take>
    State receive(Take take) {
        while (PQisBusy(connection_.get()) == 0) {
            if (expected_.empty()) return State::more;  // nothing is asked: a notice
            Answer const result(PQgetResult(connection_.get()));
            if (!result) {  // parts the results of one statement from those of the next
                if (PQstatus(connection_.get()) != CONNECTION_OK) return State::lost;
                continue;
            }
            auto const status = PQresultStatus(result.get());
            auto const which = expected_.front();
            expected_.pop_front();
            if ((status == PGRES_PIPELINE_SYNC) != (which == kSync)) return State::lost;
            if (expected_.empty()) {
                watch_->answered();
            } else {
                watch_->asked();  // anew: the next statement has its own time
            }
            if (which == kSync) return State::done;
            bool const good = is_good(result.get());
            failed_ = failed_ || !good;
            if (which != kAside) take(which, good ? result.get() : nullptr);
        }
        return State::more;
    }

    /// Whether it was given up because its server stood still.
    [[nodiscard]] bool fell_silent() const { return watch_->cut(); }
    /// Whether anything failed, so that neither tenant nor prepared statements are known.
    [[nodiscard]] bool failed() const { return failed_; }

   private:
    // In expected_: a result of no query's, and the end of a batch.
    static constexpr std::size_t kAside = static_cast<std::size_t>(-1);
    static constexpr std::size_t kSync = static_cast<std::size_t>(-2);

    [[noreturn]] void fail(ConnectionOptions const& options) {
        throw pqxx::broken_connection("database " + mask_passwords(options.url) + ": " +
                                      first_line(PQerrorMessage(connection_.get())));
    }

    bool send_prepared(char const* name, std::span<Parameter const> parameters) {
        std::vector<char const*> values;
        values.reserve(parameters.size());
        for (auto const& each : parameters) values.push_back(each ? each->c_str() : nullptr);
        return PQsendQueryPrepared(connection_.get(), name, static_cast<int>(values.size()), values.data(), nullptr,
                                   nullptr, 0) == 1;
    }

    struct Finish {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };
    Place const place_;
    std::unique_ptr<PGconn, Finish> connection_;
    CountOne const open_;
    CountOne const used_;
    std::optional<Watch> watch_;
    std::optional<boost::asio::posix::stream_descriptor> socket_;
    std::unordered_set<std::string_view> prepared_;
    std::deque<std::size_t> expected_;  // whose results come next: a query's number in its batch, or one of the above
    std::size_t sent_ = 0;              // queries of the batch that is not ended
    TenantContext context_;
    bool failed_ = false;
};

void Pipeline::Discard::operator()(Session* session) const { delete session; }

Pipeline::NewSession Pipeline::open(ConnectionOptions const& options) {
    if (!SessionBudget::of_process().take_pipeline()) return nullptr;
    return NewSession(new Session(options));
}

Pipeline::Pipeline(boost::asio::any_io_executor executor, std::size_t limit)
    : executor_(std::move(executor)), waiting_(limit) {
    auto& all = standing_pipelines();
    std::lock_guard const lock(all.mutex);
    all.pipelines.push_back(this);
}

Pipeline::~Pipeline() { withdraw(); }

void Pipeline::withdraw() {
    auto& all = standing_pipelines();
    std::lock_guard const lock(all.mutex);
    std::erase(all.pipelines, this);
}

void Pipeline::end_idle_since(Clock::time_point moment) {
    auto& all = standing_pipelines();
    std::lock_guard const lock(all.mutex);
    for (auto* const each : all.pipelines) {
        if (each->used_at_.load(std::memory_order_relaxed) >= moment) continue;
        boost::asio::post(each->executor_, [self = each->weak_from_this(), moment] {
            if (auto const pipeline = self.lock()) pipeline->end_if_idle_since(moment);
        });
    }
}

void Pipeline::end_if_idle_since(Clock::time_point moment) {
    if (!batches_.empty() || !waiting_.empty() || used_at_.load(std::memory_order_relaxed) >= moment) return;
    session_.reset();
    used_at_ = Clock::time_point::max();
}

bool Pipeline::wants_session() {
    if (session_ || opening_) return false;
    opening_ = Clock::now() >= next_opening_;
    return opening_;
}

void Pipeline::use(NewSession session) {
    opening_ = false;
    session_ = std::move(session);
    if (!session_) {
        next_opening_ = Clock::now() + kOpeningPause;
        return;
    }
    ++number_;
    watching_ = false;
    silences_seen_ = SessionBudget::of_process().silences();
    used_at_ = Clock::now();
    session_->attach(executor_);
}

boost::asio::awaitable<std::optional<Rows>> Pipeline::run(Query query) {
    bool const old = silences_seen_ != SessionBudget::of_process().silences();
    if (old && batches_.empty() && waiting_.empty()) session_.reset();
    if (!session_) co_return std::nullopt;
    used_at_.store(Clock::now(), std::memory_order_relaxed);
    co_return co_await await_completion<std::optional<Rows>>([this, &query](Completion<std::optional<Rows>> done) {
        waiting_.push({std::move(query), std::move(done), {}});
        send_soon();
    });
}

bool Pipeline::may_send() const {
    auto const least = batches_.empty() ? 1 : kWorthwhile;
    return waiting_.size() >= least && batches_.size() < kBatchesUnderWay;
}

/// Once the handlers that are ready now have run, so that what they ask for travels together.
void Pipeline::send_soon() {
    if (send_posted_ || !may_send()) return;
    send_posted_ = true;
    boost::asio::post(executor_, [self = weak_from_this()] {
        if (auto const pipeline = self.lock()) pipeline->send();
    });
}

void Pipeline::send() {
    send_posted_ = false;
    if (!session_) return answer_all();
    if (waiting_.empty()) return;
    auto& batch = batches_.emplace_back();
    batch.reserve(std::min(waiting_.size(), kBatch));
    while (!waiting_.empty() && batch.size() < kBatch) batch.push_back(waiting_.pop());
    bool const sent = std::ranges::all_of(batch, [this](auto const& each) { return session_->send(each.query); });
    if (!sent || !session_->end_batch(batches_.size() == 1)) return lose();
    flush();
    if (session_) watch();
    if (session_) send_soon();
}

void Pipeline::flush() {
    auto const left = session_->flush();
    if (left < 0) return lose();
    if (left == 0) return;
    session_->socket().async_wait(boost::asio::posix::stream_descriptor::wait_write,
                                  [self = weak_from_this(), number = number_](boost::system::error_code error) {
                                      auto const pipeline = self.lock();
                                      if (pipeline && !error && pipeline->session_ && pipeline->number_ == number)
                                          pipeline->flush();
                                  });
}

/// Only while something is awaited: an io_context that has nothing else to do ends. That the server closed an idle
/// session shows with the next batch.
void Pipeline::watch() {
    if (watching_) return;
    watching_ = true;
    session_->socket().async_wait(boost::asio::posix::stream_descriptor::wait_read,
                                  [self = weak_from_this(), number = number_](boost::system::error_code error) {
                                      auto const pipeline = self.lock();
                                      if (!pipeline || pipeline->number_ != number) return;
                                      pipeline->watching_ = false;
                                      if (!error && pipeline->session_) pipeline->receive();
                                  });
}

void Pipeline::receive() {
    if (!session_->read()) return lose();
    std::vector<Batch> answered;
    auto state = Session::State::more;
    while (!batches_.empty()) {
        state = session_->receive([this](std::size_t which, PGresult const* result) {
            if (result != nullptr) batches_.front().at(which).rows = rows_of(result);
        });
        if (state != Session::State::done || session_->failed()) break;
        answered.push_back(std::move(batches_.front()));
        batches_.pop_front();
    }
    if (state == Session::State::lost || session_->failed()) {
        lose();
    } else {
        if (!batches_.empty()) watch();
        if (!send_posted_ && may_send()) send();  // before the answers, which the server works beside
    }
    for (auto& batch : answered) answer(batch);
}

void Pipeline::answer(Batch& batch) {
    for (auto& each : batch) each.done.resume_here(std::move(each.rows));
}

/// Without a session nothing waits any longer.
void Pipeline::answer_all() {
    for (auto& each : std::exchange(batches_, {})) answer(each);
    while (!waiting_.empty()) waiting_.pop().done.resume_here(std::nullopt);
}

void Pipeline::abandon() {
    withdraw();
    auto const batches = std::exchange(batches_, {});
    while (!waiting_.empty()) waiting_.pop();
    session_.reset();
}

void Pipeline::lose() {
    if (session_->fell_silent()) {
        SessionBudget::of_process().fell_silent();
        database_outage().failed("it gives no answer", Clock::now());
    }
    session_.reset();
    answer_all();
}

}  // namespace workforce::core
