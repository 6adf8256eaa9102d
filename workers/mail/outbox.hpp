// The outbox: where every mail is written. With a channel it leaves from there; without one it stays, for people to
// look at.
#pragma once

#include <boost/describe/enum.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/session_pool.hpp"
#include "core/time.hpp"
#include "events/keyring.hpp"
#include "workers/mail/mailer.hpp"

namespace workforce::workers {

/// What becomes of a mail.
enum class MailState : std::uint8_t {
    kept,     ///< it stays: no channel was configured when it was written
    waiting,  ///< it is to leave
    sent,     ///< and its text is gone
    dropped,  ///< nobody tries it any more
};
BOOST_DESCRIBE_ENUM(MailState, kept, waiting, sent, dropped)

/// Keeps mails as rows, sealed under the keys of their persons. Thread-safe.
class Outbox final : public Mailer {
   public:
    /// The sessions are of role workforce_writer; they and the keyring outlive it. `leaves`: whether a channel is
    /// configured.
    Outbox(core::SessionPool& sessions, events::Keyring& keyring, bool leaves = false)
        : sessions_(sessions), keyring_(keyring), leaves_(leaves) {}

    /// As Mailer, by one statement; a mail to a person who was erased, or about one, is dropped. Errors:
    /// core::DatabaseUnavailable; those of seal_mail().
    std::vector<std::size_t> send(std::span<Mail const> mails) override;

   private:
    core::SessionPool& sessions_;
    events::Keyring& keyring_;
    bool const leaves_;
};

/// A mail of the outbox.
struct OutboxMail {
    std::string id;
    core::Timestamp at;
    core::Id organization = 0;
    std::string person;
    MailState state = MailState::kept;
    int attempts = 0;
    std::string last_error{};
    std::optional<MailText> text{};  ///< nothing once it was sent, or somebody whom it tells of was erased
};

/// The newest mails of the outbox, at most so many, newest first. The session's role is workforce_writer. Blocks.
/// Errors: pqxx's; those of open_mail().
std::vector<OutboxMail> list_outbox(core::Connection& connection, events::Keyring& keyring, int limit);

}  // namespace workforce::workers
