// When the database was last backed up by `workforce backup`, for who watches that it is.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>

#include "core/database.hpp"
#include "core/time.hpp"

namespace workforce::workers {

/// Records that a backup is complete. The session may write ops.job. Errors: pqxx's.
void record_backup(core::Connection& connection);

/// Remembers what was recorded. Thread-safe.
class LastBackup {
   public:
    /// Reads it anew, under the role workforce_writer. Errors: as Database::run.
    boost::asio::awaitable<void> look(core::Database& writes);

    /// When the last backup was complete, by the database's clock; nothing where none is recorded, or none was looked
    /// for yet.
    [[nodiscard]] std::optional<core::Timestamp> at() const;
    /// Whether look() succeeded once.
    [[nodiscard]] bool looked() const { return looked_; }

   private:
    std::atomic<std::int64_t> ms_{0};
    std::atomic<bool> looked_{false};
};

}  // namespace workforce::workers
