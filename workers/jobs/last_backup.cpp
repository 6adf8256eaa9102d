// A row among those of jobs, whose moment is in the past.
#include "workers/jobs/last_backup.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kRecordBackup{"backup_record",
                                        "INSERT INTO ops.job (name, led_until) VALUES ('backup', now())"
                                        " ON CONFLICT (name) DO UPDATE SET led_until = excluded.led_until"};
constexpr core::Statement kLastBackup{
    "backup_last", "SELECT (extract(epoch FROM led_until) * 1000)::bigint FROM ops.job WHERE name = 'backup'"};

}  // namespace

void record_backup(core::Connection& connection) { connection.execute(kRecordBackup); }

boost::asio::awaitable<void> LastBackup::look(core::Database& writes) {
    ms_ = co_await writes.run([](core::Connection& connection) {
        auto const found = connection.execute(kLastBackup);
        return found.empty() ? std::int64_t{0} : core::read<std::int64_t>(found[0][0]);
    });
    looked_ = true;
}

std::optional<core::Timestamp> LastBackup::at() const {
    auto const ms = ms_.load();
    return ms == 0 ? std::nullopt : std::optional(core::Timestamp{ms});
}

}  // namespace workforce::workers
