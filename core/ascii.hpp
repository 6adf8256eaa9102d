// Case of ASCII text, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace workforce::core {

/// The text with A–Z in lower case; all other bytes as they are.
inline std::string ascii_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

}  // namespace workforce::core
