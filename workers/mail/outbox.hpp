// The outbox: the channel of an installation without a mail server. Mails stay in it, for people to look at.
#pragma once

#include <vector>

#include "core/session_pool.hpp"
#include "core/time.hpp"
#include "workers/mail/mailer.hpp"

namespace workforce::workers {

/// Keeps mails as rows, sealed under the keys of their persons. Thread-safe.
class Outbox final : public Mailer {
   public:
    /// The sessions are of role workforce_writer; they and the keyring outlive it.
    Outbox(core::SessionPool& sessions, events::Keyring& keyring) : sessions_(sessions), keyring_(keyring) {}

    /// As Mailer; a mail to a person who was erased is dropped. Errors: core::DatabaseUnavailable.
    void send(Mail const& mail) override;

   private:
    core::SessionPool& sessions_;
    events::Keyring& keyring_;
};

/// A mail of the outbox.
struct OutboxMail {
    std::string id;
    core::Timestamp at;
    core::Id organization = 0;
    std::string person;
    std::optional<MailText> text{};  ///< nothing once the person was erased
};

/// The newest mails of the outbox, at most so many, newest first. The session's role is workforce_writer. Blocks.
/// Errors: pqxx's; those of open_for().
std::vector<OutboxMail> list_outbox(core::Connection& connection, events::Keyring& keyring, int limit);

}  // namespace workforce::workers
