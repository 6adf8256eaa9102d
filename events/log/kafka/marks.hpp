// Places in a partition that a reader may begin at instead of at offset 0, kept in Postgres over restarts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/session_pool.hpp"
#include "events/log/log.hpp"

namespace workforce::events::kafka {

/// The place behind an event that counts and ends its command. Only a hint: whoever begins there reads that event first
/// and looks whether it is the one (stands_at).
struct Mark {
    std::int64_t offset = -1;  ///< of the event that `head` names; -1: the partition's beginning
    std::int64_t epoch = 0;
    Head head;
};

/// Whether the record with these bytes at this offset is the mark's.
bool stands_at(Mark const& mark, std::int64_t offset, std::string_view body);

/// The marks of one topic. Thread-safe; all functions block. Errors: core::DatabaseUnavailable.
class MarkTable {
   public:
    MarkTable(std::string const& database_url, std::string topic);

    /// A partition's marks, ascending.
    std::vector<Mark> load(int partition);
    /// Adds marks, in place of others at the same positions.
    void save(int partition, std::vector<Mark> const& marks);
    /// Deletes a partition's marks.
    void forget(int partition);

   private:
    std::string const topic_;
    core::SessionPool sessions_;
};

}  // namespace workforce::events::kafka
