// Hosts and default ports. URLs of the configuration have their scheme in lower case.
#include "core/web_origin.hpp"

#include <algorithm>

#include "core/ascii.hpp"

namespace workforce::core {
namespace {

/// The port that the URL's scheme has anyway, with its colon.
std::string_view default_port(std::string_view url) { return url.starts_with("https:") ? ":443" : ":80"; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string authority_of(std::string_view url) {
    auto text = ascii_lower(url);
    auto const port = default_port(text);
    auto const scheme = text.find("://");
    if (scheme != std::string::npos) text.erase(0, scheme + 3);
    text.resize(std::min(text.find_first_of("/?#"), text.size()));
    if (text.ends_with(port)) text.resize(text.size() - port.size());
    return text;
}

std::string origin_of(std::string_view url) {
    return ascii_lower(url.substr(0, url.find("://"))) + "://" + authority_of(url);
}

bool names_host(std::string_view host_field, std::string_view url, std::string_view authority) {
    auto const port = default_port(url);
    if (host_field.size() == authority.size() + port.size() && host_field.ends_with(port)) {
        host_field.remove_suffix(port.size());
    }
    return std::ranges::equal(host_field, authority, {}, [](char c) { return lower(c); });
}

}  // namespace workforce::core
