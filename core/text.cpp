// Cleaning and format checks of text from outside.
#include "core/text.hpp"

#include <utf8proc.h>
#include <algorithm>
#include <array>
#include <charconv>

#include "core/ascii.hpp"

namespace workforce::core {
namespace {

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; });
}

void trim(std::string& text) {
    auto const space = [](unsigned char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    auto const begin = std::find_if_not(text.begin(), text.end(), space);
    auto const end = std::find_if_not(text.rbegin(), std::make_reverse_iterator(begin), space).base();
    if (begin != text.begin() || end != text.end()) text = std::string(begin, end);
}

}  // namespace

std::optional<std::string> clean_text(std::string& text, bool multiline) {
    trim(text);
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const c = static_cast<unsigned char>(text[i]);
        bool const c1 = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (c1 || c == 0x7F || (c < 0x20 && !(multiline && (c == '\n' || c == '\t')))) {
            return "must not have control characters";
        }
    }
    if (is_ascii(text)) return std::nullopt;
    utf8proc_uint8_t* normal = nullptr;
    auto const size =
        utf8proc_map(reinterpret_cast<utf8proc_uint8_t const*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &normal, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    if (size < 0) return "must be valid UTF-8";
    text.assign(reinterpret_cast<char const*>(normal), static_cast<std::size_t>(size));
    std::free(normal);  // NOLINT(cppcoreguidelines-no-malloc): utf8proc allocates with malloc
    return std::nullopt;
}

std::size_t count_code_points(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

bool is_email(std::string_view text) {
    if (text.size() > 254) return false;
    auto const at = text.find('@');
    if (at == std::string_view::npos || at == 0 || at > 64 || text.find('@', at + 1) != std::string_view::npos)
        return false;
    auto const domain = text.substr(at + 1);
    auto const dot = domain.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == domain.size() || domain.front() == '.' ||
        domain.find("..") != std::string_view::npos) {
        return false;
    }
    return std::none_of(text.begin(), text.end(), [](unsigned char c) {
        return c <= 0x20 || c == '<' || c == '>' || c == '(' || c == ')' || c == ',' || c == ';' || c == '"' ||
               c == '\\';
    });
}

bool is_phone(std::string_view text) {
    return text.size() <= 32 && text.find_first_not_of("+0123456789 ().x-") == std::string_view::npos;
}

bool is_https_url(std::string_view text) {
    if (text.size() > 2048 || !text.starts_with("https://")) return false;
    auto const host = text.substr(8, text.find_first_of("/?#", 8) - 8);
    if (host.empty() || host.find('@') != std::string_view::npos) return false;
    return std::none_of(text.begin(), text.end(),
                        [](unsigned char c) { return c <= 0x20 || c == '"' || c == '<' || c == '>'; });
}

bool is_currency(std::string_view text) {
    return text.size() == 3 && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

void EmailPolicy::normalise(std::string& text) { text = ascii_lower(text); }

std::string format_hundredths(std::int64_t hundredths) {
    std::array<char, 32> buffer{};
    char* out = buffer.data();
    bool const negative = hundredths < 0;
    if (negative) *out++ = '-';
    auto const magnitude =
        negative ? 0 - static_cast<std::uint64_t>(hundredths) : static_cast<std::uint64_t>(hundredths);
    out = std::to_chars(out, buffer.data() + buffer.size(), magnitude / 100).ptr;
    if (auto const rest = magnitude % 100; rest != 0) {
        *out++ = '.';
        *out++ = static_cast<char>('0' + rest / 10);
        if (rest % 10 != 0) *out++ = static_cast<char>('0' + rest % 10);
    }
    return {buffer.data(), out};
}

}  // namespace workforce::core
