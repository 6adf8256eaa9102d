// The currencies that there are.
#pragma once

#include <span>
#include <string_view>

namespace workforce::core {

/// The alphabetic codes of ISO 4217, in order.
std::span<std::string_view const> currency_codes();

}  // namespace workforce::core
