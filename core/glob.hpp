// Patterns of texts in which `*` stands for any text and `?` for any character.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace workforce::core {

/// Whether the whole text is of the pattern. All other characters stand for themselves; a character is one of UTF-8.
/// Takes no more steps than the pattern's length times the text's. Thread-safe.
bool matches_glob(std::string_view pattern, std::string_view text);

/// The same within so many steps, of which those that it took are taken away. Nothing where they do not suffice.
std::optional<bool> matches_glob(std::string_view pattern, std::string_view text, std::size_t& steps);

}  // namespace workforce::core
