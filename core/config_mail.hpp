// Rules of the settings that say how mails leave.
#pragma once

#include <string>
#include <string_view>

#include "core/config.hpp"

namespace workforce::core {

// Each gives what is wrong, in one line, or "".

/// A plain address: ASCII, without a name.
std::string mail_from_fault(std::string_view text);
/// smtp:// or smtps://, a host, and maybe a port.
std::string smtp_url_fault(std::string_view text);
/// What is wrong with settings of mail that are good each on its own.
std::string mail_fault(Config const& config);

/// What smtp_tls is where nothing is said: "none" for a server of this machine that TLS does not come first at, else
/// "required".
std::string default_smtp_tls(Config const& config);

}  // namespace workforce::core
