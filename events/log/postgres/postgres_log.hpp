// The log in Postgres: the engine of an installation on one machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "core/database.hpp"
#include "core/session_pool.hpp"
#include "events/log/log.hpp"
#include "events/log/log_signals.hpp"
#include "events/log/partition_tail.hpp"

namespace workforce::events {

/// How a PostgresLog works.
struct PostgresLogOptions {
    std::string database_url;
    std::string role = "workforce_writer";
    /// Appends, claims and confirmations at a time; more wait. One a busy partition is best.
    std::size_t append_connections = 8;
    std::size_t read_connections = 4;              ///< reads at a time; more wait
    std::chrono::milliseconds poll_interval{500};  ///< at which others' records are found without a notice
    /// After this an append's outcome is unknown, and claims and confirmations fail. The server is given a bit less.
    std::chrono::milliseconds timeout{10'000};
    std::size_t tail_bytes = std::size_t{4} << 20;  ///< bodies kept in memory a partition, as tail_limit() bounds it
};

/// The log's rules rest on row locks: an append and a claim both update the partition's row, so one of them waits for
/// the other's commit and then sees what it did. A record at a position can commit only after all before it, hence no
/// reader skips one. Destroy it while the io_contexts of those that await it still exist.
class PostgresLog final : public EventLog {
   public:
    /// Gives a new log its partitions, 1 to 1000; called as the owner of the tables. The number is fixed from then on.
    /// Errors: std::runtime_error when the log has another number; core::DatabaseUnavailable.
    static void initialize(std::string const& database_url, int partitions);

    /// Connects. Errors: LogUnavailable; std::runtime_error when the log was not initialized.
    explicit PostgresLog(PostgresLogOptions options);
    ~PostgresLog() override;

    [[nodiscard]] int partitions() const override { return static_cast<int>(tails_.size()); }
    boost::asio::awaitable<Claim> claim_from(int partition, std::string owner, std::int64_t least_epoch) override;
    /// Bodies must not be empty nor have line feeds or NUL bytes (JSON text has none), and `after` must be as many
    /// positions past `before`: std::invalid_argument.
    boost::asio::awaitable<tl::expected<void, AppendFault>> append(Claim const& claim, Head before, Head after,
                                                                   std::vector<std::string> bodies) override;
    boost::asio::awaitable<tl::expected<void, AppendFault>> confirm(Claim const& claim) override;
    /// Further errors: std::runtime_error when the log has a gap, which only a change by hand can make.
    std::vector<Record> read(int partition, std::int64_t from, std::size_t max_records, std::size_t max_bytes) override;
    void wait(int partition, std::int64_t position, std::chrono::milliseconds timeout) override;
    std::unique_ptr<LogScan> scan(int partition, std::int64_t from) override;
    Head head(int partition) override;
    std::chrono::milliseconds silence() override { return signals_.silence(); }
    void stop() override;

   private:
    PartitionTail& tail(int partition);
    /// The executed statement's affected rows, or nothing when no answer came in time. Errors: as Database::run.
    boost::asio::awaitable<std::optional<std::size_t>> send_append(Claim claim, Head before, Head after,
                                                                   std::string lines);

    PostgresLogOptions const options_;
    core::SessionPool readers_;
    std::deque<PartitionTail> tails_;
    core::Database writers_;
    LogSignals signals_;  // last: it calls into the tails
};

}  // namespace workforce::events
