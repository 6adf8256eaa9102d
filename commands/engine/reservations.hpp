// Texts that must be unique across partitions, reserved in one table of Postgres before the append.
//
// A command's reservations name the command: a retry under the same idempotency key is the same command and shares
// them. A command that appends nothing releases what it took. What a crash left is settled later, by what the
// partition's state says (workers/jobs/settlement.hpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/needs.hpp"
#include "core/session_pool.hpp"
#include "events/master_keys.hpp"

namespace workforce::commands {

/// A reservation of which nobody knows yet whether its command appended.
struct OpenReservation {
    Id organization = 0;
    events::AggregateRef subject;
    std::string digest;       ///< of the text; binary
    std::string reserved_at;  ///< as the database writes it: to the microsecond
};

/// Which command reserves, in which epoch of its partition: what a writer that lost the partition does late takes
/// nothing from the retry of the same command at its successor.
struct Taker {
    std::string command;
    std::int64_t epoch = 0;
};

/// What a command reserved.
struct Reserved {
    std::string command{};  ///< that the reservations name; empty before the first one
    std::vector<Need> needs{};

    /// Takes out what is not to stay reserved. The command keeps its name.
    Reserved give_up() { return {command, std::exchange(needs, {})}; }
};

/// Thread-safe; all functions block but digest(). Errors: core::DatabaseUnavailable.
class Reservations {
   public:
    /// `connection` says where; the role is set here. Digests are keyed by what `keys` keep for a text's name.
    Reservations(core::ConnectionOptions connection, events::MasterKeys keys, std::size_t sessions);

    /// What became of a reservation that was asked for.
    enum class Taking : std::uint8_t {
        taken,      ///< it is the command's from now on
        held,       ///< the subject had the text before
        elsewhere,  ///< somebody else has it
    };
    /// Reserves the texts of these needs for their subjects, and tells of each by its place. Durable when it returns.
    std::vector<Taking> take(Taker const& taker, std::span<Need const> needs);
    /// Frees what the command took for these subjects, unless it stands for good.
    void release(std::string const& command, std::span<Need const> needs);

    /// Reservations of organizations at home in these partitions that were made more than a minute ago and are not
    /// settled, some hundred at most.
    std::vector<OpenReservation> open(std::vector<int> const& partitions);
    /// Says that these stand for good, or frees them. Those that were taken again meanwhile stay as they are.
    void settle(std::span<OpenReservation const> reservations, bool stand);

    /// What stands for the text in the table: 32 bytes.
    [[nodiscard]] std::string digest(events::UniqueText const& text) const;

   private:
    [[nodiscard]] std::string digest(Need const& need) const;

    events::MasterKeys const keys_;
    core::SessionPool sessions_;
};

}  // namespace workforce::commands
