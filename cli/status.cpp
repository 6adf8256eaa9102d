// `workforce status`: which processes live, who owns what, and how far everything has come.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/print_table.hpp"
#include "core/pretty_json.hpp"
#include "core/session_pool.hpp"
#include "events/log/installation.hpp"
#include "events/log/open_log.hpp"
#include "projections/engine/checkpoints.hpp"
#include "projections/engine/poison.hpp"
#include "projections/registry.hpp"
#include "workers/cluster/leases.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

constexpr core::Statement kPartitions{"count_partitions",
                                      "SELECT greatest((SELECT max(partition) FROM ops.lease), (SELECT max(partition) "
                                      "FROM projection.checkpoint), -1) + 1"};

/// A process, as people are shown it.
struct ProcessStatus {
    std::string owner;
    std::string role;
    std::string adminUrl;
    bool alive = false;
    std::int64_t uptimeSeconds = 0;  ///< as long as it was seen
    core::Timestamp lastSeenAt;      ///< its last heartbeat
    bool mayWrite = true;            ///< false while its clock is wrong or it does not hear the log: it takes no share
    std::string trouble;             ///< which of these: `clock`, `log`, or `clock, log`
};
BOOST_DESCRIBE_STRUCT(ProcessStatus, (), (owner, role, adminUrl, alive, uptimeSeconds, lastSeenAt, mayWrite, trouble))

/// A partition; owners are empty where no live process has the lease.
struct PartitionStatus {
    int partition = 0;
    std::string writer;
    std::string writerUrl;
    core::Nullable<std::int64_t> epoch;  ///< null before the writer's claim
    core::Nullable<std::int64_t> head;   ///< null while the log can't be reached, as the lag
    std::string projector;
    std::int64_t position = -1;  ///< that all projections have reached
    std::string slowest;         ///< a projection that stands there
    core::Nullable<std::int64_t> lagEvents;
};
BOOST_DESCRIBE_STRUCT(PartitionStatus, (),
                      (partition, writer, writerUrl, epoch, head, projector, position, slowest, lagEvents))

/// A projection that stands still at an event.
struct StoppedStatus {
    std::string projection;
    int partition = 0;
    std::int64_t position = 0;
    std::string reason;
};
BOOST_DESCRIBE_STRUCT(StoppedStatus, (), (projection, partition, position, reason))

/// A partition whose log ends before what read models have folded: it is another log, or lost its end.
struct AheadStatus {
    int partition = 0;
    std::int64_t head = -1;
    std::int64_t position = 0;  ///< of the furthest read model
};
BOOST_DESCRIBE_STRUCT(AheadStatus, (), (partition, head, position))

/// An event that an operator skipped: a projection's rows lack it until they are rebuilt.
struct SkippedStatus {
    std::string projection;
    int partition = 0;
    std::int64_t position = 0;
    std::string skippedBy;
    core::Nullable<core::Timestamp> skippedAt;
    std::string reason;
};
BOOST_DESCRIBE_STRUCT(SkippedStatus, (), (projection, partition, position, skippedBy, skippedAt, reason))

struct Status {
    bool ok = false;                       ///< the log answers, all is owned and nothing stands still
    core::Nullable<std::string> logError;  ///< why the log can't be reached; null: it can
    std::vector<ProcessStatus> processes;
    std::vector<PartitionStatus> partitions;
    std::vector<StoppedStatus> stopped;
    std::vector<SkippedStatus> skipped;
    std::vector<AheadStatus> ahead;
};
BOOST_DESCRIBE_STRUCT(Status, (), (ok, logError, processes, partitions, stopped, skipped, ahead))

/// The lease, if some process holds it now.
workers::Lease const* live_lease_of(workers::ClusterView const& view, workers::LeaseKind kind, int partition) {
    auto const found = std::find_if(view.leases.begin(), view.leases.end(), [&](workers::Lease const& lease) {
        return lease.kind == kind && lease.partition == partition;
    });
    return found == view.leases.end() || found->owner.empty() || found->left.count() <= 0 ? nullptr : &*found;
}

