// Mail that leaves the system: what is sent, and the channels there are.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/text.hpp"
#include "events/keyring.hpp"

namespace workforce::workers {

/// What a mail says, and to whom. All of it is personal.
struct MailText {
    std::string to;  ///< address
    std::string subject;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(MailText, (), (to, subject, text))

/// A mail to one person.
struct Mail {
    std::string id;  ///< a UUID derived from its cause: the same one again is the same mail
    core::Id organization = 0;
    std::string person;  ///< whose key seals it wherever it is kept: "staff/42"
    MailText text;
};

/// A channel for mails. Thread-safe.
class Mailer {
   public:
    Mailer() = default;
    Mailer(Mailer const&) = delete;
    Mailer& operator=(Mailer const&) = delete;
    virtual ~Mailer() = default;

    /// Sends the mails, each once however often it is given, as far as the channel can tell. Blocks. Any exception:
    /// they were not sent, or that is not known; to be tried again.
    virtual void send(std::span<Mail const> mails) = 0;
};

/// JSON sealed under the person's key, for a column; nothing when the person was erased. `place` names the column,
/// which is authenticated with the person: what was sealed for one opens in no other. Errors: those of
/// Keyring::key_to_open.
std::optional<std::string> seal_for(events::Keyring& keyring, std::string_view person, std::string_view place,
                                    std::string_view json);
/// The inverse. Errors: further, std::runtime_error when it does not open though the person has a key.
std::optional<std::string> open_for(events::Keyring& keyring, std::string_view person, std::string_view place,
                                    std::string_view sealed);

}  // namespace workforce::workers
