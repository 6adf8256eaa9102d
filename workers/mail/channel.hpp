// Ways by which mails leave: a mail server, or the operator's own gateway.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "core/config.hpp"
#include "core/time.hpp"
#include "workers/mail/mailer.hpp"

namespace workforce::workers {

/// What came of an attempt to send a mail.
enum class Sending : std::uint8_t {
    sent,
    refused,      ///< for good
    deferred,     ///< this mail does not leave now, or that is not known; others may
    unreachable,  ///< nothing leaves now
};

/// An attempt and why it came to nothing, in words that are no personal data.
struct MailAttempt {
    Sending result = Sending::sent;
    std::string why{};
};

/// A way by which mails leave. Not thread-safe.
class MailChannel {
   public:
    /// Longer than any attempt takes.
    static constexpr std::chrono::seconds kLongestAttempt{30};

    MailChannel() = default;
    MailChannel(MailChannel const&) = delete;
    MailChannel& operator=(MailChannel const&) = delete;
    virtual ~MailChannel() = default;

    /// Sends a mail that was written then. Blocks; ends early, as unreachable, once a stop is asked for, unless the
    /// other side may have taken the mail by then.
    virtual MailAttempt send(Mail const& mail, core::Timestamp written, std::stop_token const& stop) = 0;

    /// No mail follows for now: ends the connection that is kept for the next one.
    virtual void rest() = 0;
};

/// The channel that is configured; null: mails stay in the outbox. Errors: std::runtime_error with one line for the
/// operator, as for a secret that can't be read.
std::unique_ptr<MailChannel> open_channel(core::Config const& config);

}  // namespace workforce::workers
