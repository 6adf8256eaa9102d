// Signed heads to a file from time to time: what later proves that the log was not cut or rewritten.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "core/config.hpp"
#include "events/log/heads.hpp"
#include "events/log/log.hpp"

namespace workforce::workers {

/// A thread that appends every partition's signed head to the file `heads_file`, at once and then at each
/// `heads_interval_minutes`, for as long as the object lives; nothing without a file. Trouble is logged, and tried
/// again at the next time. The log outlives it.
class HeadExport {
   public:
    HeadExport(events::EventLog& log, core::Config const& config, std::string const& master_key);
    HeadExport(HeadExport const&) = delete;
    HeadExport& operator=(HeadExport const&) = delete;
    ~HeadExport();

   private:
    void run(std::string const& database_url, std::string const& master_key);

    events::EventLog& log_;
    std::string const file_;
    std::chrono::minutes const interval_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace workforce::workers
