// Mail that leaves the system: what is sent, and the channels there are.
#pragma once

#include <boost/describe/class.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"

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
    std::string about{};  ///< whose key seals what it says besides: "conversation/42"; empty: nobody's
};

/// A channel for mails. Thread-safe.
class Mailer {
   public:
    Mailer() = default;
    Mailer(Mailer const&) = delete;
    Mailer& operator=(Mailer const&) = delete;
    virtual ~Mailer() = default;

    /// Sends the mails, each once however often it is given, as far as the channel can tell. Returns the places of
    /// those that nobody gets, because the key of their person, or of what they are about, is gone. Blocks. Any
    /// exception: they were not sent, or that is not known; to be tried again.
    virtual std::vector<std::size_t> send(std::span<Mail const> mails) = 0;
};

}  // namespace workforce::workers
