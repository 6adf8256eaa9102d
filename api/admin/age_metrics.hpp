// How old the newest proofs and backups of the installation are, in /metrics.
#pragma once

#include "core/config.hpp"
#include "core/metrics.hpp"
#include "workers/jobs/last_backup.hpp"

namespace workforce::api {

/// Ages in seconds, infinite where there is none: of the newest lines of `heads_file` and `tombstones_file`, where they
/// are configured, and of the last backup. All of it stays alive as long as metrics may be rendered.
void export_ages(core::Metrics& metrics, core::Config const& config, workers::LastBackup const& backup);

}  // namespace workforce::api
