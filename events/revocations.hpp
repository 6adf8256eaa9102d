// The end of an API key's secrets, of accounts that open by them, and of what users may do: once the event that says so
// is durable, rows beside the log are marked. A marked secret opens nothing, nor does any credential of an account that
// is not active; who has another role, other facilities or another staff record has them at once.
//
// Whoever appends such an event marks before the answer leaves; whoever folds one, into the write side's memory or into
// read models, marks before anything comes of it. So each end that some checkpoint has passed is marked, and a
// take-over reads the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.hpp"
#include "events/event.hpp"
#include "events/user.hpp"

namespace workforce::events {

/// Whether an event of the type makes its subject, a user or an organization, active or not; nothing: neither.
std::optional<bool> activation_of(std::string_view type);

/// The names of rights in auth.account_right: the fields of a user.
inline constexpr std::string_view kRoleRight = "role";
inline constexpr std::string_view kFacilitiesRight = "facilityIds";  ///< its value is an array's text
inline constexpr std::string_view kStaffRight = "staffId";           ///< its value is empty for null

/// Rights of users that events changed, each at one place of these. Of two of one user and name the later counts, as of
/// accounts.
struct RightChanges {
    std::vector<core::Id> organizations{};
    std::vector<core::Id> users{};
    std::vector<std::string> names{};
    std::vector<std::int64_t> numbers{};
    std::vector<std::string> values{};

    /// Adds what an event of that number changed.
    void add(core::Id organization, core::Id user, std::int64_t number, UserChanges const& changes);
};

/// What some events end: secrets of API keys, what the credentials of accounts open, what users may do, and links that
/// were mailed to them.
struct SecretEnds {
    std::vector<core::Id> revoked{};  ///< API keys: all that they have
    std::vector<core::Id> rotated{};  ///< API keys, each with a secret and its end at the same place
    std::vector<std::string> secrets{};
    std::vector<core::Timestamp> until{};
    /// Accounts that an event (de)activates, each at one place of these: an organization and its user, or 0 for all of
    /// it. Of two events of one account the later, by its number in the aggregate, counts, in whatever order they are
    /// marked.
    std::vector<core::Id> organizations{};
    std::vector<core::Id> users{};
    std::vector<std::int64_t> numbers{};
    std::vector<bool> active{};
    RightChanges rights{};
    /// Users who have another address by an event of that number and time, each at one place of these: links to the
    /// former one end.
    std::vector<core::Id> moved_organizations{};
    std::vector<core::Id> moved_users{};
    std::vector<std::int64_t> moved_numbers{};
    std::vector<core::Timestamp> moved_at{};
    std::vector<core::Id> grants{};   ///< OAuth grants: all codes and tokens that came of them
    std::vector<core::Id> clients{};  ///< OAuth clients: likewise

    [[nodiscard]] bool empty() const {
        return revoked.empty() && rotated.empty() && organizations.empty() && rights.users.empty() &&
               moved_users.empty() && grants.empty() && clients.empty();
    }
    /// Adds what the event ends, if it ends any.
    void add(Event const& event);
    /// Adds that an event of that number said whether the account is active.
    void add_account(core::Id organization, core::Id user, std::int64_t number, bool is_active);
    /// Adds all that others end.
    void add(SecretEnds const& others);
};

/// Marks these secrets, accounts, rights and links, and ends the sessions of accounts that are not active any more,
/// durably, in a transaction of its own. Idempotent; blocks. The session's role is workforce_projector or
/// workforce_writer. Errors: pqxx's.
void mark_ends(core::Connection& connection, SecretEnds const& ends);

}  // namespace workforce::events
