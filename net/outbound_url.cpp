// RFC 3986, less what two parsers may read in two ways.
#include "net/outbound_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "core/ascii.hpp"
#include "net/address_policy.hpp"

namespace workforce::net {
namespace {

constexpr std::size_t kMostUrlBytes = 2048;
constexpr std::size_t kMostHostBytes = 253;
constexpr std::size_t kMostLabelBytes = 63;

/// Ports at which no HTTP server listens, but what obeys lines of text, or what stands inside a network.
constexpr auto kForbiddenPorts = std::to_array<std::uint16_t>({0, 22, 25, 53, 110, 143, 445, 3306, 5432, 6379, 9092});

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kHostCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
constexpr std::string_view kUrlCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%";

bool consists_of(std::string_view text, std::string_view characters) {
    return text.find_first_not_of(characters) == std::string_view::npos;
}

/// Takes "<scheme>://" off the front, in either case.
bool take_scheme(std::string_view& rest, std::string_view scheme) {
    auto const size = scheme.size() + 3;
    if (core::ascii_lower(rest.substr(0, size)) != fmt::format("{}://", scheme)) return false;
    rest.remove_prefix(size);
    return true;
}

/// Whether resolvers may read the name as a number, by its last label: 127.1, 0x7f000001.
bool is_numeric(std::string_view host) {
    auto const last = host.substr(host.rfind('.') + 1);
    return consists_of(last, kDigits) || (last.starts_with("0x") && consists_of(last.substr(2), kHexDigits));
}

/// What is wrong with a name of the DNS, in lower case; nothing: it is one.
std::string fault_of_name(std::string_view host) {
    if (host.size() > kMostHostBytes || !consists_of(host, kHostCharacters)) return "has no valid host";
    for (std::size_t at = 0; at <= host.size();) {
        auto const label = host.substr(at, host.substr(at).find('.'));
        if (label.empty() || label.size() > kMostLabelBytes) return "has no valid host";
        if (label.front() == '-' || label.back() == '-') return "has no valid host";
        at += label.size() + 1;
    }
    return "";
}

std::string fault_of_literal(std::string const& host, bool bracketed, bool allow_insecure) {
    boost::system::error_code invalid;
    auto const address = boost::asio::ip::make_address(host, invalid);
    if (invalid || bracketed != address.is_v6() || host.find('%') != std::string::npos) return "has no valid host";
    auto const policy = allow_insecure ? AddressPolicy::public_or_loopback : AddressPolicy::public_only;
    return is_allowed(address, policy) ? "" : "must not name an address that is not public";
}

std::string fault_of_host(std::string const& host, bool bracketed, bool allow_insecure) {
    if (host.empty()) return "has no host";
    if (bracketed || is_numeric(host)) return fault_of_literal(host, bracketed, allow_insecure);
    bool const local = host == "localhost" || host.ends_with(".localhost");  // RFC 6761
    if (local && !allow_insecure) return "must not name an address that is not public";
    return fault_of_name(host);
}

struct HostAndPort {
    std::string host;
    bool bracketed = false;
    std::string_view port;  ///< empty: none was given
};

/// Nothing where what stands behind the host is no port.
std::optional<HostAndPort> split_authority(std::string_view authority) {
    HostAndPort parts;
    parts.bracketed = authority.starts_with('[');
    auto const end = parts.bracketed ? authority.find(']') : authority.find(':');
    if (parts.bracketed && end == std::string_view::npos) return std::nullopt;
    parts.host = parts.bracketed ? authority.substr(1, end - 1) : authority.substr(0, end);
    auto const behind = end == std::string_view::npos ? "" : authority.substr(end + (parts.bracketed ? 1 : 0));
    if (behind.empty()) return parts;
    if (behind.front() != ':') return std::nullopt;
    parts.port = behind.substr(1);
    return parts;
}

/// The port, or the scheme's where none was given; nothing for what is no number of one.
std::optional<std::uint16_t> port_of(std::string_view digits, bool tls) {
    if (digits.empty()) return tls ? 443 : 80;
    std::uint16_t port = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return port;
}

std::string authority_of(HostAndPort const& parts, std::uint16_t port, bool tls) {
    auto authority = parts.bracketed ? '[' + parts.host + ']' : parts.host;
    if (port != (tls ? 443 : 80)) authority += fmt::format(":{}", port);
    return authority;
}

std::string path_and_query(std::string_view rest) {
    if (rest.empty()) return "/";
    return rest.front() == '/' ? std::string(rest) : '/' + std::string(rest);
}

}  // namespace

tl::expected<OutboundUrl, std::string> parse_outbound_url(std::string_view text, bool allow_insecure) {
    auto const refuse = [](std::string fault) { return tl::unexpected(std::move(fault)); };
    if (text.size() > kMostUrlBytes) return refuse(fmt::format("must have at most {} bytes", kMostUrlBytes));
    if (!consists_of(text, kUrlCharacters)) {
        return refuse("must have no spaces, control characters or others that a URL encodes");
    }
    OutboundUrl url;
    url.tls = take_scheme(text, "https");
    if (!url.tls && !(allow_insecure && take_scheme(text, "http"))) return refuse("must be https");
    if (text.find('#') != std::string_view::npos) return refuse("must have no fragment");
    auto const end = std::min(text.find_first_of("/?"), text.size());
    auto const authority = text.substr(0, end);
    if (authority.find('@') != std::string_view::npos) return refuse("must have no user name or password");
    auto parts = split_authority(authority);
    if (!parts) return refuse("has no valid host");
    parts->host = core::ascii_lower(parts->host);
    if (auto fault = fault_of_host(parts->host, parts->bracketed, allow_insecure); !fault.empty()) {
        return refuse(std::move(fault));
    }
    auto const port = port_of(parts->port, url.tls);
    if (!port) return refuse("has no valid port");
    if (std::find(kForbiddenPorts.begin(), kForbiddenPorts.end(), *port) != kForbiddenPorts.end()) {
        return refuse(fmt::format("must not name port {}", *port));
    }
    url.host = parts->host;
    url.port = *port;
    url.authority = authority_of(*parts, *port, url.tls);
    url.target = path_and_query(text.substr(end));
    return url;
}

std::optional<OutboundUrl> parse_internal_url(std::string_view text) {
    if (!take_scheme(text, "http")) return std::nullopt;
    auto const parts = split_authority(text.substr(0, text.find('/')));
    if (!parts || parts->host.empty()) return std::nullopt;
    auto const port = port_of(parts->port, false);
    if (!port) return std::nullopt;
    return OutboundUrl{false, parts->host, *port, "/", authority_of(*parts, *port, false)};
}

std::optional<OutboundUrl> parse_operator_url(std::string_view text) {
    if (text.size() > kMostUrlBytes || !consists_of(text, kUrlCharacters)) return std::nullopt;
    bool const tls = take_scheme(text, "https");
    if (!tls && !take_scheme(text, "http")) return std::nullopt;
    auto const end = std::min(text.find_first_of("/?"), text.size());
    auto const authority = text.substr(0, end);
    auto const parts = split_authority(authority);
    bool const sound = parts && !parts->host.empty() && authority.find_first_of("@#") == std::string_view::npos;
    auto const port = sound ? port_of(parts->port, tls) : std::nullopt;
    if (!port) return std::nullopt;
    return OutboundUrl{tls, parts->host, *port, path_and_query(text.substr(end)), authority_of(*parts, *port, tls)};
}

}  // namespace workforce::net
