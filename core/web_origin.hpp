// Whose address a URL or a Host field is (RFC 6454 4, RFC 9110 7.2).
#pragma once

#include <string>
#include <string_view>

namespace workforce::core {

/// Host and port of an http or https URL in lower case, without the scheme's default port.
std::string authority_of(std::string_view url);

/// Scheme and authority of an http or https URL, as authority_of().
std::string origin_of(std::string_view url);

/// Whether a Host field names the server at the URL, whose authority_of() is given. Allocates nothing.
bool names_host(std::string_view host_field, std::string_view url, std::string_view authority);

}  // namespace workforce::core
