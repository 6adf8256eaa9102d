// Delivery: mails of the outbox on their way through a channel.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/database.hpp"
#include "core/logging.hpp"
#include "core/metrics.hpp"
#include "core/session_pool.hpp"
#include "events/keyring.hpp"
#include "workers/mail/channel.hpp"

namespace workforce::workers {

/// The name that a pause of it has, beside those of reactors and due jobs.
inline constexpr std::string_view kMailDelivery = "mail";

/// Sends what waits in the outbox; several processes share it. Used by one thread at a time.
class MailDelivery {
   public:
    /// What is claimed and came to no end by then is tried by somebody else.
    static constexpr std::chrono::seconds kLease{60};
    static_assert(kLease > MailChannel::kLongestAttempt);
    /// How long nothing is tried after nothing left: doubled each time.
    static constexpr std::chrono::seconds kFirstRest{1};
    static constexpr std::chrono::seconds kLongestRest{60};

    /// The sessions are as reactor_session() has them. They, the keyring and the metrics outlive it. `channel` names
    /// the channel in logs and metrics.
    MailDelivery(core::SessionPool& sessions, events::Keyring& keyring, std::unique_ptr<MailChannel> channel,
                 std::string const& name, core::Metrics& metrics);

    /// Sends mails, oldest due first, until none is due, a stop is asked for, or nothing leaves; nothing while paused
    /// or at rest. One that is refused for good, or for three days, is dropped; so is one to a person who was erased.
    /// One of an organization that is not active waits, for three days at most. Blocks. Errors:
    /// core::DatabaseUnavailable.
    void round(std::stop_token const& stop = {});

   private:
    struct Claimed;
    enum Outcome : std::uint8_t { sent, failed, dropped };

    std::optional<Claimed> claim();
    /// Nothing: the person was erased.
    std::optional<MailAttempt> attempt(Claimed& claimed, std::stop_token const& stop);
    void settle(Claimed const& claimed, MailAttempt const& attempt);
    /// Counts a failure; whether it was the mail's last, which is dropped.
    bool failed_for_days(Claimed const& claimed, std::string_view why);
    void postpone(Claimed const& claimed, std::chrono::milliseconds pause, std::string_view why);
    void drop(Claimed const& claimed, std::string_view why, core::Level level = core::Level::warn);
    void begin_rest(Claimed const& claimed, std::string_view why);
    void end_trouble();

    core::SessionPool& sessions_;
    events::Keyring& keyring_;
    std::unique_ptr<MailChannel> const channel_;
    std::string const name_;
    std::array<prometheus::Counter*, 3> counters_{};  // by Outcome
    int troubles_ = 0;                                // in a row
    std::chrono::steady_clock::time_point rests_until_{};
};

/// Has dropped mails of these ids (of all, where none is given) wait again, and returns how many did. The session is of
/// role workforce_writer. Blocks. Errors: pqxx's.
int retry_dropped(core::Connection& connection, std::vector<std::string> const& ids);

/// Deletes mails that do not wait and are so many days old, some at a time. Throws core::DatabaseUnavailable,
/// core::DatabaseBusy.
boost::asio::awaitable<void> prune_outbox(core::Database& writes, int kept_days);

}  // namespace workforce::workers
