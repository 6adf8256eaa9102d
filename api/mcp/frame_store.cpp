// Statements on frames.
#include "api/mcp/frame_store.hpp"

#include <exception>
#include <string_view>
#include <utility>

#include "api/mcp/json_rpc.hpp"
#include "core/result.hpp"

namespace workforce::api::mcp {
namespace {

constexpr core::Statement kWriteFrames{"write_mcp_frames", R"(
WITH new AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::boolean[])
        AS t (id, holder, request, seq, data, final)
), begun AS (
    INSERT INTO ops.mcp_stream (id, holder, process, request) SELECT id, holder, $7, request FROM new WHERE seq <= 1
    ON CONFLICT DO NOTHING
)
INSERT INTO ops.mcp_frame (stream_id, seq, data, final)
SELECT id, seq, data, final FROM new
WHERE seq = 1 OR (seq > 1 AND EXISTS (SELECT FROM ops.mcp_stream s WHERE s.id = new.id))  -- it may be pruned by now
ON CONFLICT DO NOTHING)"};

constexpr core::Statement kDropFrames{"drop_mcp_frames",
                                      "DELETE FROM ops.mcp_frame f USING unnest($1::text[], $2::int[]) AS t (id, seq)"
                                      " WHERE f.stream_id = t.id AND f.seq <= t.seq"};

// The stream, as far as the holder may read it, and a page of its frames: of none left there is one row without a
// frame. Past so many bytes a frame comes without its data.
constexpr core::Statement kReadFrames{"read_mcp_frames", R"(
SELECT f.seq, CASE WHEN f.bytes <= $4::bigint THEN f.data END AS data, f.bytes, f.final, s.request,
    EXISTS (SELECT FROM ops.process p WHERE p.owner = s.process AND p.expires_at > now()) AS lives,
    EXISTS (SELECT FROM ops.mcp_frame e WHERE e.stream_id = s.id AND e.final) AS ended
FROM ops.mcp_stream s LEFT JOIN LATERAL (
    SELECT seq, data, final, sum(octet_length(data)) OVER (ORDER BY seq) AS bytes
    FROM ops.mcp_frame WHERE stream_id = s.id AND seq > $3::bigint ORDER BY seq LIMIT 100
) f ON true
WHERE s.id = $1 AND s.holder = $2 AND s.created_at > now() - interval '10 minutes' ORDER BY f.seq)"};

constexpr core::Statement kEndStream{"end_mcp_stream", R"(
INSERT INTO ops.mcp_frame (stream_id, seq, data, final)
SELECT $1, coalesce(max(seq), 0) + 1, $2, true FROM ops.mcp_frame WHERE stream_id = $1
HAVING NOT coalesce(bool_or(final), false)
ON CONFLICT DO NOTHING)"};

constexpr int kPrunedAtOnce = 500;
constexpr core::Statement kPruneStreams{"prune_mcp_streams", R"(
DELETE FROM ops.mcp_stream WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ops.mcp_stream WHERE created_at < now() - interval '10 minutes' LIMIT $1 FOR UPDATE SKIP LOCKED)))"};

constexpr std::size_t kSmallFrame = 8 << 10;    // counts for nobody: limits of requests bound those
constexpr std::chrono::minutes kResumable{10};  // as the statements have it

std::string unknown_outcome(std::string request) {
    RpcError error;
    error.id = std::move(request);
    error.message =
        "The process that worked on the request ended: its outcome is not known.\nSuggestion: Send it again with the "
        "same idempotency key, or read what it was to change.";
    error.data = R"({"code":"LOG_UNAVAILABLE","retryable":true})";
    return error_message(error);
}

std::string not_kept(std::string request) {
    RpcError error;
    error.id = std::move(request);
    error.message =
        "The answer was not kept: answers of the last ten minutes fill your share of what is.\nSuggestion: Send the "
        "request again with the same idempotency key, and read its answer to the end.";
    error.data = R"({"code":"SERVICE_UNAVAILABLE","retryable":true})";
    return error_message(error);
}

struct Read {
    std::optional<Frames> frames;
    std::string request;  ///< of a stream that will get no more frames, and has not ended
};

