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

/// The text without the blanks, tabs and line breaks around it; a view of it.
constexpr std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    auto const begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace workforce::core
