// Cleaning and format checks of text from outside.
#include "core/text.hpp"

#include <utf8proc.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/ascii.hpp"
#include "core/currencies.hpp"

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

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// A name or an IPv4 address, and perhaps a port.
bool is_host(std::string_view text) {
    auto const name = text.substr(0, text.find(':'));
    bool const plain = std::all_of(name.begin(), name.end(),
                                   [](char c) { return is_alphanumeric(c) || c == '.' || c == '-' || c == '_'; });
    if (name.empty() || !plain) return false;
    if (name.size() == text.size()) return true;
    auto const port = text.substr(name.size() + 1);
    return !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Path, query and fragment as RFC 3986 has them; what a browser shows otherwise, it sends in these characters.
bool is_uri_tail(std::string_view text) {
    constexpr std::string_view kOfUris = "-._~:/?@!$&'()*+,;=";
    bool in_fragment = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
        } else if (text[i] == '#') {
            if (std::exchange(in_fragment, true)) return false;
        } else if (!is_alphanumeric(text[i]) && kOfUris.find(text[i]) == std::string_view::npos) {
            return false;
        }
    }
    return true;
}

bool has_control(std::string_view text, bool multiline) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const c = static_cast<unsigned char>(text[i]);
        bool const c1 = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (c1 || c == 0x7F || (c < 0x20 && !(multiline && (c == '\n' || c == '\t')))) {
            return true;
        }
    }
    return false;
}

/// Brings to NFC. False for what is no UTF-8.
bool compose(std::string& text) {
    if (is_ascii(text)) return true;
    utf8proc_uint8_t* normal = nullptr;
    auto const size =
        utf8proc_map(reinterpret_cast<utf8proc_uint8_t const*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &normal, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    if (size < 0) return false;
    text.assign(reinterpret_cast<char const*>(normal), static_cast<std::size_t>(size));
    std::free(normal);  // NOLINT(cppcoreguidelines-no-malloc): utf8proc allocates with malloc
    return true;
}

}  // namespace

std::optional<std::string> clean_text(std::string& text, bool multiline) {
    trim(text);
    if (has_control(text, multiline)) return "must not have control characters";
    return compose(text) ? std::nullopt : std::optional<std::string>("must be valid UTF-8");
}

bool is_typed(std::string& text) { return !has_control(text, false) && compose(text); }

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
    constexpr std::string_view kScheme = "https://";
    if (text.size() > 2048 || !text.starts_with(kScheme)) return false;
    text.remove_prefix(kScheme.size());
    auto const host = text.substr(0, text.find_first_of("/?#"));
    return is_host(host) && is_uri_tail(text.substr(host.size()));
}

bool is_currency(std::string_view text) { return std::ranges::binary_search(currency_codes(), text); }

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
