// Text of others as UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace workforce::core {

/// The text with each byte that is part of no UTF-8, and each NUL, replaced by U+FFFD: what PostgreSQL and JSON take.
std::string to_valid_utf8(std::string_view text);

}  // namespace workforce::core
