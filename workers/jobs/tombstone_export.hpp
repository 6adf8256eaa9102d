// Tombstones to a file, within a second of what ends: what keeps a restore from reviving it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "core/config.hpp"
#include "core/session_pool.hpp"
#include "events/log/log.hpp"
#include "events/log/tombstones.hpp"

namespace workforce::workers {

/// What the database knows to have ended, as of now, with the log's positions of just before. The session's role is
/// workforce_projector or one that may do more. Blocks. Errors: pqxx's, events::LogUnavailable.
events::Tombstones load_tombstones(events::EventLog& log, core::Connection& connection);

/// A thread that keeps the file `tombstones_file` up with the database for as long as the object lives: looks each
/// second for what has ended, and appends what the file does not name yet; a line without names each
/// `heads_interval_minutes`, which says how late it was. Nothing without a file. It goes by what stands in the file:
/// processes may share one or have one each, and one that was moved away is begun anew, with all names. A file that is
/// not this installation's, or was changed, is left as it is. Trouble is logged, and tried again each second. The log
/// outlives it.
class TombstoneExport {
   public:
    TombstoneExport(events::EventLog& log, core::Config const& config, std::string const& master_key);
    TombstoneExport(TombstoneExport const&) = delete;
    TombstoneExport& operator=(TombstoneExport const&) = delete;
    ~TombstoneExport();

   private:
    using Clock = std::chrono::steady_clock;

    void run(std::string const& database_url, std::string const& master_key);
    /// Appends if something has ended since the last look, or the file is to say again that nothing has.
    void round(std::string const& database_url, std::string const& master_key);
    /// Whether something ended since the last call.
    bool look();

    events::EventLog& log_;
    std::string const file_;
    std::chrono::minutes const interval_;
    core::SessionPool sessions_;
    std::string looked_at_ = "-infinity";  // by the database's clock
    std::set<std::string> seen_;           // what had ended shortly before that
    Clock::time_point due_{};              // when a line has to be written whatever happens
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace workforce::workers
