// Checkpoints, pauses and work of reactors, side by side.
#include "workers/engine/standing.hpp"

#include <algorithm>
#include <numeric>

#include "projections/engine/checkpoints.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kPaused{"reactors_paused", "SELECT name FROM reactor.pause"};
constexpr core::Statement kPause{"reactors_pause", sql::engine_pause};
constexpr core::Statement kResume{"reactors_resume", "DELETE FROM reactor.pause WHERE name = $1"};

}  // namespace

core::ConnectionOptions reactor_session(core::ConnectionOptions options) {
    options.role = "workforce_writer";
    return core::by_index(projections::aimed_at(std::move(options), projections::Tables::reactors));
}

std::set<std::string> paused(core::Connection& connection) {
    std::set<std::string> names;
    for (auto const& row : connection.execute(kPaused)) names.insert(core::read<std::string>(row[0]));
    return names;
}

std::vector<ReactorStanding> read_reactors(core::Connection& connection, int partitions,
                                           std::span<ReactorType const> types) {
    auto const held = paused(connection);
    std::vector<projections::ProjectionType> folds;
    for (auto const& type : types) {
        folds.push_back({.name = type.name, .revision = type.revision, .table = {}, .reacts = true});
    }
    std::vector<int> numbers(static_cast<std::size_t>(partitions));
    std::iota(numbers.begin(), numbers.end(), 0);
    auto const standings = projections::load_standings(connection, folds, numbers);
    std::vector<ReactorStanding> all;
    for (std::size_t i = 0; i < types.size(); ++i) {
        std::map<int, PendingWork> work;
        if (types[i].work != nullptr) work = types[i].work->pending(connection);
        for (int const partition : numbers) {
            auto const& standing = standings.at(partition)[i];
            ReactorStanding row{.name = std::string(types[i].name), .partition = partition, .work = work[partition]};
            row.paused = held.contains(row.name);
            if (!standing) {
                row.trouble = "nobody recorded where it begins: run `workforce migrate`";
            } else {
                row.position = standing->position;
                row.trouble = standing->reason;
            }
            all.push_back(std::move(row));
        }
    }
    return all;
}

bool pause(core::Connection& connection, std::string_view name, std::string_view by, std::string_view reason) {
    return connection.execute(kPause, name, by, reason).affected_rows() == 1;
}

bool resume(core::Connection& connection, std::string_view name) {
    return connection.execute(kResume, name).affected_rows() == 1;
}

void ReactorWatch::look() {
    auto const standings =
        sessions_.run([&](core::Connection& connection) { return read_reactors(connection, partitions_, types_); });
    auto const log = progress_.status();
    auto const now = Clock::now();
    std::lock_guard const lock(mutex_);
    status_.clear();
    for (auto const& standing : standings) {
        ReactorStatus row{standing};
        auto const head = log.partitions.at(static_cast<std::size_t>(row.partition)).head;
        row.lag_events = std::max<std::int64_t>(0, head - row.position);
        auto& behind = behind_[{row.name, row.partition}];
        if (row.position >= behind.head) behind = {head, now};  // it reached what it was behind
        row.late = row.position < behind.head && now - behind.since > patience_;
        status_.push_back(std::move(row));
    }
}

std::vector<ReactorStatus> ReactorWatch::status() const {
    std::lock_guard const lock(mutex_);
    return status_;
}

}  // namespace workforce::workers
