// What crashes left beside the log: rows that were stored before an append that nobody knows of.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "commands/engine/processor.hpp"
#include "workers/store/secret_store.hpp"
#include "workers/store/signing_secrets.hpp"

namespace workforce::workers {

/// Settles reservations and secrets of the partitions that are served here: the state of the organization says whether
/// they stand, for good, or are deleted. Then deletes secrets that are shown to nobody any more. Errors:
/// core::DatabaseUnavailable, core::DatabaseBusy; all of it is tried again by the next call.
boost::asio::awaitable<void> settle(commands::Processor& processor, commands::Reservations& reservations,
                                    SecretStore& secrets, SigningSecretStore& signing_secrets);

}  // namespace workforce::workers
