// Rules of the settings that say which meter hears of billed outcomes.
#pragma once

#include <string>

#include "core/config.hpp"

namespace workforce::core {

/// What is wrong with settings of billing that are good each on its own, in one line, or "".
std::string billing_fault(Config const& config);

}  // namespace workforce::core
