// Sessions for threads that block, beside the pool for coroutines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/connection.hpp"
#include "core/session_use.hpp"

namespace workforce::core {

/// A bounded set of sessions, opened when needed, that threads borrow. Thread-safe.
class SessionPool {
   public:
    /// At most `limit` sessions (1 or more).
    SessionPool(ConnectionOptions options, std::size_t limit)
        : options_(std::move(options)), limit_(limit), use_(session_use(options_.application_name)) {}
    SessionPool(SessionPool const&) = delete;
    SessionPool& operator=(SessionPool const&) = delete;
    ~SessionPool() = default;

    /// Calls `work(Connection&)` on a borrowed session, waiting up to the connect timeout for a free one. Calls must
    /// not nest. After any exception the session is closed. Errors: DatabaseUnavailable for all of libpqxx's
    /// exceptions, StatementFailed among them; whether the work took effect is unknown then.
    template <class F>
    std::invoke_result_t<F&, Connection&> run(F&& work) {
        Loan loan(*this);
        return loan.use([&](Connection& connection) { return work(connection); });
    }

   private:
    class Loan {
       public:
        explicit Loan(SessionPool& pool);
        ~Loan();
        Loan(Loan const&) = delete;
        Loan& operator=(Loan const&) = delete;

        template <class F>
        auto use(F&& work) {
            try {
                open();
                return work(*connection_);
            } catch (...) {
                give_up();
                rethrow_unavailable();
            }
        }

       private:
        void open();
        /// Closes the session, and those that stand before the same silent server.
        void give_up();
        /// Throws the exception in flight, libpqxx's as DatabaseUnavailable.
        [[noreturn]] static void rethrow_unavailable();

        SessionPool& pool_;
        std::unique_ptr<Connection> connection_;
    };

    ConnectionOptions const options_;
    std::size_t const limit_;
    SessionUse& use_;
    std::mutex mutex_;
    std::condition_variable returned_;
    std::size_t lent_ = 0;
    std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace workforce::core
