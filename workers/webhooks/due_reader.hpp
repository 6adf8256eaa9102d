// Reads due deliveries with their subscriptions and bodies, each as seldom as possible.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/connection.hpp"
#include "core/log_throttle.hpp"
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

/// Reads due deliveries. It reads a subscription again when that has changed, and a body when no delivery in memory has
/// it. One thread uses it at a time. The objects that it refers to outlive it.
class DueReader {
   public:
    DueReader(events::Keyring& keyring, SigningSecretStore const& secrets) : keyring_(keyring), secrets_(secrets) {}

    /// Returns due deliveries of the subscriptions `webhooks`, as far as `owner` has them: the oldest first, without
    /// the `known` ones, and of each subscription no more than its place in `rooms` says. The keyring opens a body that
    /// names a person. A row that cannot be read is left out, with a line in the log, until an operator has mended it.
    /// Blocks. Errors: pqxx's, Keyring's.
    DueWork read(core::Connection& connection, std::string_view owner, std::vector<core::Id> const& webhooks,
                 std::vector<int> const& rooms, std::vector<core::Id> const& known, core::Timestamp now);

   private:
    void add_targets(core::Connection& connection, DueWork& work, std::map<core::Id, std::int64_t> const& versions);
    /// Reads these subscriptions anew.
    void read_targets(core::Connection& connection, std::vector<core::Id> const& webhooks);
    /// Calls `make`. Returns false where the stored row cannot be read.
    bool readable(std::string_view what, std::string const& id, std::function<void()> const& make);
    void add_bodies(core::Connection& connection, std::vector<DueDelivery>& deliveries);

    events::Keyring& keyring_;
    SigningSecretStore const& secrets_;
    std::map<core::Id, std::shared_ptr<DeliveryTarget const>> targets_;
    std::map<std::string, std::weak_ptr<DeliveryBody const>> bodies_;  // by the events' ids
    core::LogThrottle unreadable_{"webhook deliveries wait, for what is stored of them can't be read"};
};

}  // namespace workforce::workers
