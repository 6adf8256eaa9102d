// One aggregate as it was at a time, told from its events alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/envelope.hpp"
#include "events/keyring.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// An aggregate's past.
struct PastState {
    bool ever = false;   ///< whether the log has any event of it, at whatever time
    int partition = -1;  ///< its home; -1: there is none
    Id organization = 0;
    std::int64_t version = 0;    ///< seq of the last event up to the time; 0: it did not exist yet
    std::string state;           ///< the resource as GET answers it; "null" while it does not exist
    std::vector<Record> events;  ///< those up to the time, in order
    std::int64_t read = 0;       ///< records that were looked at
};

/// How personal fields of a state are shown: as a sealed field that tells nothing, or in clear.
enum class PersonalFields : std::uint8_t { hidden, open };

/// Looks through all partitions, side by side, for the aggregate's events and folds those up to and at `time`. `read`
/// is told how many more records were looked at, by several threads. The keyring is asked for keys of persons alone.
/// Blocks. Errors: as EventLog::scan; UnknownEvent, DamagedEvent; std::runtime_error for two such aggregates or an odd
/// history.
PastState state_as_of(EventLog& log, AggregateRef const& aggregate, bool sandbox, core::Timestamp time,
                      PersonalFields personal, Keyring& keyring, std::function<void(std::int64_t)> const& read);

}  // namespace workforce::events
