// Mails to the operator's own gateway, by HTTP.
#pragma once

#include <optional>
#include <string>

#include "workers/mail/channel.hpp"
#include "workers/mail/transfer.hpp"

namespace workforce::workers {

/// A gateway, and the secret that it knows its sender by.
struct HttpOptions {
    std::string url;
    std::string secret;
    std::string ca_file{};
};

/// What an attempt came to: 2xx is sent, 400, 413 and 422 refuse this mail for good, and whatever else is the gateway's
/// trouble.
MailAttempt judge_http(Transfer::Result const& result);

/// Posts each mail as JSON, signed as webhooks are, under its id as idempotency key.
class HttpChannel final : public MailChannel {
   public:
    explicit HttpChannel(HttpOptions options) : options_(std::move(options)) {}

    /// As MailChannel. Errors: std::runtime_error when libcurl does not take a setting, std::bad_alloc.
    MailAttempt send(Mail const& mail, core::Timestamp written, std::stop_token const& stop) override;
    void rest() override { transfer_.reset(); }

   private:
    Transfer& transfer();

    HttpOptions const options_;
    std::optional<Transfer> transfer_;
};

}  // namespace workforce::workers