void add_owners(PartitionStatus& row, workers::ClusterView const& view) {
    if (auto const* writer = live_lease_of(view, workers::LeaseKind::writer, row.partition)) {
        row.writer = writer->owner;
        row.writerUrl = writer->admin_url;
        if (writer->epoch > 0) row.epoch = writer->epoch;
    }
    if (auto const* projector = live_lease_of(view, workers::LeaseKind::projector, row.partition)) {
        row.projector = projector->owner;
    }
}

void add_projections(Status& status, PartitionStatus& row, projections::Standings const& standings) {
    auto const types = projections::registry();
    row.position = row.head.value.value_or(std::numeric_limits<std::int64_t>::max());
    for (std::size_t i = 0; i < types.size(); ++i) {
        auto const standing = standings[i].value_or(projections::Progress::Standing{});
        if (row.slowest.empty() || standing.position < row.position) {
            row.position = standing.position;
            row.slowest = types[i].name;
        }
        if (!standing.stopped) continue;
        status.stopped.push_back({std::string(types[i].name), row.partition, standing.position + 1, standing.reason});
    }
    if (row.head.value) row.lagEvents = std::max<std::int64_t>(0, *row.head.value - row.position);
}

/// The heads of the log's partitions; none, and why, when it can't be reached.
std::vector<std::int64_t> read_heads(core::Config const& config, Status& status) {
    std::vector<std::int64_t> heads;
    try {
        auto const log = events::open_log(config);
        for (int i = 0; i < log->partitions(); ++i) heads.push_back(log->head(i).position);
        log->stop();
        return heads;
    } catch (events::LogUnavailable const& error) {
        status.logError = std::string(error.what());
        return {};
    }
}

/// How many partitions the log has, as far as its leases and projections tell.
int count_partitions(core::Connection& connection) { return core::read<int>(connection.execute(kPartitions)[0][0]); }

/// 0 to `count` - 1.
std::vector<int> first_numbers(int count) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

void add_skipped(Status& status, core::Connection& connection) {
    for (auto const& event : projections::list_poison(connection)) {
        if (event.resolution != "skipped") continue;
        status.skipped.push_back(
            {event.projection, event.partition, event.position, event.resolved_by, {}, event.reason});
        if (event.resolved_at) status.skipped.back().skippedAt = *event.resolved_at;
    }
}

Status status_by(core::Connection& connection, core::Config const& config) {
    Status status;
    // Positions before the heads, which move on: none is beyond the head that is shown with it.
    auto const folded = events::read_folded(config.database_url);
    auto numbers = first_numbers(
        std::max(count_partitions(connection), events::read_installation(config.database_url).partitions));
    auto standings = projections::load_standings(connection, projections::registry(), numbers);
    auto const heads = read_heads(config, status);
    if (!heads.empty() && heads.size() != numbers.size()) {  // the log has partitions that nobody has recorded yet
        numbers = first_numbers(static_cast<int>(heads.size()));
        standings = projections::load_standings(connection, projections::registry(), numbers);
    }
    auto const view = workers::read_cluster(connection);
    auto const now = core::now();
    for (auto const& process : view.processes) {
        bool const alive = process.left.count() > 0;
        auto const until = alive ? now : process.seen_at;
        status.processes.push_back({process.owner, std::string(core::enum_name(process.role)), process.admin_url, alive,
                                    std::max<std::int64_t>(0, (until.ms - process.started_at.ms) / 1000),
                                    process.seen_at, process.may_write, process.trouble});
    }
    status.ok = !status.logError.value;
    for (int const number : numbers) {
        PartitionStatus row;
        row.partition = number;
        add_owners(row, view);
        if (!heads.empty()) row.head = heads[static_cast<std::size_t>(number)];
        auto const furthest = folded.find(number);
        if (row.head.value && furthest != folded.end() && furthest->second > *row.head.value) {
            status.ahead.push_back({number, *row.head.value, furthest->second});
        }
        add_projections(status, row, standings.at(number));
        status.ok = status.ok && !row.writer.empty() && !row.projector.empty();
        status.partitions.push_back(std::move(row));
    }
    status.ok = status.ok && status.stopped.empty() && status.ahead.empty();
    add_skipped(status, connection);
    return status;
}

