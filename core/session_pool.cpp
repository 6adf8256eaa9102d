// Loans, and what their failures are to callers.
#include "core/session_pool.hpp"

#include <pqxx/except>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/database_errors.hpp"

namespace workforce::core {
namespace {

thread_local int loans_of_thread = 0;

/// What a thread takes beside a session that it has comes out of a reserve. What it would take beside both might wait
/// for itself.
SessionPurpose purpose_now(SessionPurpose purpose) {
    if (loans_of_thread > 1) throw std::logic_error("a thread with two database sessions asks for a third");
    return loans_of_thread == 0 ? purpose : SessionPurpose::nested;
}

}  // namespace

SessionPool::Loan::Loan(SessionPool& pool)
    : pool_(pool),
      purpose_(purpose_now(pool.share_.purpose)),
      session_(SessionBudget::of_process().take(pool.share_, purpose_)) {
    if (session_) session_->use({});
    ++loans_of_thread;
}

SessionPool::Loan::~Loan() {
    --loans_of_thread;
    SessionBudget::of_process().give_back(pool_.share_, purpose_, std::move(session_));
}

Connection* SessionPool::Loan::live() {
    if (session_ && !session_->usable()) session_.reset();
    return session_.get();
}

Connection& SessionPool::Loan::open() {
    session_.reset();
    session_ = std::make_unique<Connection>(pool_.share_.group.options);
    return *session_;
}

void SessionPool::Loan::close() {
    if (session_ && session_->fell_silent()) SessionBudget::of_process().fell_silent();
    session_.reset();
}

void SessionPool::rethrow_unavailable() {
    try {
        throw;
    } catch (pqxx::broken_connection const& broken) {
        std::string const text = broken.what();
        throw DatabaseUnavailable(text.substr(0, text.find('\n')));
    } catch (pqxx::sql_error const& refused) {
        std::string const text = refused.what();
        auto const& state = refused.sqlstate();
        // Lost or starved server, one that stops, one that only reads.
        bool const away = state.empty() || state.starts_with("08") || state.starts_with("53") ||
                          state.starts_with("57P") || state == "25006";
        if (away) throw DatabaseUnavailable(text.substr(0, text.find('\n')));
        throw StatementFailed(text.substr(0, text.find('\n')), state);
    } catch (pqxx::failure const& failed) {
        std::string const text = failed.what();
        throw DatabaseUnavailable(text.substr(0, text.find('\n')));
    }
}

}  // namespace workforce::core
