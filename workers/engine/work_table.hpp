// A reactor's work: rows that workers of all processes share.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <pqxx/result>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.hpp"
#include "core/time.hpp"

namespace workforce::workers {

/// The work that waits at a partition.
struct PendingWork {
    std::int64_t rows = 0;
    std::optional<core::Timestamp> oldest{};  ///< when it was made; nothing where there is none
};

/// A table of work in schema `reactor`. Its rows have the columns id (a UUID derived from the event), partition,
/// position, created_at, due_at, attempts and last_error beside the reactor's own. One object a table, which lives as
/// long as the program. Thread-safe; all functions block. Errors: pqxx's.
class WorkTable {
   public:
    /// `reactor` is whose pause holds it.
    WorkTable(std::string_view reactor, std::string_view table);

    /// Takes rows that are due, at most so many, oldest first, for `lease`: whoever does not come to an end by then
    /// leaves them to others. Nothing while the reactor is paused. The session commits synchronously, so that what the
    /// rows were made from is durable before anybody acts on them.
    pqxx::result claim(core::Connection& connection, int count, std::chrono::milliseconds lease) const;

    /// The effects of these rows took place: they leave.
    void finish(core::Connection& connection, std::vector<std::string> const& ids) const;

    /// It did not, or that is not known: the row is due again after `pause`. `why` is no personal data.
    void postpone(core::Connection& connection, std::string_view id, std::chrono::milliseconds pause,
                  std::string_view why) const;

    /// What waits, by partition.
    std::map<int, PendingWork> pending(core::Connection& connection) const;

   private:
    struct Text {
        std::string name;
        std::string sql;
        [[nodiscard]] core::Statement statement() const { return {name, sql}; }
    };
    Text const claim_, finish_, postpone_, pending_;
};

/// How long a row rests after so many attempts that failed (1 or more): a second, doubled each time, an hour at most.
std::chrono::milliseconds pause_after(int attempts);

}  // namespace workforce::workers
