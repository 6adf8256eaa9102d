// Where reactors begin, and the work that they leave.
#include "workers/engine/reactor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"
#include "core/row_columns.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kActsAfter{"reactor_acts_after",
                                     "SELECT acts_after FROM checkpoint WHERE projection = $1 AND partition = $2"};
constexpr core::Statement kKnown{"reactor_known", "SELECT projection, partition FROM reactor.checkpoint"};
constexpr core::Statement kRecord{"reactor_record_starts", sql::engine_record_starts};

constexpr std::size_t kClaimed = 10;  // rows at a time: as many as a worker does within the lease

/// Does the work of rows that were claimed, and returns how many had their effect; others are postponed. Errors:
/// core::DatabaseUnavailable.
int perform_all(core::SessionPool& sessions, ReactorType const& type, pqxx::result const& rows,
                Effects const& effects) {
    int done = 0;
    std::vector<std::string> ended;
    auto const finish = [&] {
        if (ended.empty()) return;
        sessions.run([&](core::Connection& connection) { type.work->finish(connection, ended); });
        done += static_cast<int>(std::exchange(ended, {}).size());
    };
    auto const half_time = std::chrono::steady_clock::now() + type.lease() / 2;
    auto const perform = [&](std::span<pqxx::row const> some) {
        type.perform(some, effects);
        for (auto const& row : some) ended.push_back(core::read<std::string>(row["id"]));
    };
    auto const late = [&] { return std::chrono::steady_clock::now() > half_time; };
    auto const perform_alone = [&](pqxx::row const& row) {
        try {
            perform({&row, 1});
        } catch (std::exception const& error) {
            auto const id = core::read<std::string>(row["id"]);
            auto const attempts = core::read<int>(row["attempts"]);
            core::log(core::quiet_while_away(core::Level::warn), "a reactor's work failed and is tried again",
                      {{"reactor", type.name}, {"id", id}, {"attempts", attempts}, {"error", error.what()}});
            finish();  // before anything else fails, and what was done is done again
            sessions.run([&](core::Connection& connection) {
                type.work->postpone(connection, id, pause_after(attempts), error.what());
            });
        }
    };
    std::vector<pqxx::row> const claimed(rows.begin(), rows.end());
    // What is not begun by half time is due again when the lease is over.
    for (std::span<pqxx::row const> left(claimed); !left.empty() && !late();) {
        auto const group = left.first(std::min(left.size(), type.together));
        left = left.subspan(group.size());
        try {
            if (group.size() > 1) perform(group);
        } catch (std::exception const& error) {  // whose fault it is shows when each goes alone
            core::log(core::quiet_while_away(core::Level::warn),
                      "work of a reactor failed as a group, and is tried row by row",
                      {{"reactor", type.name}, {"rows", group.size()}, {"error", error.what()}});
            for (auto const& row : group) {
                if (late()) break;
                perform_alone(row);
            }
        }
        if (group.size() == 1) perform_alone(group.front());
        if (late()) finish();  // before the lease ends, and another worker does again what was done
    }
    finish();
    return done;
}

}  // namespace

OperationAnswer submit_or_throw(Effects const& effects, OperationRequest request) {
    auto answer = effects.submit(std::move(request));
    if (!answer) throw std::runtime_error(answer.error().message);
    if (answer->refused) {
        throw std::runtime_error(fmt::format("it was refused with {}", core::info(*answer->refused).name));
    }
    return *std::move(answer);
}

std::vector<projections::ProjectionType> reactor_folds(events::Keyring& keyring, std::span<ReactorType const> types) {
    std::vector<projections::ProjectionType> folds;
    for (auto const& type : types) {
        folds.push_back({.name = type.name,
                         .revision = type.revision,
                         .table = {},
                         .make = [&keyring, make = type.make](projections::RowMemory&) { return make(keyring); },
                         .reacts = true,
                         .kinds = type.kinds});
    }
    return folds;
}

std::int64_t acts_after(core::Connection& connection, std::string_view reactor, int partition) {
    return core::read<std::int64_t>(connection.execute(kActsAfter, reactor, partition).at(0)[0]);
}

void record_starts(core::Connection& connection, int partitions,
                   std::function<std::unique_ptr<events::EventLog>()> const& open_log,
                   std::span<ReactorType const> types) {
    std::set<std::pair<std::string, int>> known;
    std::set<std::string> begun;
    for (auto const& row : connection.execute(kKnown)) {
        auto name = core::read<std::string>(row[0]);
        begun.insert(name);
        known.emplace(std::move(name), core::read<int>(row[1]));
    }
    std::unique_ptr<events::EventLog> log;
    std::vector<std::tuple<std::string_view, int, int, std::int64_t>> starts;
    for (auto const& type : types) {
        auto const name = std::string(type.name);
        bool const is_new = !begun.contains(name);
        if (is_new && !log) log = open_log();
        for (int partition = 0; partition < partitions; ++partition) {
            if (known.contains({name, partition})) continue;
            starts.emplace_back(type.name, type.revision, partition, is_new ? log->head(partition).position : -1);
        }
    }
    if (log) log->stop();
    core::execute_rows(connection, kRecord, starts, std::identity());
}

int work_off(core::SessionPool& sessions, Effects const& effects, std::stop_token const& stop,
             std::span<ReactorType const> types, std::optional<bool> outside) {
    int done = 0;
    for (auto const& type : types) {
        if (type.perform == nullptr || (outside && type.asks_outside != *outside)) continue;
        auto const most = type.asks_outside ? 1 : std::max(kClaimed, type.together);
        for (bool more = true; more && !stop.stop_requested();) {
            auto const rows = sessions.run([&](core::Connection& connection) {
                return type.work->claim(connection, static_cast<int>(most), type.lease());
            });
            done += perform_all(sessions, type, rows, effects);
            more = rows.size() == most;
        }
    }
    return done;
}

}  // namespace workforce::workers
