// Wiring of the write side.
#include "workers/runtime.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "core/crypto.hpp"
#include "core/session_pool.hpp"
#include "core/slow_note.hpp"
#include "events/log/heads.hpp"
#include "events/log/installation.hpp"
#include "events/log/open_log.hpp"
#include "events/master_key_table.hpp"
#include "schemas/migrations.hpp"
#include "workers/cluster/activations.hpp"
#include "workers/cluster/leases.hpp"
#include "workers/engine/reactor.hpp"
#include "workers/engine/standing.hpp"

namespace workforce::workers {
namespace {

core::SessionPool start_sessions(core::Config const& config) {
    return {session(config, "workforce_writer", "workforce start"), 1};
}

events::MasterKeys load_keys(core::Config const& config) {
    return start_sessions(config).run(
        [&](core::Connection& connection) { return events::load_master_keys(config, connection); });
}

std::string process_name() {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return fmt::format("{}:{}-{}", host.data(), getpid(), core::hex_encode(core::random_bytes(2)));
}

std::function<boost::asio::awaitable<bool>(int)> lease_check(core::Database& database, std::string const& owner,
                                                             Ownership ownership) {
    if (ownership != Ownership::leased) return {};
    return [&database, owner](int partition) {
        return database.run([owner, partition](core::Connection& connection) {
            return workers::holds(connection, owner, workers::LeaseKind::writer, partition);
        });
    };
}

// How much more memory may hold while read models stand still.
constexpr std::size_t kOverflow = 3;
constexpr std::size_t kLeastOverflow = 32 << 20;

/// A command of the command line is soon over, and may run where nobody folds read models: it keeps what it needs.
commands::Residency residency(core::Config const& config, workers::RowStore& store,
                              commands::Reservations& reservations, Ownership ownership) {
    commands::Residency all{.store = &store,
                            .reservations = &reservations,
                            .queue_limit = static_cast<std::size_t>(config.queue_limit),
                            .answer_keys = {.days = config.answer_key_days}};
    constexpr auto kUnlimited = std::size_t{1} << 40;
    auto& limits = all.limits;
    limits.bytes = ownership == Ownership::any ? kUnlimited : config.memory_bytes;
    limits.most_bytes = ownership == Ownership::any ? kUnlimited : kOverflow * limits.bytes + kLeastOverflow;
    return all;
}

std::function<boost::asio::awaitable<void>()> write_check(core::Database& database, core::CheckedClock& clock,
                                                          core::Config const& config, Ownership ownership) {
    return [&database, &clock, log = config.log, topic = config.kafka_topic, ownership] {
        return database.run([&clock, log, topic, ownership](core::Connection& connection) {
            clock.compare(connection);
            if (ownership != Ownership::sole) events::require_writable(connection, log, topic);
        });
    };
}

/// For people.
std::string place_of(core::Config const& config) { return "database " + core::mask_passwords(config.database_url); }

std::string source_of(events::EventLog const& log) {
    auto const name = log.key().installation;
    if (name.empty()) throw std::runtime_error("the database has no installation name; run `workforce migrate`");
    return "urn:workforce:" + name;
}

}  // namespace

core::ConnectionOptions session(core::Config const& config, std::string role, std::string name) {
    core::ConnectionOptions options;
    options.url = config.database_url;
    options.role = std::move(role);
    options.application_name = std::move(name);
    return options;
}

core::ConnectionOptions writer_session(core::Config const& config) {
    return reactor_session(session(config, "", "workforce writes"));
}

core::Config checked(core::Config const& config) {
    core::SlowNote const note(place_of(config));
    events::require_log(config.database_url, config.log, config.kafka_topic);
    start_sessions(config).run(
        [&](core::Connection& connection) { events::require_writable(connection, config.log, config.kafka_topic); });
    return config;
}

Runtime::Runtime(core::Config const& configured, Ownership ownership)
    : config(ownership == Ownership::sole ? configured : checked(configured)),
      owner(process_name()),
      master_keys(load_keys(config)),
      engine(events::open_log(config,
                              ownership == Ownership::leased ? events::Opener::service : events::Opener::command,
                              master_keys.public_keys())),
      log(*engine),
      keyring({config.database_url, "workforce_writer", master_keys, 2}),
      encoder(source_of(log), keyring, &activations),
      writes({writer_session(config), 2}),
      leases({.connection = writer_session(config), .threads = 1, .purpose = core::SessionPurpose::lease}),
      store(session(config, "", "workforce projections"), 3),
      reservations(writer_session(config), master_keys, 1),
      secrets(writes, master_keys),
      sign_ins({writer_session(config), 2}),
      passwords(sign_ins, master_keys.kept("links")),
      second_factors(sign_ins, master_keys.kept("links")),
      calendar_tokens(sign_ins),
      sessions(sign_ins),
      signing_secrets(writes, master_keys),
      outbound({.ca_file = config.webhooks_ca_file}),
      webhook_sender(outbound, config.webhooks_allow_insecure_targets),
      payroll(open_payroll(config, outbound)),
      apps(open_apps(config, outbound)),
      registries(open_registries(config, outbound)),
      llm(open_llm(config, outbound)),
      processor(log, encoder, keyring, writes, clock, owner, lease_check(leases, owner, ownership),
                write_check(leases, clock, config, ownership), residency(config, store, reservations, ownership)) {
    // A mend may be signed with any of them while one replaces another.
    log.set_key({log.key().installation, master_keys.public_keys()});
    start_sessions(config).run([&](core::Connection& connection) {
        events::record_master_key(connection, master_keys);
        activate(connection, activations);
    });
    store.require_indexes();
}

void Runtime::stop() {
    outbound.close();
    processor.stop();
    writes.stop();
    leases.stop();
    sign_ins.stop();
    log.stop();
}

void record_reactor_starts(core::Config const& config) {
    auto const partitions = events::read_installation(config.database_url).partitions;
    core::SessionPool(session(config, "", "workforce migrate"), 1).run([&](core::Connection& connection) {
        record_starts(connection, partitions, [&] { return events::open_log(config); });
    });
}

void migrate(core::Config const& config) {
    {
        core::SlowNote const note(place_of(config) + ", or another migration of it");
        for (auto const& name : schemas::migrate(config.database_url)) fmt::print("applied {}\n", name);
    }
    events::require_log(config.database_url, config.log, config.kafka_topic);
    events::create_log(config);
    events::record_installation(config.database_url, config.installation, config.log);
    record_reactor_starts(config);
    // Where the master key can't be read, `workforce log mend` records it.
    if (auto const master_key = core::load_master_key(config.master_key_file)) {
        events::HeadSigner const signer(config.installation, *master_key);
        events::record_public_key(config.database_url, signer.public_key());
    }
}

}  // namespace workforce::workers
