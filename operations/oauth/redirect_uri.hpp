// Where a client may have its users sent back to (RFC 8252, RFC 9700 2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace workforce::operations {

/// Why a client can't be registered with the URI; nothing: it can. It is https, or http of this very machine, or of a
/// scheme of the client's own; it has no fragment and no user, and at most 2048 bytes. Pure.
std::optional<std::string> fault_of_redirect_uri(std::string const& uri);

/// Whether a request's URI is the one that was registered: to the letter, but for the port of this very machine
/// (RFC 8252 7.3). Pure.
bool is_same_redirect(std::string const& registered, std::string const& asked);

/// The URI with these parameters, which are encoded already, added to its query.
std::string with_query(std::string const& uri, std::string_view parameters);

/// The text as a parameter's value.
std::string form_encoded(std::string_view text);

/// What the URI's reader is shown of it: its host, and its port where it names one; of a scheme of the client's own
/// that.
std::string shown_host(std::string const& uri);
/// Whether it leads to a program on the machine where the browser runs. Pure.
bool is_on_this_machine(std::string const& uri);

/// The source by which a page's policy lets forms lead there: its origin; of a client's own scheme that.
std::string form_source(std::string const& uri);

}  // namespace workforce::operations
