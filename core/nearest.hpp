// Known names that are close to one that was mistyped.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace workforce::core {

/// "; did you mean a?", or "a or b?", with the known names nearest to `given` by letters to change; "" where none is
/// near. `shown` gives what stands there for a name; without it the name does.
std::string suggest(std::string_view given, std::span<std::string_view const> known,
                    std::string (*shown)(std::string_view name) = nullptr);

}  // namespace workforce::core
