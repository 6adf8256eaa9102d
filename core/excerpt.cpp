// Cutting UTF-8.
#include "core/excerpt.hpp"

namespace workforce::core {

std::string excerpt(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    auto end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)).append("\xe2\x80\xa6");
}

}  // namespace workforce::core