Read read_page(core::Connection& connection, std::string const& id, std::string const& holder, std::int64_t seq,
               std::size_t bytes) {
    auto const rows = connection.execute(kReadFrames, id, holder, seq, static_cast<std::int64_t>(bytes));
    if (rows.empty()) return {};
    Read read{Frames{}, {}};
    auto& frames = read.frames->frames;
    for (auto const& row : rows) {
        if (row["seq"].is_null()) break;
        if (row["data"].is_null()) {
            read.frames->next_bytes = static_cast<std::size_t>(core::read<std::int64_t>(row["bytes"]));
            break;
        }
        frames.push_back({core::read<std::int64_t>(row["seq"]), core::read<std::string>(row["data"]),
                          core::read<bool>(row["final"])});
    }
    bool const ended = core::read<bool>(rows[0]["ended"]);
    bool const cut = read.frames->next_bytes > 0;
    read.frames->goes_on = cut || (frames.empty() ? !ended : !frames.back().is_final);
    if (!ended && !cut && frames.empty() && !core::read<bool>(rows[0]["lives"])) {
        read.request = core::read<std::string>(rows[0]["request"]);
    }
    return read;
}

}  // namespace

FrameStore::FrameStore(core::Database& writes, std::string process, net::ByteLimits kept)
    : writes_(writes),
      process_(std::move(process)),
      kept_(kept),
      batcher_([this](std::vector<Item> items) { return write(std::move(items)); }) {}

void FrameStore::drop_ended() {
    auto const now = std::chrono::steady_clock::now();
    while (!counted_.empty() && counted_.front().until <= now) counted_.pop_front();
}

std::size_t FrameStore::kept() {
    std::lock_guard const lock(mutex_);
    drop_ended();
    return kept_.used();
}

boost::asio::awaitable<bool> FrameStore::append(StreamName stream, Frame frame) {
    net::HeldBytes held;
    bool kept = true;
    if (auto const bytes = frame.data.size(); bytes > kSmallFrame) {
        std::lock_guard const lock(mutex_);
        drop_ended();
        kept = kept_.take(stream.owner, bytes);
        if (kept) held = net::HeldBytes(kept_, stream.owner, bytes);
    }
    if (!kept && !frame.is_final) co_return false;
    if (!kept) frame.data = not_kept(stream.request);
    co_await batcher_.submit({std::move(stream), std::move(frame)});
    if (held) {  // it counts for as long as streams can be resumed
        std::lock_guard const lock(mutex_);
        counted_.push_back({std::chrono::steady_clock::now() + kResumable, std::move(held)});
    }
    co_return kept;
}

// A statement exists several times while it is sent: it has no more than some bytes, or one frame.
std::size_t FrameStore::write_some(core::Connection& connection, std::span<Item> items, std::string const& process) {
    std::vector<std::string> ids, holders, requests, data, long_ids;
    std::vector<std::int64_t> numbers, dropped;
    std::vector<bool> finals;
    std::size_t bytes = 0;
    for (auto& [stream, frame] : items) {
        bytes += frame.data.size();
        if (bytes > kStatementBytes && !ids.empty()) break;
        ids.push_back(stream.id);
        holders.push_back(stream.holder);
        requests.push_back(stream.request);
        numbers.push_back(frame.seq);
        data.push_back(std::move(frame.data));
        finals.push_back(frame.is_final);
        if (frame.seq <= kMostFrames) continue;
        long_ids.push_back(stream.id);
        dropped.push_back(frame.seq - kMostFrames);
    }
    connection.execute(kWriteFrames, ids, holders, requests, numbers, data, finals, process);
    if (!long_ids.empty()) connection.execute(kDropFrames, long_ids, dropped);
    return ids.size();
}

boost::asio::awaitable<std::vector<bool>> FrameStore::write(std::vector<Item> items) {
    auto const count = items.size();
    auto store = [items = std::move(items), &process = process_](core::Connection& connection) mutable {
        connection.transaction([&] {
            std::span<Item> left = items;
            while (!left.empty()) left = left.subspan(write_some(connection, left, process));
        });
    };
    co_await writes_.run(std::move(store));
    co_return std::vector<bool>(count, true);
}

boost::asio::awaitable<std::optional<Frames>> FrameStore::read(std::string id, std::string holder, std::int64_t seq,
                                                               std::size_t bytes) {
    auto find = [id = std::move(id), holder = std::move(holder), seq, bytes](core::Connection& connection) {
        auto read = read_page(connection, id, holder, seq, bytes);
        if (read.request.empty()) return std::move(read.frames);
        connection.execute(kEndStream, id, unknown_outcome(read.request));
        return read_page(connection, id, holder, seq, bytes).frames;
    };
    co_return co_await writes_.run(std::move(find));
}

void FrameStore::stop() {
    batcher_.stop(std::make_exception_ptr(core::DatabaseUnavailable("this process is stopping")));
}

void prune_streams(core::SessionPool& sessions) {
    for (int round = 0; round < 200; ++round) {
        auto const deleted = sessions.run([](core::Connection& connection) {
            return connection.execute(kPruneStreams, kPrunedAtOnce).affected_rows();
        });
        if (deleted < kPrunedAtOnce) return;
    }
}

}  // namespace workforce::api::mcp
