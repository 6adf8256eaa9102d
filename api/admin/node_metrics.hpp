// What a process tells of its partitions, projections and reactors in /metrics.
#pragma once

#include "core/metrics.hpp"
#include "projections/engine/progress.hpp"
#include "workers/engine/standing.hpp"
#include "workers/runtime.hpp"

namespace workforce::api {

/// Gauges that are read when metrics are asked for. All of it stays alive as long as they may be.
void export_metrics(core::Metrics& metrics, workers::Runtime& runtime, projections::Progress& progress,
                    workers::ReactorWatch const& reactors);

}  // namespace workforce::api
