// Text of others as UTF-8, and text without regard to case.
#pragma once

#include <string>
#include <string_view>

namespace workforce::core {

/// The text with each byte that is part of no UTF-8, and each NUL, replaced by U+FFFD: what PostgreSQL and JSON take.
std::string to_valid_utf8(std::string_view text);

/// Case-folded and normalised (Unicode's NFKC case folding), so that texts that people take for equal are equal bytes.
/// Used on what is stored and on what is asked for. Text that is not UTF-8 is taken byte by byte, ASCII folded.
std::string fold_case(std::string_view text);

}  // namespace workforce::core
