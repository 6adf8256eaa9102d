// What is due, with what it is sent by: read from the database as little as may be.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/burst.hpp"
#include "core/connection.hpp"
#include "events/keyring.hpp"
#include "workers/store/signing_secrets.hpp"
#include "workers/webhooks/delivery_store.hpp"

namespace workforce::workers {

/// A subscription as its deliveries go by it.
struct DeliveryTarget {
    std::int64_t version = 0;
    std::string url;
    events::WebhookInternals internals;
    std::map<std::string, std::string> secrets;  ///< by their ids
};

/// Deliveries, with their bodies, and the subscriptions that have some.
struct DueWork {
    std::vector<DueDelivery> deliveries;
    std::map<core::Id, std::shared_ptr<DeliveryTarget const>> targets;
};

/// Reads what is due. Subscriptions are read again when they changed, and bodies when no delivery in memory has them.
/// Used by one thread at a time; what it refers to outlives it.
class DueReader {
   public:
    DueReader(events::Keyring& keyring, SigningSecretStore const& secrets) : keyring_(keyring), secrets_(secrets) {}

    /// What is due of subscriptions that are the owner's, oldest first, of each at most as many as the same place of
    /// `rooms` says, but for `known` ones. A body that names a person is opened by the keyring. What cannot be made of
    /// what is stored is left out, with a line in the log: it waits until an operator has mended that. Blocks. Errors:
    /// pqxx's, Keyring's.
    DueWork read(core::Connection& connection, std::string_view owner, std::vector<core::Id> const& webhooks,
                 std::vector<int> const& rooms, std::vector<core::Id> const& known, core::Timestamp now);

   private:
    void add_targets(core::Connection& connection, DueWork& work, std::map<core::Id, std::int64_t> const& versions);
    /// Reads these subscriptions anew.
    void read_targets(core::Connection& connection, std::vector<core::Id> const& webhooks);
    /// Calls `make`. False where it can't make something of what is stored.
    bool readable(std::string_view what, std::string const& id, std::function<void()> const& make);
    void add_bodies(core::Connection& connection, std::vector<DueDelivery>& deliveries);

    events::Keyring& keyring_;
    SigningSecretStore const& secrets_;
    std::map<core::Id, std::shared_ptr<DeliveryTarget const>> targets_;
    std::map<std::string, std::weak_ptr<DeliveryBody const>> bodies_;  // by the events' ids
    core::Burst unreadable_{"webhook deliveries wait, for what is stored of them can't be read"};
};

}  // namespace workforce::workers
