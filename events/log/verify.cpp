// Scans fed to chain checks.
#include "events/log/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "events/log/each_page.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/mend.hpp"

namespace workforce::events {
namespace {

/// The position of a record behind `last` that the log gives to readers although its head stands before it.
std::optional<std::int64_t> beyond_head(EventLog& log, int partition, std::int64_t last) {
    auto const more = log.read(partition, last + 1, 1, 1);
    // What was appended meanwhile has moved the head.
    if (more.empty() || log.head(partition).position > last) return std::nullopt;
    return more.front().position;
}

void add_mend(EventLog& log, int partition, LogEntry const& entry, std::vector<MendAudit>& mends) {
    auto mend = mend_of(entry.text);
    if (!mend) return;
    mends.push_back({.position = entry.position,
                     .first = mend->first,
                     .last = mend->last,
                     .why = std::move(mend->why),
                     .counts = counting_mend(log, partition, entry.text).has_value()});
}

/// The first mend that does not count, and that no other one passes over.
MendAudit const* forged_mend(std::vector<MendAudit> const& mends) {
    auto const passed_over = [&](MendAudit const& one) {
        return std::any_of(mends.begin(), mends.end(), [&](MendAudit const& other) {
            return other.counts && other.first <= one.position && one.position <= other.last;
        });
    };
    auto const found = std::find_if(mends.begin(), mends.end(),
                                    [&](MendAudit const& mend) { return !mend.counts && !passed_over(mend); });
    return found == mends.end() ? nullptr : &*found;
}

}  // namespace

PartitionAudit verify_partition(EventLog& log, int partition, ExpectedHeads const& expected, EventsRead const& read) {
    std::vector<ExpectedHead> heads{{log.head(partition), "the log's own head"}};
    for (auto [it, end] = expected.equal_range(partition); it != end; ++it) heads.push_back(it->second);
    ChainCheck check(std::move(heads));
    std::vector<MendAudit> mends;
    auto const scan = log.scan(partition, 0);
    each_page(*scan, [&](std::vector<LogEntry> const& entries) {
        auto const before = check.events();
        for (auto const& entry : entries) {
            check.take(entry);
            if (check.fault()) return false;
            if (entry.kind == LogEntry::Kind::event) add_mend(log, partition, entry, mends);
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
                         .fault = {},
                         .mends = std::move(mends)};
    if (auto const& fault = check.fault()) {
        audit.brokenAt = fault->position;
        audit.fault = fault->what;
    } else if (auto const beyond = beyond_head(log, partition, audit.position)) {
        audit.brokenAt = *beyond;
        audit.fault = fmt::format("stands past the log's own head, which is {}", audit.position);
    } else if (auto const* forged = forged_mend(audit.mends); forged != nullptr && !log.key().public_keys.empty()) {
        audit.brokenAt = forged->position;
        audit.fault = fmt::format(
            "says that nothing is to be read at {}, and is not signed with the key {} for what stands there",
            describe_span(forged->first, forged->last), log.key().public_keys.front());
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

std::string describe_span(std::int64_t first, std::int64_t last) {
    if (first == last) return fmt::format("position {}", first);
    return fmt::format("positions {} to {}", first, last);
}

std::optional<std::string> describe_fault(PartitionAudit const& audit) {
    if (!audit.brokenAt.value) return std::nullopt;
    return fmt::format("partition {}, position {} {}", audit.partition, *audit.brokenAt.value, audit.fault);
}

}  // namespace workforce::events
