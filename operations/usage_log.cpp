// Batches of usage rows, by COPY.
#include "operations/usage_log.hpp"

#include <algorithm>
#include <exception>
#include <pqxx/stream_to>
#include <string>
#include <tuple>
#include <utility>

#include "core/crypto.hpp"
#include "core/database_errors.hpp"
#include "core/log_throttle.hpp"
#include "core/outage.hpp"
#include "core/sql_values.hpp"
#include "workers/reactors/usage.hpp"

namespace workforce::operations {
namespace {

constexpr std::size_t kFirstRows = 1024;  // of a shard, for which it has room from the start

constexpr core::Statement kNextBatch{"usage_next_batch", "SELECT nextval('usage.batch_id')"};
constexpr core::Statement kIsWritten{
    "usage_is_written", "SELECT EXISTS (SELECT FROM usage.call WHERE batch_id = $1 AND occurred_at BETWEEN $2 AND $3)"};
constexpr core::Statement kOpenBatch{"usage_open_batch", "INSERT INTO usage.open_batch VALUES ($1, $2, $3)"};

core::LogThrottle& not_written() {
    static core::LogThrottle throttle("usage rows can't be written, and wait");
    return throttle;
}

/// A thread keeps to one shard.
std::size_t own_shard(std::size_t shards) {
    static std::atomic<std::size_t> next{0};
    thread_local std::size_t const mine = next.fetch_add(1, std::memory_order_relaxed);
    return mine % shards;
}

void copy(core::Connection& connection, std::int64_t batch, std::vector<UsageRow> const& rows) {
    static constexpr std::array kColumns{
        "batch_id",        "occurred_at", "request_id", "organization_id", "facility_id", "is_sandbox", "channel",
        "credential_type", "key_id",      "client_id",  "user_id",         "agent",       "run_id",     "tool",
        "status_code",     "error_code",  "latency_ms", "dedupe_key"};
    pqxx::stream_to stream(connection.open_transaction(), "usage.call", kColumns);
    std::string const none;
    for (auto const& row : rows) {
        auto const dedupe = row.dedupe ? core::hex_encode(core::bytes(*row.dedupe)) : none;
        stream << std::make_tuple(
            batch, core::to_string(row.at), workers::request_uuid(row.request.text()), row.organization, row.facility,
            row.sandbox, std::string(row.channel), std::string(row.credential_type), row.key, none, row.user,
            std::string(row.agent.text()), row.run == 0 ? none : std::to_string(row.run), std::string(row.tool),
            static_cast<int>(row.status), std::string(row.error_code), row.latency_ms, "\\x" + dedupe);
    }
    stream.complete();
}

}  // namespace

UsageLog::UsageLog(core::SessionPool& sessions, core::Metrics& metrics, Written written)
    : sessions_(sessions), written_(std::move(written)) {
    for (auto& shard : shards_) shard.rows.reserve(kFirstRows);
    auto& rows = metrics.counter("workforce_usage_rows_total", "Usage rows that were written");
    auto& dropped = metrics.counter("workforce_usage_rows_dropped_total",
                                    "Usage rows that were dropped, for too many waited to be written");
    auto& failures =
        metrics.counter("workforce_usage_write_failures_total", "Attempts to write usage rows that failed");
    auto& waits = metrics.gauge("workforce_usage_rows_waiting", "Usage rows that wait to be written");
    metrics.before_render([this, &rows, &dropped, &failures, &waits] {
        core::raise(rows, static_cast<double>(rows_.load()));
        core::raise(dropped, static_cast<double>(this->dropped()));
        core::raise(failures, static_cast<double>(failures_.load()));
        waits.Set(static_cast<double>(waiting()));
    });
    thread_ = std::thread([this] { run(); });
}

UsageLog::~UsageLog() { stop(); }

void UsageLog::add(UsageRow const& row) noexcept {
    auto const drop = [&] { dropped_.fetch_add(1, std::memory_order_relaxed); };
    if (stopped_.load(std::memory_order_relaxed)) return drop();
    if (waiting_.fetch_add(1, std::memory_order_relaxed) >= kMostRows) {
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        return drop();
    }
    auto& shard = shards_[own_shard(kShards)];
    try {
        std::lock_guard const lock(shard.mutex);
        shard.rows.push_back(row);
    } catch (std::exception const&) {
        waiting_.fetch_sub(1, std::memory_order_relaxed);
        drop();
    }
}

void UsageLog::stop() {
    if (!thread_.joinable()) return;
    {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void UsageLog::run() {
    for (bool last = false; !last;) {
        {
            std::unique_lock lock(mutex_);
            last = wake_.wait_for(lock, kPause, [this] { return stopped_.load(); });
        }
        // What failed before goes first and as it was, so that it is written once.
        for (bool more = true; more;) {
            if (batch_.empty()) take();
            more = !batch_.empty() && (last || batch_.size() == kMostOfBatch);
            if (!batch_.empty() && !write()) break;
            more = more || !batch_.empty() || !later_.empty();
        }
    }
    dropped_.fetch_add(batch_.size() + later_.size() + waiting_.exchange(0), std::memory_order_relaxed);
}

void UsageLog::take() {
    if (!later_.empty()) return batch_.swap(later_);
    for (auto& shard : shards_) {
        std::lock_guard const lock(shard.mutex);
        auto const end =
            shard.rows.begin() + static_cast<std::ptrdiff_t>(std::min(shard.rows.size(), kMostOfBatch - batch_.size()));
        waiting_.fetch_sub(static_cast<std::size_t>(end - shard.rows.begin()), std::memory_order_relaxed);
        batch_.insert(batch_.end(), shard.rows.begin(), end);
        shard.rows.erase(shard.rows.begin(), end);
    }
}

void UsageLog::divide(std::string_view why) {
    batch_id_ = 0;
    if (batch_.size() == 1) {
        core::log(core::Level::error, "a usage row was dropped, for the database refuses what it says",
                  {{"request_id", batch_.front().request.text()}, {"error", why}});
        dropped_.fetch_add(1, std::memory_order_relaxed);
        batch_.clear();
        return;
    }
    auto const half = batch_.begin() + static_cast<std::ptrdiff_t>(batch_.size() / 2);
    later_.insert(later_.begin(), half, batch_.end());
    batch_.erase(half, batch_.end());
}

bool UsageLog::write() noexcept try {
    try {
        sessions_.run([this](core::Connection& connection) {
            auto const [first, last] = std::ranges::minmax(batch_, {}, &UsageRow::at);
            if (batch_id_ == 0) {
                batch_id_ = core::read<std::int64_t>(connection.execute(kNextBatch).at(0)[0]);
            } else if (core::read<bool>(connection.execute(kIsWritten, batch_id_, first.at, last.at).at(0)[0])) {
                return;  // its commit was in doubt
            }
            connection.transaction([&] {
                connection.execute(kOpenBatch, batch_id_, first.at, last.at);
                copy(connection, batch_id_, batch_);
            });
        });
        if (written_) written_(batch_);
        rows_.fetch_add(batch_.size(), std::memory_order_relaxed);
        batch_.clear();
        batch_id_ = 0;
        not_written().over();
    } catch (core::StatementFailed const& refused) {
        if (!refused.is_about_values()) throw;
        divide(refused.what());
    }
    return true;
} catch (std::exception const& error) {
    failures_.fetch_add(1, std::memory_order_relaxed);
    not_written().met(core::quiet_while_away(core::Level::warn), {{"error", error.what()}});
    return false;
}

}  // namespace workforce::operations
