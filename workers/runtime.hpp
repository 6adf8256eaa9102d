// The write side wired together: log, keys, processor. `serve` builds on it; commands of the command line use it alone.
#pragma once

#include <memory>
#include <string>

#include "commands/engine/processor.hpp"
#include "core/checked_clock.hpp"
#include "core/config.hpp"
#include "core/database.hpp"
#include "events/codec.hpp"
#include "events/log/log.hpp"
#include "events/master_keys.hpp"
#include "events/postgres_keyring.hpp"
#include "workers/apps/provider.hpp"
#include "workers/llm/provider.hpp"
#include "workers/payroll/provider.hpp"
#include "workers/registries/registry.hpp"
#include "workers/store/calendar_tokens.hpp"
#include "workers/store/mfa_store.hpp"
#include "workers/store/password_store.hpp"
#include "workers/store/row_store.hpp"
#include "workers/store/secret_store.hpp"
#include "workers/store/session_store.hpp"
#include "workers/store/signing_secrets.hpp"
#include "workers/webhooks/sender.hpp"

namespace workforce::workers {

/// Who decides which partitions the processor serves.
enum class Ownership : std::uint8_t {
    any,     ///< a command claims the partition that it needs (command line)
    leased,  ///< leases do (services)
    sole,    ///< as `any`, by who holds the installation for himself (events::SoleUse)
};

/// Objects in the order of their dependencies. Built on one thread; destroyed in reverse after stop().
class Runtime {
   public:
    /// Connects and checks that schema and program fit. Errors: std::runtime_error with one line for the operator.
    explicit Runtime(core::Config const& configured, Ownership ownership = Ownership::any);

    /// Ends the writers. The io_contexts of those who await them must still exist.
    void stop();

    core::Config const config;
    std::string const owner;  ///< names this process: host, pid, and four digits for where these repeat
    events::MasterKeys const master_keys;
    std::unique_ptr<events::EventLog> const engine;
    events::EventLog& log;
    events::PostgresKeyring keyring;
    events::Activations activations;
    events::Encoder encoder;
    core::Database writes;  ///< by writer_session()
    core::Database leases;  ///< as `writes`, for nothing but leases: their renewal waits for nobody
    workers::RowStore store;
    commands::Reservations reservations;
    workers::SecretStore secrets;
    core::Database sign_ins;  ///< as `writes`, for sign-ins alone: strangers can make many wait
    workers::PasswordStore passwords;
    workers::MfaStore second_factors;
    workers::CalendarTokens calendar_tokens;
    workers::SessionStore sessions;
    workers::SigningSecretStore signing_secrets;
    net::HttpClient outbound;  ///< to addresses that customers gave
    workers::WebhookSender webhook_sender;
    PayrollProviders payroll;
    AppProviders apps;
    CredentialRegistries registries;
    std::unique_ptr<LlmProvider> llm;  ///< null: no provider of models is configured
    core::CheckedClock clock;
    commands::Processor processor;
};

/// The configuration, once the database that it names is one that this program fits. Blocks.
/// Errors: std::runtime_error with one line.
core::Config checked(core::Config const& config);

/// Records where reactors begin that are new to the database (record_starts in workers/engine/reactor.hpp). Blocks.
/// Errors: as migrate().
void record_reactor_starts(core::Config const& config);

/// Makes or updates the database: migrations, the log's partitions, the installation's name, and where new reactors
/// begin. Blocks.
/// Errors: std::runtime_error with one line.
void migrate(core::Config const& config);

/// The options of a session under a role.
core::ConnectionOptions session(core::Config const& config, std::string role, std::string name);
/// Those of the sessions that all of a process's writing shares but the log and the keyring: under the role
/// workforce_writer, as reactor_session() has them.
core::ConnectionOptions writer_session(core::Config const& config);

}  // namespace workforce::workers
