// Empty the tables, then fold from the first event on, several partitions at a time.
#include "projections/rebuild.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "core/session_pool.hpp"
#include "projections/partition_folder.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

constexpr core::Statement kReset{"checkpoints_reset", sql::checkpoints_reset};
constexpr core::Statement kForget{"checkpoints_forget_poison", sql::checkpoints_forget_poison};

std::vector<ProjectionType> chosen_of(std::span<ProjectionType const> projections,
                                      std::vector<std::string> const& names) {
    if (names.empty()) return {projections.begin(), projections.end()};
    std::vector<ProjectionType> chosen;
    for (auto const& name : names) {
        auto const found = std::find_if(projections.begin(), projections.end(),
                                        [&](ProjectionType const& type) { return type.name == name; });
        if (found == projections.end()) throw std::invalid_argument("no projection is named " + name);
        chosen.push_back(*found);
    }
    return chosen;
}

void empty_tables(core::SessionPool& sessions, std::span<ProjectionType const> chosen, int partitions) {
    std::vector<std::string_view> names;
    std::vector<int> revisions;
    std::string tables;
    for (auto const& type : chosen) {
        names.push_back(type.name);
        revisions.push_back(type.revision);
        tables += (tables.empty() ? "" : ", ") + std::string(type.tables);
    }
    sessions.run([&](core::Connection& connection) {
        connection.transaction([&] {
            connection.execute_sql("TRUNCATE " + tables);
            connection.execute(kReset, names, revisions, partitions);
            connection.execute(kForget, names);
        });
    });
}

/// Fresh tables have no statistics, and plans made without them are poor until autovacuum comes by. Only the tables'
/// owner may do this, so it is asked of the role that logs in; from another it is a warning in the server's log and no
/// fault.
void analyze_tables(core::ConnectionOptions login, std::span<ProjectionType const> chosen) {
    login.role.clear();
    login.statement_timeout = std::chrono::milliseconds(0);
    core::SessionPool(login, 1).run([&](core::Connection& connection) {
        for (auto const& type : chosen) connection.execute_sql("ANALYZE " + std::string(type.tables));
    });
}

/// What the threads share.
struct Work {
    std::vector<events::Head> heads;
    std::atomic<int> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;  // of what follows
    RebuildProgress done{};
    std::exception_ptr error{};
};

void fold_partition(PartitionFolder& folder, Work& work, int partition,
                    std::function<void(RebuildProgress const&)> const& progress) {
    auto const target = work.heads[static_cast<std::size_t>(partition)].position;
    folder.load(false);
    while (folder.position() < target && !work.failed) {
        auto const result = folder.step();
        if (folder.any_stopped()) {
            for (auto const& standing : folder.standings()) {
                if (!standing.stopped) continue;
                throw std::runtime_error(
                    fmt::format("partition {}, position {}: {}", partition, standing.position + 1, standing.reason));
            }
        }
        if (result.kind == StepResult::Kind::lost_race) {
            throw std::runtime_error("another process folds these read models: stop it first");
        }
        std::lock_guard const lock(work.mutex);
        work.done.events += static_cast<std::int64_t>(result.records);
        work.done.partition = partition;
        if (progress) progress(work.done);
    }
}

}  // namespace

void rebuild(events::EventLog& log, events::Keyring& keyring, RebuildOptions const& options,
             std::vector<std::string> const& names, std::function<void(RebuildProgress const&)> const& progress,
             std::span<ProjectionType const> projections) {
    auto const chosen = chosen_of(projections, names);
    auto connection = projector_session(options.connection);
    connection.statement_timeout = std::chrono::milliseconds(0);  // emptying waits for readers
    auto const count = std::clamp<std::size_t>(options.threads, 1, static_cast<std::size_t>(log.partitions()));
    core::SessionPool sessions(connection, count);
    Work work;
    for (int i = 0; i < log.partitions(); ++i) {
        work.heads.push_back(log.head(i));
        work.done.total += work.heads.back().position + 1;
    }
    empty_tables(sessions, chosen, log.partitions());
    auto const serve = [&] {
        try {
            for (int i = work.next++; i < log.partitions() && !work.failed; i = work.next++) {
                PartitionFolder folder(log, keyring, sessions, chosen, i,
                                       {options.batch_records, options.batch_bytes, options.cache});
                fold_partition(folder, work, i, progress);
            }
        } catch (...) {
            std::lock_guard const lock(work.mutex);
            if (!work.failed.exchange(true)) work.error = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(serve);
    for (auto& thread : threads) thread.join();
    if (work.error) std::rethrow_exception(work.error);
    analyze_tables(options.connection, chosen);
}

}  // namespace workforce::projections
