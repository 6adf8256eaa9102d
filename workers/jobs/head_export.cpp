// The thread behind the file of heads.
#include "workers/jobs/head_export.hpp"

#include "core/files.hpp"
#include "core/logging.hpp"
#include "events/log/installation.hpp"

namespace workforce::workers {

HeadExport::HeadExport(events::EventLog& log, core::Config const& config, std::string const& master_key)
    : log_(log), file_(config.heads_file), interval_(config.heads_interval_minutes) {
    if (file_.empty()) return;
    thread_ = std::thread([this, url = config.database_url, key = master_key] { run(url, key); });
}

HeadExport::~HeadExport() {
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void HeadExport::run(std::string const& database_url, std::string const& master_key) {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        lock.unlock();
        try {
            events::HeadSigner const signer(events::read_installation(database_url).name, master_key);
            core::append_to_file(file_, events::sign_heads(log_, signer));
        } catch (std::exception const& error) {
            core::log(core::Level::warn, "signed heads could not be written", {{"error", error.what()}});
        }
        lock.lock();
        wake_.wait_for(lock, interval_, [this] { return stopping_; });
    }
}

}  // namespace workforce::workers
