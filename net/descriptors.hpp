// File descriptors: how many connections this process can afford.
#pragma once

#include <cstddef>

#include "core/config.hpp"

namespace workforce::net {

/// Connections that a listener may take: `max_connections`, or fewer where the descriptors would run out.
/// Raises the process's limit of descriptors as far as it may.
std::size_t affordable_connections(core::Config const& config);

}  // namespace workforce::net
