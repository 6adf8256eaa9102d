// The log of a backup, as an engine that can only be read: what copies a log from engine to engine restores it, too.
#pragma once

#include "cli/backup_files.hpp"
#include "events/log/log.hpp"

namespace workforce::cli {

/// Reads the partitions' files. Claims and appends are refused with std::logic_error. Thread-safe; a scan as LogScan
/// is.
class BackupLog final : public events::EventLog {
   public:
    BackupLog(std::string directory, std::vector<BackupPartition> partitions)
        : directory_(std::move(directory)), partitions_(std::move(partitions)) {}

    [[nodiscard]] int partitions() const override { return static_cast<int>(partitions_.size()); }
    boost::asio::awaitable<events::Claim> claim_from(int partition, std::string owner,
                                                     std::int64_t least_epoch) override;
    boost::asio::awaitable<tl::expected<void, events::AppendFault>> append(events::Claim const& claim,
                                                                           events::Head before, events::Head after,
                                                                           std::vector<std::string> bodies) override;
    boost::asio::awaitable<tl::expected<void, events::AppendFault>> confirm(events::Claim const& claim) override;
    std::vector<events::Record> read(int partition, std::int64_t from, std::size_t max_records,
                                     std::size_t max_bytes) override;
    void wait(int /*partition*/, std::int64_t /*position*/, std::chrono::milliseconds /*timeout*/) override {}
    /// Errors: std::runtime_error when the file is not whole.
    std::unique_ptr<events::LogScan> scan(int partition, std::int64_t from) override;
    /// As the manifest has it.
    events::Head head(int partition) override;
    std::chrono::milliseconds silence() override { return {}; }
    void stop() override {}

   private:
    std::string const directory_;
    std::vector<BackupPartition> const partitions_;
};

/// The line of a claim or an event.
std::string to_line(events::LogEntry const& entry);

}  // namespace workforce::cli
