// Shadow tables after the catalog's description of the live ones; the swap in one transaction.
#include "projections/engine/shadow_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pqxx/except>
#include <stdexcept>
#include <thread>

#include "core/logging.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr core::Statement kTryLock{"shadow_try_lock", "SELECT pg_try_advisory_lock(hashtext('workforce rebuild'))"};
constexpr core::Statement kLeftovers{"shadow_leftovers", sql::engine_shadow_leftovers};
constexpr core::Statement kStatements{"shadow_statements", sql::engine_shadow_statements};
constexpr core::Statement kEnsureShadows{"shadow_ensure_live", sql::engine_shadow_ensure_live};
constexpr core::Statement kPositions{"shadow_positions", sql::engine_shadow_positions};
/// Live projections change their checkpoints first of all. One lock on the table keeps them from it: locks on rows
/// could deadlock with a batch, which locks a partition's rows in an order of its own.
constexpr std::string_view kHold = "LOCK TABLE projection.checkpoint IN SHARE ROW EXCLUSIVE MODE";
constexpr core::Statement kNow{"shadow_now", "SELECT clock_timestamp()::text"};
constexpr core::Statement kOlder{"shadow_older_statements", sql::engine_shadow_older_statements};
constexpr core::Statement kTakeOver{"shadow_take_over", sql::engine_shadow_take_over};
constexpr core::Statement kForgetPoison{"shadow_forget_poison", sql::engine_shadow_forget_poison};

/// How long readers may stand behind the exchange, its waits for locks included: with a time-out a lock alone they
/// would stand as much longer as there are tables.
constexpr milliseconds kReadersWait{400};
/// How long locks are waited for behind which no reader stands: long enough for autovacuum, which is sent away after
/// deadlock_timeout (1 s), and no longer, for what else has such a lock (VACUUM, CREATE INDEX) takes its time.
constexpr std::string_view kLockTimeout = "SET LOCAL lock_timeout = '3s'";
/// How long a statement that began before the last rows were there may keep the swap waiting.
constexpr milliseconds kGrace{1000};
constexpr milliseconds kGlance{2};
/// The server may take so long to notice that the session of a rebuild that has ended is gone, and with it its lock.
constexpr milliseconds kFormerSession{5000};
constexpr milliseconds kLockPause{20};

core::ConnectionOptions owner_session(core::ConnectionOptions options) {
    options.statement_timeout = milliseconds(0);  // making indexes takes its time
    // Names without a schema are never meant, and what the catalog prints is to name its schemas.
    options.settings.emplace_back("search_path", "pg_catalog, pg_temp");
    return options;
}

/// Lock not available, deadlock detected, and a statement's time over.
bool is_lock_trouble(std::string const& sqlstate) {
    return sqlstate == "55P03" || sqlstate == "40P01" || sqlstate == "57014";
}

}  // namespace

ShadowTables::ShadowTables(core::ConnectionOptions const& login, std::span<ProjectionType const> projections,
                           int partitions)
    : projections_(projections), partitions_(partitions), owner_(owner_session(login)) {
    for (auto const& type : projections_) names_.push_back(type.name);
    auto const deadline = steady_clock::now() + kFormerSession;
    while (!core::read<bool>(owner_.execute(kTryLock)[0][0])) {
        if (steady_clock::now() > deadline) {
            throw std::runtime_error("another rebuild is at work on this database; wait for it to end");
        }
        std::this_thread::sleep_for(kLockPause);
    }
    drop_leftovers();
}

ShadowTables::~ShadowTables() {
    try {
        drop_leftovers();
    } catch (std::exception const& error) {
        core::log(core::Level::warn, "a rebuild's tables were not dropped; the next one does it",
                  {{"error", error.what()}});
    }
}

void ShadowTables::drop_leftovers() {
    for (auto const& row : owner_.execute(kLeftovers)) owner_.execute_sql(core::read_view(row[0]));
}

