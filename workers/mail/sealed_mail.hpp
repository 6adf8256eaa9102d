// Mails as rows keep them: sealed under the keys of those whom they tell of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/keyring.hpp"
#include "workers/mail/mailer.hpp"

namespace workforce::workers {

/// What its rows are sealed for.
inline constexpr std::string_view kOutboxPlace = "ops.outbox";

/// The mail's text, sealed under its person's key; what it says under that of whom it is about, besides, where it is
/// about somebody. Nothing where one of them was erased. Errors: those of seal_for().
std::optional<std::string> seal_mail(events::Keyring& keyring, Mail const& mail);

/// The inverse. Nothing where one of them was erased since. Errors: those of open_for().
std::optional<MailText> open_mail(events::Keyring& keyring, std::string_view person, std::string_view sealed);

}  // namespace workforce::workers
