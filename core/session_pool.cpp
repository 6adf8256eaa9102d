// Lends sessions, the most recently used first, and closes those that failed.
#include "core/session_pool.hpp"

#include <pqxx/except>
#include <string>

#include "core/database.hpp"

namespace workforce::core {

SessionPool::Loan::Loan(SessionPool& pool) : pool_(pool) {
    std::unique_lock lock(pool_.mutex_);
    CountOne const waiting(pool_.use_.waiting);
    if (!pool_.returned_.wait_for(lock, pool_.options_.connect_timeout, [&] { return pool_.lent_ < pool_.limit_; })) {
        throw DatabaseUnavailable("all database sessions are taken");
    }
    ++pool_.lent_;
    ++pool_.use_.used;
    if (pool_.idle_.empty()) return;
    connection_ = std::move(pool_.idle_.back());
    pool_.idle_.pop_back();
}

SessionPool::Loan::~Loan() {
    {
        std::lock_guard const lock(pool_.mutex_);
        --pool_.lent_;
        --pool_.use_.used;
        if (connection_) pool_.idle_.push_back(std::move(connection_));
    }
    pool_.returned_.notify_one();
}

void SessionPool::Loan::open() {
    if (connection_ && connection_->usable()) return;
    connection_.reset();
    connection_ = std::make_unique<Connection>(pool_.options_);
}

void SessionPool::Loan::give_up() {
    if (connection_ && connection_->fell_silent()) {
        std::lock_guard const lock(pool_.mutex_);
        pool_.idle_.clear();
    }
    connection_.reset();
}

void SessionPool::Loan::rethrow_unavailable() {
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
        throw StatementFailed(text.substr(0, text.find('\n')));
    } catch (pqxx::failure const& failed) {
        std::string const text = failed.what();
        throw DatabaseUnavailable(text.substr(0, text.find('\n')));
    }
}

}  // namespace workforce::core
