// Replacement by utf8proc's decoder.
#include "core/utf8.hpp"

#include <utf8proc.h>

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

}  // namespace workforce::core
