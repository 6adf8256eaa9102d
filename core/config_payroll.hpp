// Rules of the settings that say who pays payroll runs.
#pragma once

#include <string>
#include <string_view>

#include "core/config.hpp"

namespace workforce::core {

// Each gives what is wrong, in one line, or "".

/// https://, or http:// of this machine: what is paid to whom does not cross a network in clear. A path may follow.
std::string payroll_url_fault(std::string_view text);
/// What is wrong with settings of payroll that are good each on its own.
std::string payroll_fault(Config const& config);

}  // namespace workforce::core
