// A scanner of the leading, flat part of a body.
#include "events/attributes.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <charconv>
#include <concepts>

namespace workforce::events {
namespace {

constexpr std::string_view kData = R"(,"data":)";
constexpr std::size_t kHashDigits = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes texts off the end of a text; once one does not fit, `fits` stays false.
struct Backwards {
    std::string_view rest;
    bool fits = true;

    void literal(std::string_view text) {
        fits = fits && rest.ends_with(text);
        if (fits) rest.remove_suffix(text.size());
    }
    template <std::integral T>
    T number(std::size_t most_digits) {
        std::size_t digits = 0;
        while (digits < rest.size() && is_digit(rest[rest.size() - 1 - digits])) ++digits;
        fits = fits && digits > 0 && digits <= most_digits;
        if (!fits) return 0;
        T value = 0;
        auto const text = rest.substr(rest.size() - digits);
        std::from_chars(text.data(), text.data() + text.size(), value);
        rest.remove_suffix(digits);
        return value;
    }
    std::string_view hash() {
        fits = fits && rest.size() >= kHashDigits;
        if (!fits) return {};
        auto const text = rest.substr(rest.size() - kHashDigits);
        fits = std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
        if (fits) rest.remove_suffix(kHashDigits);
        return text;
    }
};

/// Takes `"…"` off the front: what stands between the quotes, or nothing.
std::optional<std::string_view> take_string(std::string_view& rest) {
    if (!rest.starts_with('"')) return std::nullopt;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (static_cast<unsigned char>(rest[i]) < 0x20) return std::nullopt;
        if (rest[i] == '\\') {
            ++i;
        } else if (rest[i] == '"') {
            auto const text = rest.substr(1, i - 1);
            rest.remove_prefix(i + 1);
            return text;
        }
    }
    return std::nullopt;
}

/// Takes an integer or a truth value off the front, or nothing.
std::optional<std::string_view> take_literal(std::string_view& rest) {
    auto const length = std::min(rest.find_first_of(",}"), rest.size());
    auto const text = rest.substr(0, length);
    auto const digits = text.substr(text.starts_with('-') ? 1 : 0);
    bool const number = !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
    if (!number && text != "true" && text != "false") return std::nullopt;
    rest.remove_prefix(length);
    return text;
}

bool is_name(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); });
}

}  // namespace

std::optional<Standing> standing_of(std::string_view body) {
    auto const data = body.find(kData);
    if (data == std::string_view::npos) return std::nullopt;
    Backwards text{body.substr(0, data)};
    Standing standing;
    standing.command_count = text.number<std::int32_t>(9);
    text.literal(R"(,"cmdcount":)");
    standing.command_index = text.number<std::int32_t>(9);
    text.literal(R"(","cmdindex":)");
    standing.previous_hash = text.hash();
    text.literal(R"(","prevhash":")");
    standing.position = text.number<std::int64_t>(18);
    text.literal(R"(","position":")");
    standing.epoch = text.number<std::int64_t>(18);
    text.literal(R"("epoch":")");
    if (!text.fits) return std::nullopt;
    return standing;
}

std::string Attribute::value() const {
    if (!text || raw.find('\\') == std::string_view::npos) return std::string(raw);
    // Escapes are rare: only what people wrote has them.
    std::string quoted = "\"";
    quoted.append(raw).push_back('"');
    rapidjson::Document document;
    document.Parse(quoted.data(), quoted.size());
    if (document.HasParseError() || !document.IsString()) return std::string(raw);
    return {document.GetString(), document.GetStringLength()};
}

AttributeWalk::AttributeWalk(std::string_view body) : rest_(body) { damaged_ = !body.starts_with('{'); }

std::optional<Attribute> AttributeWalk::stop(bool damaged) {
    damaged_ = damaged_ || damaged;
    rest_ = {};
    return std::nullopt;
}

std::optional<Attribute> AttributeWalk::next() {
    if (damaged_ || rest_.empty()) return std::nullopt;
    if (rest_.front() == '}') return stop(rest_.size() > 1);
    rest_.remove_prefix(1);  // the brace, or the comma
    auto const name = take_string(rest_);
    if (!name || !is_name(*name) || !rest_.starts_with(':')) return stop(true);
    if (*name == "data") return stop(false);
    rest_.remove_prefix(1);
    bool const text = rest_.starts_with('"');
    auto const raw = text ? take_string(rest_) : take_literal(rest_);
    if (!raw || (!rest_.starts_with(',') && !rest_.starts_with('}'))) return stop(true);
    return Attribute{*name, *raw, text};
}

std::optional<std::string> attribute(std::string_view body, std::string_view name) {
    AttributeWalk attributes(body);
    while (auto const found = attributes.next()) {
        if (found->name == name) return found->value();
    }
    return std::nullopt;
}

}  // namespace workforce::events
