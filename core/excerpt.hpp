// Texts from outside, as far as an answer or a log line repeats them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace workforce::core {

/// The text, or, of one that has more than `most` bytes, its beginning and an ellipsis. UTF-8 is cut between its code
/// points.
std::string excerpt(std::string_view text, std::size_t most);

}  // namespace workforce::core
