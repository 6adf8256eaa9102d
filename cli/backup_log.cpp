// Scans over files of lines.
#include "cli/backup_log.hpp"

#include <stdexcept>

#include "cli/line_source.hpp"
#include "core/json_io.hpp"

namespace workforce::cli {
namespace {

using events::LogEntry;

class FileScan final : public events::LogScan {
   public:
    FileScan(std::string path, std::int64_t from) : lines_(std::move(path)), from_(from) {}

    std::vector<LogEntry> next(std::size_t max_bytes) override {
        std::vector<LogEntry> entries;
        for (std::size_t bytes = 0; bytes < max_bytes;) {
            auto line = lines_.next();
            if (!line) break;
            auto entry = entry_of(*std::move(line));
            if (entry.position < (entry.kind == LogEntry::Kind::claim ? from_ - 1 : from_)) continue;
            bytes += entry.text.size();
            entries.push_back(std::move(entry));
        }
        return entries;
    }

   private:
    LogEntry entry_of(std::string line) {
        if (line.starts_with(kClaimBegins)) {
            auto const claim = core::from_stored_json<ClaimLine>(line);
            return {.kind = LogEntry::Kind::claim,
                    .offset = claim.position,
                    .position = claim.position,
                    .epoch = claim.claim,
                    .text = claim.owner,
                    .fault = {}};
        }
        ++position_;
        return {.kind = LogEntry::Kind::event,
                .offset = position_,
                .position = position_,
                .epoch = 0,
                .text = std::move(line),
                .fault = {}};
    }

    LineSource lines_;
    std::int64_t const from_;
    std::int64_t position_ = -1;
};

[[noreturn]] void refuse_to_write() { throw std::logic_error("a backup's log can only be read"); }

}  // namespace

boost::asio::awaitable<events::Claim> BackupLog::claim_from(int /*partition*/, std::string /*owner*/,
                                                            std::int64_t /*least_epoch*/) {
    refuse_to_write();
    co_return events::Claim{};
}

boost::asio::awaitable<tl::expected<void, events::AppendFault>> BackupLog::append(events::Claim const& /*claim*/,
                                                                                  events::Head /*before*/,
                                                                                  events::Head /*after*/,
                                                                                  std::vector<std::string> /*bodies*/) {
    refuse_to_write();
    co_return tl::expected<void, events::AppendFault>{};
}

boost::asio::awaitable<tl::expected<void, events::AppendFault>> BackupLog::confirm(events::Claim const& /*claim*/) {
    refuse_to_write();
    co_return tl::expected<void, events::AppendFault>{};
}

std::vector<events::Record> BackupLog::read(int partition, std::int64_t from, std::size_t max_records,
                                            std::size_t max_bytes) {
    std::vector<events::Record> records;
    std::size_t bytes = 0;
    auto const lines = scan(partition, from);
    for (auto entries = lines->next(max_bytes); !entries.empty(); entries = lines->next(max_bytes)) {
        for (auto& entry : entries) {
            if (entry.kind != LogEntry::Kind::event) continue;
            bytes += entry.text.size();
            if (records.size() == max_records || (!records.empty() && bytes > max_bytes)) return records;
            records.push_back({entry.position, std::move(entry.text)});
        }
    }
    return records;
}

std::unique_ptr<events::LogScan> BackupLog::scan(int partition, std::int64_t from) {
    return std::make_unique<FileScan>(log_file(directory_, partition), from);
}

events::Head BackupLog::head(int partition) {
    auto const& of = partitions_.at(static_cast<std::size_t>(partition));
    return {of.position, of.hash};
}

std::string to_line(LogEntry const& entry) {
    if (entry.kind == LogEntry::Kind::event) return entry.text;
    return core::to_json(ClaimLine{entry.epoch, entry.position, entry.text});
}

}  // namespace workforce::cli
