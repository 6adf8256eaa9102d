// The last write of each credential, which its next read must show, whichever process serves that read.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/batcher.hpp"
#include "core/database.hpp"

namespace workforce::operations {

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
    core::Database& reads;                 ///< under workforce_reader
    core::Database& writes;                ///< under workforce_writer
    std::string process;                   ///< names the row by which this process notices that the table was emptied
    std::vector<std::string> projections;  ///< all that fold a partition, by name
};

/// In memory where one process serves alone, else in the table as well. What a process can't know of single credentials
/// (what was written before its start, what the table or the memory lost) it knows of a partition: a floor, that all
/// reads there must show. Thread-safe; it outlives the executors of those who call it.
class LastWrites {
   public:
    /// The head of a partition now, -1 for an empty one. May throw, and take long.
    using HeadOf = std::function<boost::asio::awaitable<std::int64_t>(int partition)>;

    /// `shared` for one process of several; what it refers to outlives this.
    explicit LastWrites(HeadOf head_of, std::optional<SharedWrites> shared = std::nullopt);
    LastWrites(LastWrites const&) = delete;
    LastWrites& operator=(LastWrites const&) = delete;
    ~LastWrites();

    /// Ends all that wait for the table or the log, with core::DatabaseUnavailable where that is an error. Call it
    /// while the callers' io_contexts still exist.
    void stop();

    /// Makes a write known, before its answer leaves. Trouble with the table is logged, and no fault of the write: this
    /// process knows of it, and publish_again() tells the others.
    boost::asio::awaitable<void> note(std::string lineage, LogPosition position);
    /// The credential's last write, by whichever process. Errors: core::DatabaseUnavailable, core::DatabaseBusy.
    boost::asio::awaitable<std::optional<LastWrite>> find(std::string lineage);
    /// Those of several, in their order, by one look at the table. Errors: as find().
    boost::asio::awaitable<std::vector<std::optional<LastWrite>>> find_each(std::vector<std::string> lineages);

    /// The position that every read of the partition must show besides, -1 for none; nothing when that could not be
    /// learned of the log by `deadline`. Ask it after find(), which notices when the table was emptied.
    boost::asio::awaitable<std::optional<std::int64_t>> floor(int partition,
                                                              std::chrono::steady_clock::time_point deadline);
    /// The partition's read models are past that floor: saves the comparison.
    void floor_reached(int partition, std::int64_t position);

    /// Tells the others of writes that they could not be told of; to be done each second or so. Errors: as find().
    boost::asio::awaitable<void> publish_again();
    /// Removes rows that are older than an hour and say nothing any more. Errors: as find().
    boost::asio::awaitable<void> prune();

   private:
    struct Written {
        std::string lineage;
        LogPosition place;
    };
    using Found = std::optional<LastWrite>;
    using Head = std::optional<std::int64_t>;
    using Asker = core::Batcher<bool, Head>;

    void remember(std::string const& lineage, LogPosition place);
    /// The later one of what the table has and what this process knows. Under the mutex.
    [[nodiscard]] std::optional<LastWrite> later_of(std::string const& lineage, std::optional<LastWrite> stored) const;
    /// Notes that the others are still to be told of a write.
    void put_off(std::string const& lineage, LogPosition place);
    [[nodiscard]] std::vector<Written> put_off() const;
    boost::asio::awaitable<std::vector<bool>> publish(std::vector<Written> batch);
    boost::asio::awaitable<std::vector<Found>> look_up(std::vector<std::string> batch);
    Asker& asker_of(int partition);
    boost::asio::awaitable<std::vector<Head>> ask_head(int partition, std::size_t times);
    /// Goes by the log's heads, and leaves the row that shows whether the table still is what it was.
    boost::asio::awaitable<void> begin_anew();

    HeadOf const head_of_;
    std::optional<SharedWrites> const shared_;
    core::Batcher<Written, bool> publisher_;
    core::Batcher<std::string, Found> finder_;
    mutable std::mutex mutex_;     // guards what follows
    std::map<int, Asker> askers_;  // by partition: none waits here for another one's head
    std::exception_ptr stopped_;
    std::unordered_map<std::string, LogPosition> positions_;
    std::unordered_map<std::string, LogPosition> late_;  // of these the ones that the others are still to be told of
    std::map<int, std::int64_t> floors_;                 // by partition; one that is not there has to be asked for
    std::uint64_t generation_ = 0;  // changes when a head that was asked for before is no floor any more
};

}  // namespace workforce::operations