Status read_status(core::Config const& config) {
    workers::checked(config);
    auto const options = projections::aimed_at(workers::session(config, "workforce_reader", "workforce status"),
                                               projections::Tables::live);
    return core::SessionPool(options, 1).run([&](core::Connection& connection) {
        return status_by(connection, config);
    });
}

/// Whether the process lives, and what keeps it from writing.
std::string life_of(ProcessStatus const& process) {
    if (!process.alive) return fmt::format("no, last seen at {}", core::to_string(process.lastSeenAt));
    if (process.mayWrite) return "yes";
    bool const clock = process.trouble.find(workers::kClockTrouble) != std::string::npos;
    bool const log = process.trouble.find(workers::kLogTrouble) != std::string::npos;
    if (clock && log) return "yes, but its clock is wrong, and the log does not answer it";
    if (clock) return "yes, but its clock is wrong";
    if (log) return "yes, but the log does not answer it";
    return "yes, but its clock is wrong or the log does not answer it";  // of an older program, which does not say
}

void print_tables(Status const& status) {
    auto const shown = [](std::string const& owner) { return owner.empty() ? std::string("nobody") : owner; };
    auto const number = [](core::Nullable<std::int64_t> const& known) {
        return known.value ? std::to_string(*known.value) : std::string("-");
    };
    std::vector<std::vector<std::string>> processes{{"PROCESS", "ROLE", "ADMIN", "UPTIME", "ALIVE"}};
    for (auto const& each : status.processes) {
        processes.push_back({each.owner, each.role, each.adminUrl,
                             fmt::format("{:%T}", std::chrono::seconds(each.uptimeSeconds)), life_of(each)});
    }
    print_table(processes);
    std::vector<std::vector<std::string>> partitions{
        {"PARTITION", "WRITER", "EPOCH", "HEAD", "PROJECTOR", "POSITION", "SLOWEST", "LAG"}};
    for (auto const& each : status.partitions) {
        partitions.push_back({std::to_string(each.partition), shown(each.writer), number(each.epoch), number(each.head),
                              shown(each.projector), std::to_string(each.position), each.slowest,
                              number(each.lagEvents)});
    }
    if (status.logError.value) fmt::print("\nthe log can't be reached: {}\n", *status.logError.value);
    fmt::print("\n");
    print_table(partitions);
    for (auto const& each : status.stopped) {
        fmt::print("\n{} stands at partition {} position {}: {}\n", each.projection, each.partition, each.position,
                   each.reason);
    }
    for (auto const& each : status.ahead) {
        fmt::print(
            "\nthe log ends at partition {} position {}, read models have folded position {}: it is another log, "
            "or lost its end\n",
            each.partition, each.head, each.position);
    }
    for (auto const& each : status.skipped) {
        fmt::print("\n{0} lacks partition {1} position {2}, which {3} skipped ({4}): run `workforce rebuild {0}`\n",
                   each.projection, each.partition, each.position, each.skippedBy, each.reason);
    }
}

}  // namespace

void add_status(CommandLine& line) {
    auto const json = std::make_shared<bool>(false);
    auto* command =
        line.app.add_subcommand("status",
                                "Show processes, owners of partitions, and how far projections are; exit "
                                "code 0 when the log answers, every partition is written "
                                "and folded by a live process, no projection stands still and the log reaches "
                                "as far as they do, else 1");
    command->add_flag("--json", *json, "As JSON");
    command->callback([&line, json] {
        line.run = [json](core::LoadedConfig const& loaded) {
            auto const status = read_status(loaded.config);
            if (*json) {
                auto const document = core::parse_json(core::to_json(status));
                fmt::print("{}", core::pretty_json(*document));
            } else {
                print_tables(status);
            }
            return status.ok ? 0 : 1;
        };
    });
}

}  // namespace workforce::cli
