// Which engine keeps the log: the one place that knows them all.
#pragma once

#include <cstdint>
#include <memory>

#include "core/config.hpp"
#include "events/log/heads.hpp"
#include "events/log/kafka/side_topic.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// Who opens a log.
enum class Opener : std::uint8_t {
    command,  ///< ends soon, and says itself what went wrong
    service,  ///< logs what the engine's client says
};

/// Opens the log that the configuration names, which has to be that of its database. `owner_keys` (Ed25519,
/// hexadecimal) are whose signatures count when another database takes a topic over, which a writer has to notice, and
/// under mends; readers that have none go by the keys that the database has recorded. Blocks, and logs when that takes
/// long. Errors: LogUnavailable; LogUnfit, also when it is another database's or has another number of partitions than
/// is recorded; std::runtime_error when it was not made yet. Each is one line for the operator.
std::unique_ptr<EventLog> open_log(core::Config const& config, Opener opener = Opener::command,
                                   std::vector<std::string> const& owner_keys = {});

/// Makes the log that the configuration names, with its partitions, as that of its database; what is there stays.
/// Blocks. Errors: as open_log, and std::runtime_error when it has another number of partitions.
void create_log(core::Config const& config);

/// The topic for usage rows, which create_log makes; null where the log is not in Kafka, or the configuration names
/// none. Does not block. Errors: std::runtime_error.
std::unique_ptr<kafka::SideTopic> open_usage_topic(core::Config const& config);

/// As take_topic (events/log/own_topic.hpp), for the topic that the configuration names; then claims every partition,
/// so that who wrote there until now is fenced. Blocks. Errors: as there; std::runtime_error.
void adopt_log(core::Config const& config, HeadSigner const& signer, std::string const& from,
               std::string const& claimant);

}  // namespace workforce::events
