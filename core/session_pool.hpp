// Sessions for threads that block, beside the pool for coroutines.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "core/connection.hpp"
#include "core/session_budget.hpp"

namespace workforce::core {

/// What one user may have of the process's sessions of a kind: pools with equal options share their sessions, which are
/// opened when needed. Thread-safe.
class SessionPool {
   public:
    /// At most `limit` sessions at a time (1 or more).
    SessionPool(ConnectionOptions const& options, std::size_t limit, SessionPurpose purpose = SessionPurpose::request)
        : share_{SessionBudget::of_process().join(options), limit, purpose} {}
    SessionPool(SessionPool const&) = delete;
    SessionPool& operator=(SessionPool const&) = delete;
    ~SessionPool() { SessionBudget::of_process().leave(share_.group); }

    /// A session of the pool until the end of a scope, on one thread. A thread that has one may borrow one more, of
    /// another pool, as folding does for the keyring: then there is always room for it.
    class Loan {
       public:
        /// Waits up to the connect timeout. Errors: DatabaseUnavailable; std::logic_error for a third one of the
        /// thread.
        explicit Loan(SessionPool& pool);
        ~Loan();
        Loan(Loan const&) = delete;
        Loan& operator=(Loan const&) = delete;

        /// The session, outside a transaction and without a tenant at first; null where there is none that is alive as
        /// far as one can know, and open() is to be called.
        Connection* live();
        /// Opens a session. Errors: pqxx::broken_connection.
        Connection& open();
        /// The one that is alive, or else a new one. Errors: as open().
        Connection& session() {
            auto* const alive = live();
            return alive != nullptr ? *alive : open();
        }
        /// Ends the session, for its state is not known.
        void close();

       private:
        SessionPool& pool_;
        SessionPurpose const purpose_;
        std::unique_ptr<Connection> session_;
    };

    /// Calls `work(Connection&)` on a borrowed session. After any exception the session is closed. Errors: as Loan;
    /// DatabaseUnavailable for all of libpqxx's exceptions, StatementFailed among them; whether the work took effect is
    /// unknown then.
    template <class F>
    std::invoke_result_t<F&, Connection&> run(F&& work) {
        Loan loan(*this);
        try {
            return work(loan.session());
        } catch (...) {
            loan.close();
            rethrow_unavailable();
        }
    }

    [[nodiscard]] SessionUse& use() { return share_.group.use; }

   private:
    /// Throws the exception in flight, libpqxx's as DatabaseUnavailable.
    [[noreturn]] static void rethrow_unavailable();

    SessionBudget::Share share_;
};

}  // namespace workforce::core
