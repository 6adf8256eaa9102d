// A libpqxx session that never reconnects by itself, and sends a change of tenant together with the statement that
// needs it.
#include "core/connection.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <initializer_list>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/prepared_statement>
#include <pqxx/transaction>
#include <stdexcept>
#include <typeinfo>

#include "core/config.hpp"
#include "core/outage.hpp"
#include "core/session_name.hpp"

namespace workforce::core {
namespace {

constexpr auto kAnswerGrace = std::chrono::seconds(2);

/// libpqxx replaces a lost session by itself, without the role on which row-level security depends.
void never_reconnect(pqxx::connection& session) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    session.inhibit_reactivation(true);
#pragma clang diagnostic pop
}

std::string first_line(std::string const& text) { return text.substr(0, text.find('\n')); }

/// A fault of data without the server's text, which repeats the value.
pqxx::data_exception without_value(pqxx::data_exception const& fault, std::string_view statement) {
    return pqxx::data_exception(
        fmt::format("a value does not fit in the statement {} (SQLSTATE {})", statement, fault.sqlstate()),
        std::string(statement), fault.sqlstate().c_str());
}

/// Ends what the server may still have open; a session that is lost is found out by its next statement.
void end_block(pqxx::connection& session) noexcept try {
    pqxx::nontransaction(session).exec("ROLLBACK");
} catch (std::exception const&) {
    return;
}

/// "database workforce at 127.0.0.1:5432"; libpq knows it of a lost session, too.
std::string place_of(pqxx::connection& session) {
    auto const text = [](char const* value) { return std::string(value == nullptr ? "" : value); };
    return fmt::format("database {} at {}:{}", text(session.dbname()), text(session.hostname()), text(session.port()));
}

}  // namespace

