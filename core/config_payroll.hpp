// Rules of the settings that say who pays payroll runs.
#pragma once

#include <string>

#include "core/config.hpp"

namespace workforce::core {

/// What is wrong with settings of payroll that are good each on its own, in one line, or "".
std::string payroll_fault(Config const& config);

}  // namespace workforce::core