void ShadowTables::create() {
    std::vector<int> revisions;
    for (auto const& type : projections_) revisions.push_back(type.revision);
    owner_.transaction([&] {
        // Rows to hold at the swap, also of a projection that has never run.
        owner_.execute(kEnsureShadows, names_, revisions, partitions_);
        for (std::string_view const table : {"projection.checkpoint", "projection.poison"}) {
            for (auto const& row : owner_.execute(kStatements, table)) owner_.execute_sql(core::read_view(row[1]));
        }
        for (auto const& type : projections_) {
            for (auto const& row : owner_.execute(kStatements, fmt::format("read.{}", type.table))) {
                if (core::read<bool>(row[0])) {
                    after_fold_.push_back(core::read<std::string>(row[1]));
                } else {
                    owner_.execute_sql(core::read_view(row[1]));
                }
            }
        }
    });
}

void ShadowTables::complete() {
    for (auto const& statement : after_fold_) owner_.execute_sql(statement);
}

std::vector<std::int64_t> ShadowTables::by_partition(pqxx::result const& rows) const {
    std::vector<std::int64_t> positions(static_cast<std::size_t>(partitions_), -1);
    for (auto const& row : rows) {
        auto& position = positions.at(core::read<std::size_t>(row[0]));
        position = std::max(position, core::read<std::int64_t>(row[1]));
    }
    return positions;
}

std::vector<std::int64_t> ShadowTables::live_positions() { return by_partition(owner_.execute(kPositions, names_)); }

std::string ShadowTables::live_tables() const {
    std::string list;
    for (auto const& type : projections_) list += fmt::format("{}read.{}", list.empty() ? "" : ", ", type.table);
    return list;
}

void ShadowTables::hold(std::function<void(std::vector<std::int64_t> const& live)> const& meanwhile) {
    try {
        owner_.transaction([&] {
            owner_.execute_sql(kLockTimeout);
            owner_.execute_sql(kHold);
            meanwhile(live_positions());
        });
    } catch (pqxx::sql_error const& error) {
        if (!is_lock_trouble(error.sqlstate())) throw;
    }
}

std::optional<std::chrono::microseconds> ShadowTables::swap(
    std::function<void(std::vector<std::int64_t> const& live)> const& catch_up) {
    steady_clock::time_point begun;
    try {
        owner_.transaction([&] {
            owner_.execute_sql(kLockTimeout);
            // Disturbs neither readers nor writers, but sends autovacuum away, which would outlast the exchange.
            owner_.execute_sql(fmt::format("LOCK TABLE {} IN SHARE UPDATE EXCLUSIVE MODE", live_tables()));
            owner_.execute_sql(kHold);
            catch_up(live_positions());
            await_older_statements();
            begun = steady_clock::now();
            exchange(begun + kReadersWait);
        });
    } catch (pqxx::sql_error const& error) {
        if (!is_lock_trouble(error.sqlstate())) throw;
        return std::nullopt;
    }
    return std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begun);
}

/// A statement's snapshot may be older than its first look at a table. One that was taken before the last rows were
/// folded, and came to the table only after the swap, would lack them; so those that run now are let go by.
void ShadowTables::await_older_statements() {
    auto const now = core::read<std::string>(owner_.execute(kNow)[0][0]);
    auto const deadline = steady_clock::now() + kGrace;
    while (steady_clock::now() < deadline) {
        owner_.execute_sql("SELECT pg_stat_clear_snapshot()");  // else a transaction is told the same each time
        if (core::read<std::int64_t>(owner_.execute(kOlder, now)[0][0]) == 0) return;
        std::this_thread::sleep_for(kGlance);
    }
}

void ShadowTables::exchange(steady_clock::time_point deadline) {
    auto const within_time = [&] {
        auto const left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
        // 0 would be no limit.
        owner_.execute_sql(fmt::format("SET LOCAL statement_timeout = {}", std::max<std::int64_t>(left.count(), 1)));
    };
    auto const execute = [&](std::string const& sql) {
        within_time();
        owner_.execute_sql(sql);
    };
    execute(fmt::format("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", live_tables()));
    execute(fmt::format("DROP TABLE {}", live_tables()));
    for (auto const& type : projections_) execute(fmt::format("ALTER TABLE rebuild.{} SET SCHEMA read", type.table));
    within_time();
    owner_.execute(kTakeOver, names_);
    within_time();
    owner_.execute(kForgetPoison, names_);
    owner_.execute_sql("SET LOCAL statement_timeout = 0");  // COMMIT has nothing to wait for
}

}  // namespace workforce::projections
