// Text as lists search and sort it: without regard to case.
#pragma once

#include <string>
#include <string_view>

namespace workforce::projections {

/// Case-folded and normalised (Unicode's NFKC case folding), so that texts that people take for equal are equal bytes.
/// Used on what is stored and on what is asked for. Text that is not UTF-8 is taken byte by byte, ASCII folded.
std::string fold_case(std::string_view text);

}  // namespace workforce::projections
