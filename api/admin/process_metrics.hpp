// Metrics of the process as the operating system sees it, and of its build.
#pragma once

#include "core/metrics.hpp"

namespace workforce::api {

/// `process_…` under Prometheus' usual names, and `workforce_build_info`. `metrics` reads them when it is rendered.
void export_process(core::Metrics& metrics);

/// The sessions of every database pool of this process: open, used, and jobs that wait for one.
void export_sessions(core::Metrics& metrics);

}  // namespace workforce::api
