// Reading a log with mends in it: records that nobody can read, and that a signed record passes over
// (events/log/mend.hpp), hold no event for anybody.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/codec.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// Decodes records as decode_all does, one event for each.
using DecodePage = std::function<std::vector<Event>(std::vector<Record> const& records)>;

/// What a page of the log holds.
struct MendedPage {
    std::vector<Event> events;  ///< in order; none of mends and what they pass over
    std::int64_t last = -1;     ///< all records up to there are dealt with
    std::exception_ptr fault;   ///< UnknownEvent or DamagedEvent: why the record behind `last` can't be read
};

/// Decodes a page of records that follow on each other. Where one does not decode, the log is asked for the mend that
/// passes over it; `records` grows where what is passed over goes on behind the page, so that no page ends amid it.
/// Blocks. Errors: as EventLog::read, and what `decode` throws besides UnknownEvent and DamagedEvent.
MendedPage decode_mended(EventLog& log, int partition, std::vector<Record>& records, DecodePage const& decode);

/// As decode_all, without what is passed over. Errors: as there; as EventLog::read.
std::vector<Event> decode_all(EventLog& log, int partition, std::vector<Record>& records, Keyring& keyring);

/// Whether this build knows events of that type, of whatever version.
bool is_known_type(std::string_view type);

/// Records that stop who reads a partition: the first that can't be read, and all behind it up to one that can.
struct Obstacle {
    std::int64_t first = 0;
    Head last;         ///< the last one's position and hash
    std::string type;  ///< of the first one, as far as it tells
    std::string why;   ///< it can't be read
};

/// The first obstacle from `from` on, if there is one. Blocks. Errors: as EventLog::read; as the keyring.
std::optional<Obstacle> find_obstacle(EventLog& log, int partition, std::int64_t from, Keyring& keyring);

}  // namespace workforce::events
