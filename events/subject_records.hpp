// A partition's records of some aggregates.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/log/log.hpp"

namespace workforce::events {

/// The partition's events whose subject is one of `subjects` ("shift/42"), in order, up to position `last`. `read` is
/// told after each page how many more records were looked at; false ends the search. Few subjects: each is looked for
/// in every record. Blocks. Errors: as EventLog::scan.
std::vector<Record> records_of(EventLog& log, int partition, std::vector<std::string> const& subjects,
                               std::int64_t last, std::function<bool(std::int64_t records)> const& read);

}  // namespace workforce::events
