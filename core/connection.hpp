// One database session: prepared statements, and the tenant whose rows it may see.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/result>
#include <pqxx/transaction_base>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/fair_queue.hpp"
#include "core/session_use.hpp"
#include "core/sql_values.hpp"
#include "core/watchdog.hpp"

namespace workforce::core {

/// A prepared statement. Both texts must live as long as the program; a name stands for one text only.
struct Statement {
    std::string_view name;
    std::string_view sql;
};

/// Whose rows row-level security lets a session see. The default sees none.
struct TenantContext {
    std::int64_t organization = 0;  ///< 0 for none
    bool sandbox = false;
    bool operator_access = false;  ///< across organizations; only ever from an internal principal
    bool operator==(TenantContext const&) const = default;
    /// Whose turn a job of the tenant takes. What reads across organizations is of no sandbox.
    [[nodiscard]] Lane lane() const { return {organization, sandbox && organization != 0}; }
};

/// How a session is opened.
struct ConnectionOptions {
    std::string url{};   ///< a libpq URI or keyword string
    std::string role{};  ///< taken by SET ROLE after connecting; empty: the one that logged in
    std::chrono::milliseconds statement_timeout{10'000};  ///< for a statement; zero: none
    std::chrono::seconds connect_timeout{5};
    std::string application_name = "workforce";
    std::vector<std::pair<std::string, std::string>> settings{};  ///< further session settings, as synchronous_commit
    bool operator==(ConnectionOptions const&) const = default;
};

/// Has the planner go by indexes wherever one serves. A session keeps the plan of a prepared statement until the table
/// is analysed anew: what was planned while a table was small would read through all of it when it has grown. For the
/// same reason a statement that looks up many keys does so in a sub-query for each (LATERAL with LIMIT or OFFSET 0),
/// which the planner can't turn into a join that reads a whole index.
ConnectionOptions by_index(ConnectionOptions options);
/// As by_index(), for sessions whose statements look rows up by their keys and nothing else: the first plan serves all
/// parameters. The server would plan a statement with arrays at each execution, for longer than it then runs.
ConnectionOptions by_key(ConnectionOptions options);

/// The URL with limits for a server that went away without a word, each unless the URL sets it: what was sent must be
/// acknowledged within ten seconds, and an idle session is noticed to be gone after about as long.
std::string session_url(ConnectionOptions const& options);
/// What makes a session of a connection: settings (texts of moments are in UTC and ISO style, for read<T>) and the
/// role. `quote` makes a literal of a text.
std::string session_opening(ConnectionOptions const& options,
                            std::function<std::string(std::string const&)> const& quote);

/// How long the session's server may go on without an answer before it counts as standing still: somewhat
/// longer than a statement may take, for then the server says more. Zero: for ever.
std::chrono::milliseconds answer_limit(ConnectionOptions const& options);

/// A session. Not thread-safe: one thread at a time. Errors are libpqxx's exceptions; after any of them the session
/// asserts its tenant anew before the next statement. A session that breaks stays broken (a new one would have lost
/// role and settings).
class Connection {
   public:
    /// Connects, with limits for a silent server, and takes the role. Throws pqxx::broken_connection without a server,
    /// in one line that says which database, its password masked.
    explicit Connection(ConnectionOptions const& options);
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;
    ~Connection() = default;

    /// Executes with parameters as to_parameter() takes them; prepares on first use. In the open transaction if there
    /// is one, else by itself.
    template <class... Args>
    pqxx::result execute(Statement const& statement, Args const&... args) {
        std::array<Parameter, sizeof...(Args)> const parameters{to_parameter(args)...};
        return execute_prepared(statement, parameters);
    }
    /// The same with parameters counted at run time.
    pqxx::result execute_prepared(Statement const& statement, std::span<Parameter const> parameters);
    /// Executes statements without parameters, separated by semicolons; the result is the last one's.
    pqxx::result execute_sql(std::string_view sql);

    /// Sets whose rows the following statements see. It costs no round trip: when the context differs from the
    /// session's, it travels with the next statement (settings app.organization, app.sandbox, app.operator).
    void use(TenantContext context) { wanted_ = context; }

    /// Calls `work()` between BEGIN and COMMIT and returns what it returns; an exception rolls back. Transactions do
    /// not nest: std::logic_error. Throws pqxx::in_doubt_error when the connection breaks during COMMIT.
    template <class F>
    std::invoke_result_t<F> transaction(F&& work) {
        begin();
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
                std::invoke(std::forward<F>(work));
                commit();
            } else {
                auto result = std::invoke(std::forward<F>(work));
                commit();
                return result;
            }
        } catch (...) {
            roll_back();
            throw;
        }
    }

    /// The open transaction, for what only libpqxx has (pqxx::stream_to). Throws std::logic_error when there is none.
    /// The context must have been sent by a statement before.
    [[nodiscard]] pqxx::transaction_base& open_transaction();
    /// The session itself, for notifications.
    [[nodiscard]] pqxx::connection& raw() { return session_; }
    /// For statements that go by raw(): until the end of its life the server owes an answer.
    [[nodiscard]] Watch::Question question() { return Watch::Question(*watch_); }
    /// Whether the session was given up because its server stood still.
    [[nodiscard]] bool fell_silent() const { return watch_->cut(); }

    /// Makes it a session of other options, for the same URL, as if it had been opened with them: settings, role,
    /// tenant and plans are theirs. It costs a round trip, where a new session costs the server a process. Outside a
    /// transaction. Errors: as execute_sql(); the session is of no use then.
    void reset_to(ConnectionOptions const& options);

    /// False once the session is known to be lost; looks at the socket for a farewell of the server's, without waiting.
    [[nodiscard]] bool usable() const noexcept;

   private:
    using Clock = std::chrono::steady_clock;

    Connection(ConnectionOptions const& options, Clock::time_point asked);
    /// Reports to database_outage() what failed after a question of `asked`, unless it was the statement.
    void report(pqxx::failure const& failed, Clock::time_point asked) const noexcept;
    void begin();
    void commit();
    void roll_back() noexcept;
    /// Declares the statement to libpqxx, which prepares it in the server when first executed.
    void declare(Statement const& statement);
    std::string context_change() const;
    /// `EXECUTE name(…)` with the parameters as literals, to travel behind a change of context.
    std::string execute_text(Statement const& statement, std::span<Parameter const> parameters);
    template <class F>
    pqxx::result guarded(F&& send);
    [[nodiscard]] std::string quote(std::string const& text) { return session_.quote(text); }

    Clock::time_point const opened_;  // when it was asked for
    pqxx::connection session_;
    std::optional<CountOne> open_;  // under the options that it has now, as the watch
    std::optional<Watch> watch_;
    std::unique_ptr<pqxx::transaction_base> transaction_;
    std::unordered_map<std::string_view, std::string_view> declared_;
    TenantContext wanted_;
    std::optional<TenantContext> current_ = TenantContext{};  // nothing: unknown
};

}  // namespace workforce::core
