// API keys as queries see them.
#pragma once

#include "events/api_key.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

using ApiKeyRows = ReadModel<events::ApiKey>;

/// read.api_key.
ApiKeyRows const& api_keys();

}  // namespace workforce::projections
