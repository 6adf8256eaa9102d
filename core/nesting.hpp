// How deep JSON lies within itself.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/any_json.hpp"

namespace workforce::core {

/// Levels that parse_json() reads, and so all that an event or a document may have.
inline constexpr std::size_t kMostParsedNesting = 32;

/// Levels that a tool's result may have: what an app gives (kMostNesting) lies within its answer.
inline constexpr std::size_t kMostResultNesting = kMostNesting + 2;

/// Whether arrays and objects of the text, which is JSON, lie within one another for more than so many levels. Builds
/// nothing: what is deeper than parse_json() takes must not get into an event or a document.
bool is_nested_deeper(std::string_view json, std::size_t levels);

}  // namespace workforce::core
