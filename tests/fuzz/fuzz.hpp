// What fuzz targets share: a target defines fuzz(), and ends the process where a property does not hold.
#pragma once

#include <string_view>

namespace workforce::tests {

/// One run of a target. The input is libFuzzer's own block: reading past it is found. What the target throws is a
/// finding.
void fuzz(std::string_view input);

/// Aborts with the property's text, so that libFuzzer keeps the input, unless it holds.
void require(bool holds, std::string_view property);

/// Takes a byte off the front, 0 where there is none.
unsigned char take_byte(std::string_view& rest);

/// Takes the text up to the separator off the front, and the separator.
std::string_view take_until(std::string_view& rest, char separator);

/// Whether the text is UTF-8, as texts of ours are.
bool is_utf8(std::string_view text);

}  // namespace workforce::tests
