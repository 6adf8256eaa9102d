// Scans fed to chain checks.
#include "events/log/verify.hpp"

#include <fmt/format.h>

#include "events/log/each_page.hpp"
#include "events/log/each_partition.hpp"

namespace workforce::events {
namespace {

/// The position of a record behind `last` that the log gives to readers although its head stands before it.
std::optional<std::int64_t> beyond_head(EventLog& log, int partition, std::int64_t last) {
    auto const more = log.read(partition, last + 1, 1, 1);
    // What was appended meanwhile has moved the head.
    if (more.empty() || log.head(partition).position > last) return std::nullopt;
    return more.front().position;
}

}  // namespace

PartitionAudit verify_partition(EventLog& log, int partition, ExpectedHeads const& expected, EventsRead const& read) {
    std::vector<ExpectedHead> heads{{log.head(partition), "the log's own head"}};
    for (auto [it, end] = expected.equal_range(partition); it != end; ++it) heads.push_back(it->second);
    ChainCheck check(std::move(heads));
    auto const scan = log.scan(partition, 0);
    each_page(*scan, [&](std::vector<LogEntry> const& entries) {
        auto const before = check.events();
        for (auto const& entry : entries) {
            check.take(entry);
            if (check.fault()) return false;
        }
        read(check.events() - before);
        return true;
    });
    check.finish();
    PartitionAudit audit{.partition = partition,
                         .events = check.events(),
                         .claims = check.claims(),
                         .voided = check.voided(),
                         .position = check.head().position,
                         .hash = check.head().hash,
                         .epoch = check.epoch(),
                         .brokenAt = {},
                         .fault = {}};
    if (auto const& fault = check.fault()) {
        audit.brokenAt = fault->position;
        audit.fault = fault->what;
    } else if (auto const beyond = beyond_head(log, partition, audit.position)) {
        audit.brokenAt = *beyond;
        audit.fault = fmt::format("stands past the log's own head, which is {}", audit.position);
    }
    return audit;
}

std::vector<PartitionAudit> verify(EventLog& log, std::vector<int> const& partitions, ExpectedHeads const& expected,
                                   EventsRead const& read) {
    std::vector<PartitionAudit> audits(partitions.size());
    std::map<int, std::size_t> places;
    for (std::size_t i = 0; i < partitions.size(); ++i) places.emplace(partitions[i], i);
    each_partition(partitions, [&](int partition) {
        audits[places.at(partition)] = verify_partition(log, partition, expected, read);
    });
    return audits;
}

std::optional<std::string> describe_fault(PartitionAudit const& audit) {
    if (!audit.brokenAt.value) return std::nullopt;
    return fmt::format("partition {}, position {} {}", audit.partition, *audit.brokenAt.value, audit.fault);
}

}  // namespace workforce::events
