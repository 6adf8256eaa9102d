// Mails to an SMTP server.
#pragma once

#include <optional>
#include <string>

#include "workers/mail/channel.hpp"
#include "workers/mail/transfer.hpp"

namespace workforce::workers {

/// A mail server, and who mails are from.
struct SmtpOptions {
    std::string url;   ///< as smtp_url of the configuration
    std::string from;  ///< plain address
    bool tls = true;   ///< nothing is said without it
    std::string user{};
    std::string password{};
    std::string ca_file{};
};

/// What an attempt came to. A server may refuse a recipient or a message for good (5xx) or for now (4xx); whatever else
/// it refuses, it would refuse of every mail. What ended without an answer to the message is deferred.
MailAttempt judge_smtp(Transfer::Result const& result);

/// One connection for the mails that follow one another.
class SmtpChannel final : public MailChannel {
   public:
    explicit SmtpChannel(SmtpOptions options) : options_(std::move(options)) {}

    /// As MailChannel. Errors: std::runtime_error when libcurl does not take a setting, std::bad_alloc.
    MailAttempt send(Mail const& mail, core::Timestamp written, std::stop_token const& stop) override;
    void rest() override { transfer_.reset(); }

   private:
    Transfer& transfer();

    SmtpOptions const options_;
    std::optional<Transfer> transfer_;
};

}  // namespace workforce::workers
