// The audit of a log: every partition's chain from its beginning to its head.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "events/log/chain.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// A record that says it is a mend (events/log/mend.hpp).
struct MendAudit {
    std::int64_t position = 0;
    std::int64_t first = 0;  ///< this and the next: what it passes over
    std::int64_t last = 0;
    std::string why;
    bool counts = false;  ///< it is signed by the log's key, for the records that stand there
};
BOOST_DESCRIBE_STRUCT(MendAudit, (), (position, first, last, why, counts))

/// What one partition holds, counted up to its end or to the record that broke it.
struct PartitionAudit {
    std::int32_t partition = 0;
    std::int64_t events = 0;
    std::int64_t claims = 0;
    std::int64_t voided = 0;
    std::int64_t position = -1;             ///< of the last record that is as it was written
    std::string hash;                       ///< of that record
    std::int64_t epoch = 0;                 ///< of the last claim
    core::Nullable<std::int64_t> brokenAt;  ///< position of the first broken record
    std::string fault;                      ///< what is wrong with it
    std::vector<MendAudit> mends;
};
BOOST_DESCRIBE_STRUCT(PartitionAudit, (),
                      (partition, events, claims, voided, position, hash, epoch, brokenAt, fault, mends))

/// Heads that partitions have to pass through besides their own, by partition.
using ExpectedHeads = std::multimap<int, ExpectedHead>;

/// Called with how many more events were read. Thread-safe.
using EventsRead = std::function<void(std::int64_t events)>;

/// Reads one partition from its beginning to the end that it has at the call. A mend that does not count, and that no
/// other one passes over, is broken where the log's key is known. Blocks. Errors: as EventLog::scan.
PartitionAudit verify_partition(EventLog& log, int partition, ExpectedHeads const& expected, EventsRead const& read);

/// The partitions given, side by side, in the order given. Blocks. Errors: as verify_partition.
std::vector<PartitionAudit> verify(EventLog& log, std::vector<int> const& partitions, ExpectedHeads const& expected,
                                   EventsRead const& read);

/// "position 41", "positions 41 to 43": what a mend passes over, or could.
std::string describe_span(std::int64_t first, std::int64_t last);

/// "partition 2, position 41 was changed: …", or nothing for a partition that is whole.
std::optional<std::string> describe_fault(PartitionAudit const& audit);

}  // namespace workforce::events
