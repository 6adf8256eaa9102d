// Tombstones to a file, within a second of what ends: what keeps a restore from reviving it.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "core/config.hpp"
#include "core/session_pool.hpp"
#include "events/log/log.hpp"
#include "events/log/tombstones.hpp"
#include "events/master_keys.hpp"

namespace workforce::workers {

/// What the database knows to have ended, as of now, with the log's positions of just before. The session's role is
/// workforce_projector or one that may do more. Blocks. Errors: pqxx's, events::LogUnavailable.
events::Tombstones load_tombstones(events::EventLog& log, core::Connection& connection);

/// Keeps the file `tombstones_file` up with the database, a round each second: appends what has ended and the file does
/// not name yet; a line without names each `heads_interval_minutes`, which says how late it was. It goes by what stands
/// in the file: processes may share one or have one each, and one that was moved away is begun anew, with all names. A
/// file that is not this installation's, or was changed, is left as it is. Used by one thread at a time.
class TombstoneExport {
   public:
    /// The log outlives it.
    TombstoneExport(events::EventLog& log, core::Config const& config, events::MasterKeys keys);

    /// Appends if something has ended since the last look, or the file is to say again that nothing has. Blocks. After
    /// an exception the next round does what this one had to.
    void round();

   private:
    using Clock = std::chrono::steady_clock;

    /// Whether something ended since the last call.
    bool look();

    events::EventLog& log_;
    std::string const database_url_;
    events::MasterKeys const keys_;
    std::string const file_;
    std::chrono::minutes const interval_;
    core::SessionPool sessions_;
    std::string looked_at_ = "-infinity";  // by the database's clock
    std::set<std::string> seen_;           // what had ended shortly before that
    Clock::time_point due_{};              // when a line has to be written whatever happens
};

}  // namespace workforce::workers
