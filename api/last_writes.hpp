// The last write of each credential, which its next read must show, whichever process serves that read.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/batcher.hpp"
#include "core/database.hpp"

namespace workforce::api {

/// A place in the log.
struct LogPosition {
    int partition = 0;
    std::int64_t position = -1;
};

/// What a read has to wait for.
struct LastWrite : LogPosition {
    bool folded = false;  ///< all read models of the partition are known to have passed it
};

/// How several processes tell one another of writes: through the table ops.last_write, which is lost when Postgres
/// crashes. Whoever finds it emptied goes by the log's heads instead.
struct SharedWrites {
    core::Database& reads;   ///< under workforce_reader
    core::Database& writes;  ///< under workforce_writer
    std::string process;     ///< names the row by which this process notices that the table was emptied
    /// The heads of all partitions now. Errors: events::LogUnavailable.
    std::function<boost::asio::awaitable<std::vector<LogPosition>>()> heads;
};

/// In memory where one process serves alone, else in the table as well. Thread-safe.
class LastWrites {
   public:
    /// `shared` for one process of several; what it refers to outlives this.
    explicit LastWrites(std::optional<SharedWrites> shared = std::nullopt);
    LastWrites(LastWrites const&) = delete;
    LastWrites& operator=(LastWrites const&) = delete;
    ~LastWrites();

    /// Makes a write known, before its answer leaves. Trouble with the table is logged, and no fault of the write.
    boost::asio::awaitable<void> note(std::string lineage, LogPosition position);
    /// The credential's last write, by whichever process. Errors: core::DatabaseUnavailable, core::DatabaseBusy.
    boost::asio::awaitable<std::optional<LastWrite>> find(std::string lineage);

    /// The log's heads when this process began, or found the table emptied: what was written before that, by whomever,
    /// reads must show as well. Empty once `start_reached` was called for it.
    [[nodiscard]] std::shared_ptr<std::vector<LogPosition> const> start() const;
    void set_start(std::vector<LogPosition> heads);
    /// The read models are past that start: saves the comparison.
    void start_reached(std::shared_ptr<std::vector<LogPosition> const> const& reached);

   private:
    struct Written {
        std::string lineage;
        LogPosition position;
    };
    using Found = std::optional<LastWrite>;

    void remember(std::string const& lineage, LogPosition position);
    boost::asio::awaitable<std::vector<bool>> publish(std::vector<Written> batch);
    boost::asio::awaitable<std::vector<Found>> look_up(std::vector<std::string> batch);
    /// Goes by the log's heads, and leaves the row that shows whether the table still is what it was.
    boost::asio::awaitable<void> begin_anew();

    std::optional<SharedWrites> const shared_;
    core::Batcher<Written, bool> publisher_;
    core::Batcher<std::string, Found> finder_;
    mutable std::mutex mutex_;  // guards what follows
    std::unordered_map<std::string, LogPosition> positions_;
    std::shared_ptr<std::vector<LogPosition> const> start_;
};

}  // namespace workforce::api
