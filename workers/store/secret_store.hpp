// Secrets beside the log: what authenticates by them, and what shows them once more to a retry.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/database.hpp"
#include "events/key_secret.hpp"
#include "events/master_keys.hpp"

namespace workforce::workers {

/// A secret of which nobody knows yet whether its event was appended.
struct OpenSecret {
    core::Id organization = 0;
    core::Id key = 0;
    std::string id;
    std::string digest;  ///< binary
};

/// What is stored before an event that tells of a secret by its id. A secret opens nothing unless its event was
/// appended. Thread-safe. Errors: core::DatabaseUnavailable, core::DatabaseBusy.
class SecretStore {
   public:
    /// `writes` has sessions of role workforce_writer; a key derived from the master key seals what is shown again.
    SecretStore(core::Database& writes, events::MasterKeys keys);

    /// Stores a new secret of an API key, durably.
    boost::asio::awaitable<void> put(events::KeySecret const& secret, core::Id organization, core::Id key);
    /// The token of the secret with that id, while it is shown again: for a day. Else nothing.
    boost::asio::awaitable<std::optional<std::string>> shown(std::string id);
    /// Forgets a secret whose command was refused.
    boost::asio::awaitable<void> forget(std::string id);

    /// Secrets of organizations at home in these partitions that were stored more than a minute ago and are not
    /// settled, some hundred at most.
    boost::asio::awaitable<std::vector<OpenSecret>> open(std::vector<int> partitions);
    /// Says that these are their keys' for good, or deletes them.
    boost::asio::awaitable<void> settle(std::vector<OpenSecret> secrets, bool stand);
    /// Deletes what is shown to nobody any more.
    boost::asio::awaitable<void> purge();

   private:
    core::Database& writes_;
    events::MasterKeys const keys_;
};

}  // namespace workforce::workers
