// Frames of streamed answers, so that a client that was cut off gets what it missed (domain 6.1).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/batcher.hpp"
#include "core/database.hpp"
#include "core/session_pool.hpp"
#include "net/byte_budget.hpp"

namespace workforce::api::mcp {

/// A frame of the stream.
struct Frame {
    std::int64_t seq = 0;   ///< from 1 on, without gaps; 0: none, the stream begins
    std::string data;       ///< one JSON-RPC message, or nothing
    bool is_final = false;  ///< the last one
};

/// A stream as its beginning names it.
struct StreamName {
    std::string id;
    std::string holder;       ///< Caller::lineage() of who may read it
    std::string request;      ///< JSON of the request's id
    net::ByteHolder owner{};  ///< for whom its large frames count
};

/// What of a stream was not read yet.
struct Frames {
    std::vector<Frame> frames;
    bool goes_on = false;  ///< there is more, or will be: the process that makes them lives, and has not made the last
    std::size_t next_bytes = 0;  ///< of these and the first that was left out for room; 0: none was
};

/// Tables ops.mcp_stream and ops.mcp_frame. Thread-safe; it outlives the executors of those who wait.
class FrameStore {
   public:
    /// Of a stream so many of the last frames are kept.
    static constexpr std::int64_t kMostFrames = 1000;

    /// `writes` has sessions of role workforce_writer. `process`: the name of this one in ops.process. `kept`: bytes of
    /// large frames of this process that are stored at a time.
    FrameStore(core::Database& writes, std::string process, net::ByteLimits kept);

    /// Stores a frame, of a stream that has begun with frame 0 or 1; those of many streams that come at the same time
    /// are one commit. False where a large one is not stored, because its owner has as many bytes stored as it may; in
    /// place of a stream's last one an error is stored that says so. Errors: core::DatabaseUnavailable,
    /// core::DatabaseBusy.
    boost::asio::awaitable<bool> append(StreamName stream, Frame frame);

    /// The frames after `seq`, at most 100 at a time and of so many bytes together; nothing for a stream that is not
    /// there, is older than ten minutes or is another credential's. A stream whose process ended before the last frame
    /// gets one: an error, which says that the outcome is not known. Errors as append().
    boost::asio::awaitable<std::optional<Frames>> read(std::string id, std::string holder, std::int64_t seq,
                                                       std::size_t bytes);
    /// Bytes of large frames of this process that are stored now.
    [[nodiscard]] std::size_t kept();

    /// Ends all that wait with core::DatabaseUnavailable.
    void stop();

   private:
    struct Item {
        StreamName stream;
        Frame frame;
    };
    static constexpr std::size_t kStatementBytes = 1 << 20;  ///< of frames
    boost::asio::awaitable<std::vector<bool>> write(std::vector<Item> items);
    /// Writes the first of the items, as many as one statement takes; returns how many. They are taken to pieces.
    static std::size_t write_some(core::Connection& connection, std::span<Item> items, std::string const& process);

    /// A stored frame, as long as it counts.
    struct Kept {
        std::chrono::steady_clock::time_point until;
        net::HeldBytes bytes;
    };
    /// Counts no longer what can't be resumed any more. The mutex is held.
    void drop_ended();

    core::Database& writes_;
    std::string const process_;
    net::ByteBudget kept_;
    std::mutex mutex_;          // guards what follows
    std::deque<Kept> counted_;  // the oldest first
    core::Batcher<Item, bool> batcher_;
};

/// Deletes streams that are older than ten minutes, in rounds. `sessions` has the role workforce_writer.
void prune_streams(core::SessionPool& sessions);

}  // namespace workforce::api::mcp
