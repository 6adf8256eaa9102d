// Whose a topic is: records of the log's own type that say which database may write to a partition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/kafka/client.hpp"

namespace workforce::events::kafka {

/// Who a log in Kafka belongs to, as its database says.
struct Owner {
    std::string incarnation;            ///< of the database: no copy or restored one has the same
    std::vector<std::int64_t> offsets;  ///< of each partition's owner record
    /// Ed25519, hexadecimal: who may sign when another database takes over; none: nobody.
    std::vector<std::string> public_keys{};
};

/// What an owner record says.
struct OwnerRecord {
    std::string incarnation;
    std::string formerly;   ///< the owner until then; empty in a topic's first one
    std::string source;     ///< CloudEvents source of the installation, for people
    std::string signature;  ///< of owner_text, hexadecimal; empty in a topic's first one
    int partition = 0;
};

/// The record's bytes: `{"specversion":"1.0","type":"log.owned",…}`. It has no place in the chain and decides nothing
/// about what counts: every reader skips it.
std::string make_owner_record(OwnerRecord const& record);
/// Reads one; nothing for another record.
std::optional<OwnerRecord> owner_record_of(std::string_view body);

/// What is signed when a database takes a partition over, a line each with a line feed: "workforce log owner 1", topic,
/// partition, the former owner's incarnation, the new one's.
std::string owner_text(std::string_view topic, OwnerRecord const& record);

/// Whether the record takes the partition from `owner`: it names him as the former one and is signed with his key.
bool takes_over(OwnerRecord const& record, int partition, std::string_view topic, Owner const& owner);

/// The record of each partition at that offset, in one journey for all; nothing where there is none. Blocks.
/// Errors: LogUnavailable; std::runtime_error of the client.
std::vector<std::optional<std::string>> records_at(ClientOptions const& options,
                                                   std::vector<std::int64_t> const& offsets);

/// Appends a record to a partition; returns its offset once the brokers have it. Blocks. Errors: LogUnavailable.
std::int64_t append_record(ClientOptions const& options, int partition, std::string body);

/// One line for the operator each: another number of partitions than the log has; whose a partition is, after
/// "partition 3 of topic x"; that it lacks the owner record at `offset`.
std::string describe_partitions(std::string_view topic, int there, int recorded);
std::string describe_other(OwnerRecord const& record, std::string_view incarnation);
std::string describe_lack(std::int64_t offset);

/// Refuses a topic that is not the owner's, or has another number of partitions than `owner.offsets` tells of. Reads
/// one record a partition. Blocks. Errors: LogUnfit, LogUnavailable.
void require_owner(ClientOptions const& options, Owner const& owner, int partitions);

}  // namespace workforce::events::kafka
