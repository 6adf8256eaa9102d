// URLs of customers: what is taken is clean, names no private address in any spelling, and reads the same again.
#include "net/outbound_url.hpp"

#include <arpa/inet.h>

#include <boost/asio/ip/address.hpp>
#include <string>

#include "net/address_policy.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

void require_safe(net::OutboundUrl const& url, bool allow_insecure) {
    require(url.tls || allow_insecure, "plain HTTP is for developers");
    require(!url.host.empty() && url.host.size() <= 253, "there is a host");
    require(url.target.front() == '/', "a target is a path");
    require(url.authority.find_first_of("/?#@\\") == std::string::npos, "an authority is host and port");
    for (auto const& text : {url.host, url.authority, url.target}) {
        for (unsigned char const c : text) require(c > 0x20 && c < 0x7f, "no line ends within a request");
    }
    require(url.target.find('#') == std::string::npos, "a target has no fragment");
    for (int const port : {0, 22, 25, 53, 110, 143, 445, 3306, 5432, 6379, 9092}) {
        require(url.port != port, "no port of another service");
    }
    boost::system::error_code no_literal;
    auto const address = boost::asio::ip::make_address(url.host, no_literal);
    auto const policy = allow_insecure ? net::AddressPolicy::public_or_loopback : net::AddressPolicy::public_only;
    require(no_literal || net::is_allowed(address, policy), "an address is allowed");
    ::in_addr number{};
    require(!no_literal || ::inet_aton(url.host.c_str(), &number) == 0, "no resolver reads a name as a number");
}

}  // namespace

void fuzz(std::string_view input) {
    bool const allow_insecure = take_byte(input) % 2 == 1;
    (void)net::parse_internal_url(input);
    (void)net::parse_operator_url(input);
    auto const url = net::parse_outbound_url(input, allow_insecure);
    require(url || !url.error().empty(), "a refusal says why");
    if (!url) return;
    require_safe(*url, allow_insecure);
    auto const written = (url->tls ? "https://" : "http://") + url->authority + url->target;
    if (written.size() > 2048) return;  // a path was added to the longest there may be
    auto const again = net::parse_outbound_url(written, allow_insecure);
    require(again && again->tls == url->tls && again->host == url->host && again->port == url->port &&
                again->target == url->target && again->authority == url->authority,
            "what is written reads the same");
}

}  // namespace workforce::tests
