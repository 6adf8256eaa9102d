// A database session that lives on an io_context: statements of many coroutines travel together, without threads.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/completion.hpp"
#include "core/connection.hpp"
#include "core/fair_queue.hpp"

namespace workforce::core {

/// Rows as texts; nothing is NULL.
using Rows = std::vector<std::vector<Parameter>>;

/// A statement for one tenant, that only reads and is short whatever its parameters are.
struct Query {
    Statement statement;
    TenantContext context;
    std::vector<Parameter> parameters;
};

/// One session in libpq's pipeline mode. What comes while a batch is under way waits and travels as the next one, as
/// one message each way and one transaction: once that batch is answered, or beside it where enough wait. So batches
/// grow with the load, and under much of it neither the server nor this thread stands still while the other one works.
/// Organizations take turns. Whatever goes wrong ends the session and leaves the batch's queries undone; the owner
/// opens another one. Used on the thread of its executor only.
class Pipeline : public std::enable_shared_from_this<Pipeline> {
   public:
    using Clock = std::chrono::steady_clock;
    class Session;
    struct Discard {
        void operator()(Session* session) const;
    };
    using NewSession = std::unique_ptr<Session, Discard>;

    /// Connects, takes the role, and enters pipeline mode; null where the process has no room for one more session.
    /// Blocks. Throws pqxx::broken_connection.
    static NewSession open(ConnectionOptions const& options);
    /// Has the sessions end that nobody used since. Thread-safe.
    static void end_idle_since(Clock::time_point moment);

    /// Of each organization as many queries may wait as FairQueue has it with that limit.
    Pipeline(boost::asio::any_io_executor executor, std::size_t limit);
    Pipeline(Pipeline const&) = delete;
    Pipeline& operator=(Pipeline const&) = delete;
    ~Pipeline();

    /// Whether there is no session, none is being opened, and the last attempt is not just over: true once, for the one
    /// who will call use().
    [[nodiscard]] bool wants_session();
    /// Takes a session over; nothing when none could be opened.
    void use(NewSession session);

    /// Whether one more query of the tenant may wait.
    [[nodiscard]] bool has_room(TenantContext const& context) const { return waiting_.has_room(context.lane()); }
    /// The query's rows; nothing when it was not done, which it may be by other means then.
    boost::asio::awaitable<std::optional<Rows>> run(Query query);
    /// Destroys who waits, for good: the executor's context ends.
    void abandon();

   private:
    struct Waiting {
        Query query;
        Completion<std::optional<Rows>> done;
        std::optional<Rows> rows;
        [[nodiscard]] Lane lane() const { return query.context.lane(); }
    };

    using Batch = std::vector<Waiting>;

    /// Whether there is enough to send for one batch more.
    [[nodiscard]] bool may_send() const;
    void send_soon();
    void send();
    void flush();
    void watch();
    void receive();
    static void answer(Batch& batch);
    void answer_all();
    void lose();
    void end_if_idle_since(Clock::time_point moment);
    void withdraw();

    boost::asio::any_io_executor executor_;
    NewSession session_;
    std::uint64_t number_ = 0;         // of the session: what waits for an earlier one's socket does nothing
    std::uint64_t silences_seen_ = 0;  // when the session came (SessionBudget::silences)
    std::atomic<Clock::time_point> used_at_{Clock::time_point::max()};  // at the earliest; the last value: no session
    FairQueue<Waiting> waiting_;
    std::deque<Batch> batches_;  // under way
    bool watching_ = false;      // for what the socket brings
    bool opening_ = false;
    Clock::time_point next_opening_;
    bool send_posted_ = false;
};

}  // namespace workforce::core
