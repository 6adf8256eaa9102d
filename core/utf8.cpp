// Replacement by utf8proc's decoder; case folding by utf8proc, with a short cut for ASCII.
#include "core/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

namespace workforce::core {

std::string to_valid_utf8(std::string_view text) {
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
    std::string valid;
    valid.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        utf8proc_int32_t code_point = 0;
        auto const* const begin = reinterpret_cast<utf8proc_uint8_t const*>(text.data()) + at;
        auto const size = utf8proc_iterate(begin, static_cast<utf8proc_ssize_t>(text.size() - at), &code_point);
        if (size < 1 || code_point == 0) {
            valid += kReplacement;
            ++at;
            continue;
        }
        valid.append(text.substr(at, static_cast<std::size_t>(size)));
        at += static_cast<std::size_t>(size);
    }
    return valid;
}

std::string fold_case(std::string_view text) {
    bool const ascii = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; });
    if (!ascii) {
        utf8proc_uint8_t* mapped = nullptr;
        auto const options = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD;
        auto const size =
            utf8proc_map(reinterpret_cast<utf8proc_uint8_t const*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()), &mapped, static_cast<utf8proc_option_t>(options));
        if (size >= 0) {
            std::string result(reinterpret_cast<char const*>(mapped), static_cast<std::size_t>(size));
            std::free(mapped);  // NOLINT(cppcoreguidelines-no-malloc): utf8proc allocates with malloc
            return result;
        }
    }
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

}  // namespace workforce::core
