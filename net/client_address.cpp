// Forwarded (RFC 7239) and X-Forwarded-For.
#include "net/client_address.hpp"

#include <algorithm>
#include <utility>

namespace workforce::net {
namespace {

constexpr std::size_t kMostPortDigits = 5;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower_of(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// Whether the character may stand in a token (RFC 9110 5.6.2).
bool is_token_character(char c) {
    return is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
    return text;
}

/// Whether the text is a port: digits, or an obfuscated identifier (RFC 7239 6.2).
bool is_port(std::string_view text) {
    if (text.starts_with('_')) {
        return text.size() > 1 && std::ranges::all_of(text.substr(1), [](char c) {
                   return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
               });
    }
    return !text.empty() && text.size() <= kMostPortDigits && std::ranges::all_of(text, is_digit);
}

/// The address of a node (RFC 7239 6): an IPv4 address, or an IPv6 address in brackets, each with a port or without.
/// Nothing for any other text.
std::optional<core::IpAddress> address_of_node(std::string_view node) {
    if (node.starts_with('[')) {
        auto const end = node.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        auto const rest = node.substr(end + 1);
        bool const ended = rest.empty() || (rest.starts_with(':') && is_port(rest.substr(1)));
        auto const inner = node.substr(1, end - 1);
        bool const v6 = inner.find(':') != std::string_view::npos;
        return ended && v6 ? core::parse_ip_address(inner) : std::nullopt;
    }
    auto const colon = node.find(':');
    if (colon != std::string_view::npos && !is_port(node.substr(colon + 1))) return std::nullopt;
    return core::parse_ip_address(node.substr(0, colon));  // without a colon, it is IPv4 or none
}

/// The same of an X-Forwarded-For field, where an IPv6 address needs no brackets.
std::optional<core::IpAddress> address_of_item(std::string_view item) {
    if (auto const address = address_of_node(item)) return address;
    return core::parse_ip_address(item);
}

/// Reads a Forwarded field from the front. Not thread-safe.
class ForwardedReader {
   public:
    explicit ForwardedReader(std::string_view text) : rest_(text) {}

    /// The hops in the field's order; nothing where the text is malformed.
    std::optional<Hops> read() {
        Hops hops;
        for (;;) {
            skip_blanks();
            if (rest_.empty()) return hops;
            if (take(',')) continue;  // an empty element counts for nothing (RFC 9110 5.6.1)
            std::optional<core::IpAddress> hop;
            if (!read_element(hop)) return std::nullopt;
            hops.push_back(hop);
            if (!rest_.empty() && !take(',')) return std::nullopt;
        }
    }

   private:
    /// Takes the pairs of one element; whether they are well-formed. Blanks around ';' are no part of the grammar, and
    /// are sent.
    bool read_element(std::optional<core::IpAddress>& hop) {
        bool named = false;
        do {
            skip_blanks();
            if (rest_.empty() || rest_.front() == ';' || rest_.front() == ',') continue;  // a pair may be left out
            auto const name = read_token();
            if (name.empty() || !take('=')) return false;
            auto const value = read_value();
            if (!value) return false;
            skip_blanks();
            constexpr std::string_view kFor = "for";
            if (!std::ranges::equal(name, kFor, {}, lower_of)) continue;
            if (std::exchange(named, true)) return false;  // a parameter comes once
            hop = address_of_node(*value);
        } while (take(';'));
        return true;
    }

    std::string_view read_token() {
        auto const end = std::ranges::find_if_not(rest_, is_token_character);
        auto const token = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        rest_.remove_prefix(token.size());
        return token;
    }

    /// A token or what a quoted string holds; nothing where there is neither.
    std::optional<std::string> read_value() {
        if (!take('"')) {
            std::string token(read_token());
            return token.empty() ? std::nullopt : std::optional(std::move(token));
        }
        std::string text;
        while (!rest_.empty()) {
            char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '"') return text;
            if (c == '\\') {
                if (rest_.empty()) return std::nullopt;
                c = rest_.front();
                rest_.remove_prefix(1);
            }
            text += c;
        }
        return std::nullopt;
    }

    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void skip_blanks() {
        while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
    }

    std::string_view rest_;
};

/// Follows the hops from the peer outwards, as far as trusted proxies tell of them.
core::IpAddress follow(core::IpAddress const& peer, Hops const& hops, core::Networks const& proxies) {
    auto client = peer;
    for (auto const& hop : hops) {
        if (!hop) return client;
        client = *hop;
        if (!proxies.contains(client)) return client;
    }
    return client;
}

}  // namespace

std::optional<Hops> forwarded_hops(std::string_view field) {
    auto hops = ForwardedReader(field).read();
    if (!hops) return std::nullopt;
    std::ranges::reverse(*hops);
    hops->resize(std::min(hops->size(), kMostHops));
    return hops;
}

Hops forwarded_for_hops(std::string_view field) {
    Hops hops;
    while (!field.empty() && hops.size() < kMostHops) {
        auto const comma = field.rfind(',');
        auto const item = trimmed(comma == std::string_view::npos ? field : field.substr(comma + 1));
        field = comma == std::string_view::npos ? std::string_view() : field.substr(0, comma);
        if (!item.empty()) hops.push_back(address_of_item(item));
    }
    return hops;
}

std::string client_address(Request const& request, core::IpAddress const& peer, core::Networks const& proxies) {
    auto const forwarded = request.list("Forwarded");
    auto const forwarded_for = request.list("X-Forwarded-For");
    auto const hops = forwarded ? forwarded_hops(*forwarded) : std::nullopt;
    if (forwarded && !hops) return core::to_string(peer);
    auto client = peer;
    if (hops) client = follow(peer, *hops, proxies);
    if (forwarded_for) {
        auto const told = follow(peer, forwarded_for_hops(*forwarded_for), proxies);
        if (hops && told != client) return core::to_string(peer);
        client = told;
    }
    return core::to_string(client);
}

}  // namespace workforce::net
