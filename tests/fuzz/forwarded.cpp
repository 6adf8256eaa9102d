// What proxies tell of a client: an address comes out, whatever a client sends before the proxies add theirs.
#include <string>

#include "net/client_address.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace workforce::tests {
namespace {

core::Networks const& proxies() {
    static auto const networks = core::Networks::parse("10.0.0.0/8, 2001:db8:1::/48").value();
    return networks;
}
core::IpAddress const& peer() {
    static auto const address = core::parse_ip_address("10.0.0.1").value();
    return address;
}

std::string client_of(std::vector<net::Header> headers) {
    net::Request request;
    request.headers = std::move(headers);
    auto client = net::client_address(request, peer(), proxies());
    auto const address = core::parse_ip_address(client);
    require(address && core::to_string(*address) == client, "a client has an address in its one spelling");
    return client;
}

}  // namespace

void fuzz(std::string_view input) {
    std::string const sent(input);
    auto const hops = net::forwarded_hops(sent);
    require(!hops || hops->size() <= net::kMostHops, "a request has so many hops at most");
    require(net::forwarded_for_hops(sent).size() <= net::kMostHops, "a request has so many hops at most");
    (void)client_of({{"Forwarded", sent}, {"X-Forwarded-For", sent}});

    auto const by_list = client_of({{"X-Forwarded-For", sent}, {"X-Forwarded-For", "192.0.2.1"}});
    require(by_list == "192.0.2.1", "what a client sends stands before what the proxy adds");
    auto const by_pairs = client_of({{"Forwarded", sent}, {"Forwarded", "for=192.0.2.1"}});
    require(by_pairs == (hops ? "192.0.2.1" : "10.0.0.1"), "and at most hides who it is");
    auto const contradicted = client_of({{"Forwarded", sent}, {"X-Forwarded-For", "192.0.2.1"}});
    require(contradicted == "192.0.2.1" || contradicted == "10.0.0.1",
            "a field that no proxy adds to names nobody else");
}

}  // namespace workforce::tests
