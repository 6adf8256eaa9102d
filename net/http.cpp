// The parts of an HTTP message that need more than a field access.
#include "net/http.hpp"

#include <algorithm>
#include <array>

namespace workforce::net {

namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool same_name(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view to_string(Method method) {
    static constexpr std::array<std::string_view, 8> kNames = {"GET",   "HEAD",   "POST",    "PUT",
                                                               "PATCH", "DELETE", "OPTIONS", ""};
    return kNames[static_cast<std::size_t>(method)];
}

std::optional<std::string_view> Request::header(std::string_view name) const {
    auto const found = std::ranges::find_if(headers, [&](Header const& h) { return same_name(h.first, name); });
    if (found == headers.end()) return std::nullopt;
    return found->second;
}

std::optional<std::string> Request::list(std::string_view name) const {
    std::optional<std::string> lines;
    for (auto const& [field, value] : headers) {
        if (!same_name(field, name)) continue;
        if (lines) {
            lines->append(", ").append(value);
        } else {
            lines = value;
        }
    }
    return lines;
}

std::string_view Request::path() const {
    std::string_view const whole = target;
    return whole.substr(0, whole.find('?'));
}

std::string_view Request::query() const {
    std::string_view const whole = target;
    auto const mark = whole.find('?');
    return mark == std::string_view::npos ? std::string_view() : whole.substr(mark + 1);
}

}  // namespace workforce::net
