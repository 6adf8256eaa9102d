// Only the last `*` that was met is ever tried again: what an earlier one could take more, the last one can take too.
#include "core/glob.hpp"

#include <cstddef>
#include <limits>

namespace workforce::core {
namespace {

/// Where the character after the one at `at` begins.
std::size_t next_character(std::string_view text, std::size_t at) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80);
    return at;
}

}  // namespace

std::optional<bool> matches_glob(std::string_view pattern, std::string_view text, std::size_t& steps) {
    constexpr auto kNone = std::string_view::npos;
    std::size_t at = 0;
    std::size_t in_pattern = 0;
    std::size_t star = kNone;  // where the pattern goes on after its last `*`
    std::size_t taken = 0;     // up to where that one takes the text
    while (at < text.size()) {
        if (steps == 0) return std::nullopt;
        --steps;
        bool const left = in_pattern < pattern.size();
        if (left && pattern[in_pattern] == '*') {
            star = ++in_pattern;
            taken = at;
        } else if (left && pattern[in_pattern] == '?') {
            ++in_pattern;
            at = next_character(text, at);
        } else if (left && pattern[in_pattern] == text[at]) {
            ++in_pattern;
            ++at;
        } else if (star != kNone) {
            in_pattern = star;
            at = taken = next_character(text, taken);
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', in_pattern) == kNone;
}

bool matches_glob(std::string_view pattern, std::string_view text) {
    auto steps = std::numeric_limits<std::size_t>::max();
    return *matches_glob(pattern, text, steps);
}

}  // namespace workforce::core
