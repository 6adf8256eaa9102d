// The file of tombstones.
#include "workers/jobs/tombstone_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "core/files.hpp"
#include "events/log/installation.hpp"
#include "workers/jobs/due_job.hpp"

namespace workforce::workers {
namespace {

constexpr core::Statement kPersons{"tombstones_persons",
                                   "SELECT person FROM vault.person_key"
                                   " WHERE destroyed_at IS NOT NULL AND person NOT LIKE 'organization/%'"};
constexpr core::Statement kKeys{"tombstones_keys",
                                "SELECT key_id FROM auth.api_key_secret WHERE revoked_at IS NOT NULL"};
// With an overlap, for a row may become visible some time after the moment that it bears.
constexpr core::Statement kLate{"tombstones_late", R"(
SELECT now()::text, t.name FROM (SELECT) AS once LEFT JOIN (
    SELECT person AS name FROM vault.person_key
    WHERE destroyed_at > $1::timestamptz - interval '30 s' AND person NOT LIKE 'organization/%'
    UNION ALL
    SELECT key_id::text FROM auth.api_key_secret WHERE revoked_at > $1::timestamptz - interval '30 s'
) AS t ON true)"};

core::ConnectionOptions session_options(core::Config const& config) {
    core::ConnectionOptions session;
    session.url = config.database_url;
    session.application_name = "workforce reactors";
    return due_session(std::move(session));
}

}  // namespace

events::Tombstones load_tombstones(events::EventLog& log, core::Connection& connection) {
    events::Tombstones all;
    for (int partition = 0; partition < log.partitions(); ++partition) {
        all.positions.push_back(log.head(partition).position);
    }
    all.time = core::now();
    for (auto const& row : connection.execute(kPersons)) all.persons.insert(core::read<std::string>(row[0]));
    for (auto const& row : connection.execute(kKeys)) all.keys.insert(core::read<core::Id>(row[0]));
    return all;
}

TombstoneExport::TombstoneExport(events::EventLog& log, core::Config const& config, events::MasterKeys keys)
    : log_(log),
      database_url_(config.database_url),
      keys_(std::move(keys)),
      file_(config.tombstones_file),
      interval_(config.heads_interval_minutes),
      sessions_(session_options(config), 1, core::SessionPurpose::job) {}

void TombstoneExport::round() {
    if (!look() && Clock::now() < due_) return;
    due_ = {};  // until it is written
    events::HeadSigner const signer(events::read_installation(database_url_).name, keys_.in_use());
    auto const all = sessions_.run([&](core::Connection& connection) { return load_tombstones(log_, connection); });
    // What is no file, a pipe to some other place, can't be read back: it gets all names each time.
    auto const text = std::filesystem::is_regular_file(file_) ? core::read_file(file_) : std::string();
    auto const named = events::read_tombstones(text, signer.installation(), keys_.public_keys());
    if (!named) throw std::runtime_error(fmt::format("{}: {}", file_, named.error()));
    core::append_to_file(file_, events::sign_tombstones(all, *named, signer));
    due_ = Clock::now() + interval_;
}

bool TombstoneExport::look() {
    std::set<std::string> names;
    sessions_.run([&](core::Connection& connection) {
        for (auto const& row : connection.execute(kLate, looked_at_)) {
            looked_at_ = core::read<std::string>(row[0]);
            if (!row[1].is_null()) names.insert(core::read<std::string>(row[1]));
        }
    });
    bool const news = !std::includes(seen_.begin(), seen_.end(), names.begin(), names.end());
    seen_ = std::move(names);
    return news;
}

}  // namespace workforce::workers