std::string session_url(ConnectionOptions const& options) {
    std::string url = options.url;
    bool const uri = url.starts_with("postgres://") || url.starts_with("postgresql://");
    for (auto const& [name, value] : std::initializer_list<std::pair<std::string_view, std::int64_t>>{
             {"connect_timeout", options.connect_timeout.count()},
             {"tcp_user_timeout", 10'000},
             {"keepalives_idle", 5},
             {"keepalives_interval", 2},
             {"keepalives_count", 3}}) {
        auto const setting = fmt::format("{}=", name);
        if (url.find(setting) != std::string::npos) continue;
        char const separator = !uri ? ' ' : url.find('?') == std::string::npos ? '?' : '&';
        url += separator + setting + std::to_string(value);
    }
    return url;
}

ConnectionOptions by_index(ConnectionOptions options) {
    options.settings.emplace_back("enable_seqscan", "off");
    // What no index serves is given a cost at which a server with a just-in-time compiler would compile each statement.
    options.settings.emplace_back("jit", "off");
    return options;
}

ConnectionOptions by_key(ConnectionOptions options) {
    options.settings.emplace_back("plan_cache_mode", "force_generic_plan");
    return by_index(std::move(options));
}

std::string session_opening(ConnectionOptions const& options,
                            std::function<std::string(std::string const&)> const& quote) {
    std::string sql =
        "SET client_encoding = 'UTF8'; SET standard_conforming_strings = on; SET TimeZone = 'UTC'; "
        "SET DateStyle = 'ISO'; SET client_min_messages = warning; ";
    sql += fmt::format("SET statement_timeout = {}; SET application_name = {}; ", options.statement_timeout.count(),
                       quote(session_name(options.application_name)));
    // By function, for SET takes a list such as search_path's as one name when it is quoted.
    for (auto const& [name, value] : options.settings) {
        sql += fmt::format("SELECT set_config({}, {}, false); ", quote(name), quote(value));
    }
    if (!options.role.empty()) sql += "SET ROLE " + quote(options.role);
    return sql;
}

std::chrono::milliseconds answer_limit(ConnectionOptions const& options) {
    auto const timeout = options.statement_timeout;
    return timeout.count() == 0 ? timeout : timeout + kAnswerGrace;
}

Connection::Connection(ConnectionOptions const& options) : Connection(options, Clock::now()) {}

Connection::Connection(ConnectionOptions const& options, Clock::time_point asked) try
    : opened_(asked),
      session_(session_url(options)),
      open_(std::in_place, session_use(options.application_name, options.role).open),
      watch_(std::in_place, session_.sock(), answer_limit(options)) {
    never_reconnect(session_);
    // What else the server says of an error shows the statement and rows, whose values belong into no log.
    session_.set_verbosity(pqxx::connection_base::terse);
    Watch::Question const question(*watch_);
    pqxx::nontransaction(session_).exec(session_opening(options, [this](auto const& text) { return quote(text); }));
    database_outage().answered(asked);
} catch (pqxx::sql_error const&) {
    throw;
} catch (pqxx::failure const& failed) {
    // libpqxx's own texts name no place, and libpq's have several lines.
    auto const text = fmt::format("database {}: {}", mask_passwords(options.url), first_line(failed.what()));
    database_outage().failed(text, asked);
    throw pqxx::broken_connection(text);
}

template <class F>
pqxx::result Connection::guarded(F&& send) {
    Watch::Question const question(*watch_);
    auto const asked = Clock::now();
    try {
        auto result = [&] {
            if (transaction_) return send(*transaction_);
            pqxx::nontransaction single(session_);
            return send(single);
        }();
        current_ = wanted_;
        database_outage().answered(asked);
        return result;
    } catch (pqxx::failure const& failed) {
        current_.reset();
        report(failed, asked);
        // What libpqxx finds out about a lost session by itself names no place.
        if (typeid(failed) == typeid(pqxx::failure) || typeid(failed) == typeid(pqxx::broken_connection)) {
            throw pqxx::broken_connection(fmt::format("{}: {}", place_of(session_), first_line(failed.what())));
        }
        throw;
    } catch (...) {
        current_.reset();
        throw;
    }
}

void Connection::report(pqxx::failure const& failed, Clock::time_point asked) const noexcept {
    auto const* const refused = dynamic_cast<pqxx::sql_error const*>(&failed);
    if (watch_->cut()) {
        database_outage().failed("it gives no answer", asked);
    } else if (refused == nullptr || refused->sqlstate().empty() || refused->sqlstate().starts_with("57P")) {
        std::string_view const text = failed.what();
        database_outage().broke(text.substr(0, text.find('\n')), opened_);
    }
}

pqxx::result Connection::execute_prepared(Statement const& statement, std::span<Parameter const> parameters) try {
    declare(statement);
    if (current_ == wanted_) {
        // Pointers, for libpqxx copies what it gets: a null one is NULL.
        std::vector<char const*> texts;
        texts.reserve(parameters.size());
        for (auto const& parameter : parameters) texts.push_back(parameter ? parameter->c_str() : nullptr);
        return guarded([&](pqxx::transaction_base& transaction) {
            return transaction.exec_prepared(std::string(statement.name), pqxx::prepare::make_dynamic_params(texts));
        });
    }
    return guarded([&](pqxx::transaction_base& transaction) {
        session_.prepare_now(std::string(statement.name));
        watch_->asked();  // anew: what follows has its own time
        return transaction.exec(context_change() + execute_text(statement, parameters));
    });
} catch (pqxx::data_exception const& fault) {
    throw without_value(fault, statement.name);
}

pqxx::result Connection::execute_sql(std::string_view sql) {
    return guarded([&](pqxx::transaction_base& transaction) {
        return transaction.exec(current_ == wanted_ ? std::string(sql) : context_change() + std::string(sql));
    });
}

void Connection::declare(Statement const& statement) {
    auto const [known, added] = declared_.emplace(statement.name, statement.sql);
    if (added) {
        session_.prepare(std::string(statement.name), std::string(statement.sql));
    } else if (known->second.data() != statement.sql.data() && known->second != statement.sql) {
        throw std::logic_error(fmt::format("two statements are named {}", statement.name));
    }
}

std::string Connection::context_change() const {
    std::string const organization = wanted_.organization == 0 ? "" : std::to_string(wanted_.organization);
    return fmt::format("SET app.organization = '{}'; SET app.sandbox = '{}'; SET app.operator = '{}'; ", organization,
                       wanted_.sandbox, wanted_.operator_access);
}

std::string Connection::execute_text(Statement const& statement, std::span<Parameter const> parameters) {
    std::string text = "EXECUTE " + session_.quote_name(std::string(statement.name));
    char separator = '(';
    for (auto const& parameter : parameters) {
        text += separator;
        text += parameter ? session_.quote(*parameter) : "NULL";
        separator = ',';
    }
    if (!parameters.empty()) text += ')';
    return text;
}

pqxx::transaction_base& Connection::open_transaction() {
    if (!transaction_) throw std::logic_error("no open transaction");
    return *transaction_;
}

void Connection::begin() {
    if (transaction_) throw std::logic_error("transactions do not nest");
    Watch::Question const question(*watch_);
    transaction_ = std::make_unique<pqxx::work>(session_);
}

void Connection::commit() {
    Watch::Question const question(*watch_);
    auto const asked = Clock::now();
    try {
        transaction_->commit();
    } catch (pqxx::failure const& failed) {
        report(failed, asked);
        // A COMMIT that a time limit cuts off before it begins leaves the transaction open and aborted, which libpqxx
        // takes for ended.
        if (dynamic_cast<pqxx::sql_error const*>(&failed) != nullptr) {
            transaction_.reset();
            end_block(session_);
        }
        throw;
    }
    transaction_.reset();
}

void Connection::roll_back() noexcept {
    Watch::Question const question(*watch_);
    transaction_.reset();
    current_.reset();  // the settings that the transaction made are gone with it
}

void Connection::reset_to(ConnectionOptions const& options) {
    open_.emplace(session_use(options.application_name, options.role).open);
    watch_.emplace(session_.sock(), answer_limit(options));
    // Prepared statements stay: a name stands for one text. But they may have been planned under other settings.
    constexpr std::string_view kReset = "RESET ROLE; RESET ALL; DISCARD PLANS; ";
    use({});
    current_ = wanted_;  // as RESET leaves it
    execute_sql(std::string(kReset) + session_opening(options, [this](auto const& text) { return quote(text); }));
}

bool Connection::usable() const noexcept {
    if (!session_.is_open()) return false;
    // An idle server says nothing but notices ('N'), settings ('S') and notifications ('A'); an error ('E') is its last
    // word.
    char first = 0;
    auto const got = ::recv(session_.sock(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return got > 0 && first != 'E';
}

}  // namespace workforce::core
