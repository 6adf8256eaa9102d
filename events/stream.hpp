// Choosing from the stream of stored events: by attributes, and by time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"
#include "events/envelope.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// Which events are wanted; what is empty does not narrow.
struct StreamFilter {
    std::vector<std::string> types{};       ///< any of these patterns: `*` stands for any text, `?` for a character
    std::vector<std::string> aggregates{};  ///< any of these: `shift/42`, or a kind, `shift`
    Id organization = 0;
    std::optional<bool> sandbox{};
};

/// Whether a stored body is of the kind wanted. Reads its attributes only.
bool matches(StreamFilter const& filter, std::string_view body);

/// The time of the event that a stored body is; nothing where it is none that this build can read.
std::optional<core::Timestamp> event_time(std::string_view body);

/// The position of the partition's first event at or past `time`, one past its head if there is none: times never fall
/// within a partition. A search in steps of half, by reads of one record; one that is no event has the time of the next
/// one that is. Blocks. Errors: as EventLog::read.
std::int64_t position_at(EventLog& log, int partition, core::Timestamp time);

}  // namespace workforce::events
