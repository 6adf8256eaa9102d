// The secrets that webhook deliveries are signed with, beside the log.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "core/database.hpp"
#include "core/text.hpp"
#include "events/master_keys.hpp"

namespace workforce::workers {

/// A signing secret of which nobody knows yet whether its event was appended.
struct OpenSigningSecret {
    core::Id organization = 0;
    core::Id webhook = 0;
    std::string id;
};

/// Rows of auth.signing_secret, sealed by a key derived from the master key. A secret signs nothing unless an event
/// names it. Thread-safe. Errors: core::DatabaseUnavailable, core::DatabaseBusy.
class SigningSecretStore {
   public:
    /// `writes` has sessions of role workforce_writer, and outlives it.
    SigningSecretStore(core::Database& writes, events::MasterKeys keys) : writes_(writes), keys_(std::move(keys)) {}

    /// Stores a new secret durably, before the command whose event is to name it, and returns its id.
    boost::asio::awaitable<std::string> put(std::string secret, core::Id organization, core::Id webhook);
    /// The secret, for a day after it was made: it is shown once, and to retries. Else nothing.
    boost::asio::awaitable<std::optional<std::string>> shown(std::string id);
    /// Forgets a secret whose command was refused.
    boost::asio::awaitable<void> forget(std::string id);

    /// Secrets of organizations at home in these partitions that were stored more than a minute ago and are not
    /// settled, some hundred at most.
    boost::asio::awaitable<std::vector<OpenSigningSecret>> open(std::vector<int> partitions);
    /// Says that these are their subscriptions' for good, or deletes them.
    boost::asio::awaitable<void> settle(std::vector<OpenSigningSecret> secrets, bool stand);

    /// Secrets by their ids; those that are not there are missing. Blocks; the session is of role workforce_writer.
    /// Errors: pqxx's; std::runtime_error for one that no master key opens.
    [[nodiscard]] std::map<std::string, std::string> read(core::Connection& connection,
                                                          std::vector<std::string> const& ids) const;

   private:
    core::Database& writes_;
    events::MasterKeys const keys_;
};

}  // namespace workforce::workers
