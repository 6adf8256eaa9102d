// The file of heads.
#include "workers/jobs/head_export.hpp"

#include "core/files.hpp"
#include "events/log/heads.hpp"
#include "events/log/installation.hpp"

namespace workforce::workers {

void export_heads(events::EventLog& log, core::Config const& config, events::MasterKeys const& keys) {
    events::HeadSigner const signer(events::read_installation(config.database_url).name, keys.in_use());
    core::append_to_file(config.heads_file, events::sign_heads(log, signer));
}

}  // namespace workforce::workers
