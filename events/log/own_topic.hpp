// Makes a Kafka topic one database's.
#pragma once

#include "core/config.hpp"
#include "events/log/heads.hpp"
#include "events/log/kafka/client.hpp"

namespace workforce::events {

/// Makes the topic that the configuration names, or takes in what is there, as the log of the configured database:
/// writes owner records (events/log/kafka/ownership.hpp) to partitions that have none, and records where they stand and
/// how many partitions there are. Refuses, with nothing written:
/// - a topic or partition that is another database's, or holds records and no owner record (but for an installation
///   that wrote them before there were such records: that is known from its database, and their source has to be its);
/// - an empty one where read models have folded events;
/// - another number of partitions than the log has. A topic that has got more is taken in when so many are configured.
/// Blocks. As the owner of the tables. Errors: LogUnavailable; LogUnfit; std::runtime_error.
void own_topic(core::Config const& config, kafka::ClientOptions const& options);

/// Makes the topic this database's in the place of `from`, the incarnation that it belongs to, for good: what the other
/// database's processes have appended stays, and they write no more. For a database that is a copy of the other one, or
/// whose owner records are found elsewhere (a mirrored topic). Nobody may use this database meanwhile. Blocks. As the
/// owner of the tables. Errors: LogUnavailable; LogUnfit when the topic is not `from`'s, not this installation's, has
/// another number of partitions, or ends before what read models have folded.
void take_topic(core::Config const& config, kafka::ClientOptions const& options, HeadSigner const& signer,
                std::string const& from);

}  // namespace workforce::events
