// Case folding by utf8proc, with a short cut for ASCII.
#include "projections/engine/search_text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

namespace workforce::projections {

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

}  // namespace workforce::projections
