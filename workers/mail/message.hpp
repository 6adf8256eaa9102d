// A mail as text of RFC 5322 with MIME.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/time.hpp"
#include "workers/mail/mailer.hpp"

namespace workforce::workers {

/// The message that an SMTP server is given: the same on each attempt, with a Message-ID that follows from the mail's
/// id. `from` is a plain address. Lines end with CRLF, and are not dot-stuffed. Nothing when the address is none that a
/// header can hold, or the subject has control characters.
std::optional<std::string> compose(Mail const& mail, std::string_view from, core::Timestamp written);

/// The domain of a plain address.
std::string_view domain_of(std::string_view address);

}  // namespace workforce::workers
