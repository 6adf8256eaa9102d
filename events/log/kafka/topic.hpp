// The log's topic: made with settings that keep every record for ever, and checked for them.
#pragma once

#include "events/log/kafka/client.hpp"

namespace workforce::events::kafka {

/// Makes the topic with that many partitions; 0 replicas are as many as there are brokers, at most 3. One that is there
/// is only checked. Blocks until every partition has a leader.
/// Errors: LogUnavailable; LogUnfit; std::runtime_error when it has another number of partitions, or can't be made.
void create_topic(ClientOptions const& options, int partitions, int replicas);

/// Makes a topic with the brokers' own settings unless it is there. Blocks. Errors: LogUnavailable; std::runtime_error
/// when it can't be made.
void create_side_topic(ClientOptions const& options, int partitions, int replicas);

/// The number of partitions of the topic, 0 when there is none. Blocks. Errors: LogUnavailable, LogUnfit.
int count_partitions(ClientOptions const& options);

/// The number of partitions of a topic whose settings are fit for the log. Blocks.
/// Errors: LogUnavailable; LogUnfit, naming topic, setting, value and what is wanted; std::runtime_error when there is
/// no such topic.
int check_topic(Client& asker, ClientOptions const& options);

}  // namespace workforce::events::kafka
