// What operations on apps work with.
#pragma once

#include "operations/provider_call.hpp"
#include "workers/apps/provider.hpp"

namespace workforce::operations {

/// Alive as long as any request.
struct AppServices {
    workers::AppProviders const& providers;
    KeysUnderWay under_way{};
};

}  // namespace workforce::operations
