// `workforce restore`: a backup into an empty, migrated database.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "api/admin/administration.hpp"
#include "cli/audit.hpp"
#include "cli/backup_log.hpp"
#include "cli/command_line.hpp"
#include "cli/owner_request.hpp"
#include "cli/progress.hpp"
#include "cli/restored_backup.hpp"
#include "cli/restored_ids.hpp"
#include "cli/restored_models.hpp"
#include "cli/side_tables.hpp"
#include "cli/table_file.hpp"
#include "core/json_io.hpp"
#include "events/aggregate.hpp"
#include "events/log/copy.hpp"
#include "events/log/each_partition.hpp"
#include "events/log/installation.hpp"
#include "events/master_key_table.hpp"
#include "events/revocations.hpp"
#include "schemas/migrations.hpp"
#include "workers/engine/standing.hpp"
#include "workers/jobs/due_job.hpp"
#include "workers/mail/delivery.hpp"
#include "workers/reactors/usage.hpp"
#include "workers/runtime.hpp"

namespace workforce::cli {
namespace {

struct SecretRow {
    core::Id key_id = 0;
    core::Nullable<std::string> revoked_at;
    static constexpr std::array<std::string_view, 1> kRequired{"key_id"};
};
BOOST_DESCRIBE_STRUCT(SecretRow, (), (key_id, revoked_at))

/// API keys to be revoked by the log that goes on: those that are known to have ended, in the backup's rows or since,
/// or all.
std::vector<core::Id> keys_to_end(Backup& backup, LogFacts const& facts) {
    auto const secrets = table_of(backup, kSecretTable);
    each_row(secrets.table, secrets.directory, [&](std::string const& text) {
        auto const row = core::from_stored_json<SecretRow>(text);
        if (row.revoked_at.value) backup.revoked.insert(row.key_id);
    });
    std::vector<core::Id> keys;
    for (auto const& [id, key] : facts.api_keys) {
        if (!key.revoked && (backup.end_all_keys || backup.revoked.contains(id))) keys.push_back(id);
    }
    return keys;
}

void require_empty(core::Connection& connection, events::EventLog& log) {
    auto tables = tables_taken(Taken::after_log);
    tables.emplace_back(kKeyTable);
    for (auto const& table : tables) {
        if (!connection.execute_sql(fmt::format("SELECT FROM {} LIMIT 1", table)).empty()) {
            throw std::runtime_error(
                fmt::format("this database is not empty ({} has rows): restore into a new one", table));
        }
    }
    for (int partition = 0; partition < log.partitions(); ++partition) {
        if (!log.scan(partition, 0)->next(1).empty()) {
            throw std::runtime_error(
                fmt::format("the log is not empty (partition {}): restore into a new one", partition));
        }
    }
}

/// What is sealed for somebody without a key would read as erased.
void require_keys_for(LogFacts const& facts, std::set<std::string> const& keys,
                      std::set<std::string> const& destroyed) {
    auto const require = [&](std::string const& name) {
        if (keys.contains(name) || facts.erased.contains(name) || destroyed.contains(name)) return;
        throw std::runtime_error(
            fmt::format("the keys are older than the log: {} has none; restore with later ones", name));
    };
    for (auto const& [person, whose] : facts.persons) require(person);
    for (auto const& name : facts.sealed_for) require(name);
}

/// Ids of a kind that rows beside the log name.
std::string_view stored_ids(events::Kind kind) {
    switch (kind) {
        case events::Kind::organization:
            return "SELECT max(organization_id) FROM ops.organization_home";
        case events::Kind::user:
            return "SELECT max(subject_id) FROM ops.reservation WHERE kind = 'user'";
        case events::Kind::api_key:
            return "SELECT max(key_id) FROM auth.api_key_secret";
        default:
            return "SELECT NULL::bigint";
    }
}

/// Past as many runs as may have been made since the backup: a provider knows them by their ids, and would take a new
/// run of such an id for one that it has paid.
constexpr core::Id kRunsSinceBackup = 1'000'000;

/// Moves each sequence to the block that holds the highest id, so that the next one is past it.
void move_sequences(core::Connection& connection, LogFacts const& facts) {
    for (auto const kind : events::kAllKinds) {
        if (kind == events::Kind::command) continue;
        auto const found = facts.highest.find(kind);
        auto const highest = (found == facts.highest.end() ? 0 : found->second) +
                             (kind == events::Kind::payroll_run ? kRunsSinceBackup : 0);
        connection.execute_sql(
            fmt::format("SELECT setval('ops.{0}_id', (highest - 1) / increment_by * increment_by + 1)"
                        " FROM pg_sequences, (SELECT greatest(({1}), {2}) AS highest) AS ids"
                        " WHERE schemaname = 'ops' AND sequencename = '{0}_id' AND highest > 0",
                        core::enum_name(kind), stored_ids(kind), highest));
    }
}

/// Whether the backup has read models that can be used; says why where it has others.
bool may_load_read_models(Backup const& backup, LogFacts const& facts, int schema_version) {
    if (!backup.keys.readModels) return false;
    auto const why = backup.manifest.schemaVersion == schema_version
                         ? unfolded_erasure(backup.keys, backup.keys_directory, backup.destroyed, facts)
                         : "they are of another schema than this program's";
    if (why) fmt::print(stderr, "read models are left out, services make them anew from the log: {}\n", *why);
    return !why;
}

/// So that the next decision of an operator gets a number of its own.
void move_decision_numbers(core::Connection& connection, std::string_view schema) {
    connection.execute_sql(
        fmt::format("SELECT setval(pg_get_serial_sequence('{0}.poison_decision', 'id'), max(id))"
                    " FROM {0}.poison_decision HAVING count(*) > 0",
                    schema));
}

/// What reactors keep, as it was; a backup of an older program has nothing of it. They, due jobs and mails stand still
/// from here on: a clone that goes on by itself would act in the world a second time.
void load_reactors(core::Connection& connection, Backup const& backup) {
    connection.execute_sql(fmt::format("DELETE FROM {}", kReactorCheckpoints));  // those of `migrate`, for an empty log
    connection.execute_sql("DELETE FROM reactor.pause");
    for (auto const& name : tables_taken(Taken::before_log)) {
        if (auto const found = find_table(backup, name)) load_table(connection, found->table, found->directory);
    }
    move_decision_numbers(connection, "reactor");
    connection.execute_sql(
        "SELECT setval('ops.webhook_delivery_id', max(id)) FROM (SELECT id FROM reactor.webhook_delivery"
        " UNION ALL SELECT id FROM ops.webhook_attempt) AS all_ids HAVING count(*) > 0");
    connection.execute_sql(
        "SELECT setval('ops.billing_outbox_id', max(id)) FROM ops.billing_outbox HAVING count(*) > 0;"
        "SELECT setval('usage.batch_id', max(batch_id)) FROM usage.call HAVING max(batch_id) IS NOT NULL");
    // The installation that the backup is of may have sent them since, and meters forget identifiers.
    connection.execute({"hold_bills",
                        "UPDATE ops.billing_outbox SET status = 'held', due_at = NULL"
                        " WHERE status = 'pending' AND occurred_at < now() - $1 * interval '1 hour'"},
                       std::chrono::hours(workers::kBillingWindow).count());
    for (auto const& type : workers::reactors()) workers::pause(connection, type.name, user_name(), "restored");
    for (auto const& job : workers::due_jobs()) workers::pause(connection, job.name, user_name(), "restored");
    workers::pause(connection, workers::kMailDelivery, user_name(), "restored");
}

/// Everything but the log, in one transaction, keys that are to be destroyed among it: whoever reads of a person in the
/// log finds the key, or that there is none any more. Returns how many accounts have a password, or had one that ends.
std::size_t load_rows(core::Connection& connection, Backup const& backup, LogFacts const& facts, bool with_read_models,
                      bool end_passwords) {
    std::size_t accounts = 0;
    std::vector<std::string> destroyed(backup.destroyed.begin(), backup.destroyed.end());
    for (auto const& [person, place] : facts.erased) destroyed.push_back(person);
    // Texts stay reserved for users whom the log tells of and who were not erased.
    std::vector<core::Id> users;
    for (auto const& [person, whose] : facts.persons) {
        auto const ref = events::parse_aggregate(person).value();
        bool const erased = facts.erased.contains(person) || backup.destroyed.contains(person);
        if (ref.kind == events::Kind::user && !erased) users.push_back(ref.id);
    }
    connection.transaction([&] {
        for (auto const& table : kSideTables) {
            bool const there = backup.manifest.schemaVersion >= table.since;
            if (table.taken != Taken::after_log || !there) continue;
            auto const stored = table_of(backup, table.name);
            load_table(connection, stored.table, stored.directory);
        }
        load_reactors(connection, backup);
        load_table(connection, backup.keys.table, backup.keys_directory);
        if (backup.keys.keptKeys) load_table(connection, *backup.keys.keptKeys, backup.keys_directory);
        events::restore_master_keys(connection, backup.master_keys, backup.former);
        events::destroy_keys(connection, destroyed);
        connection.execute({"free_reservations",
                            "DELETE FROM ops.reservation WHERE kind = 'user' AND subject_id <> ALL ($1::bigint[])"},
                           users);
        connection.execute({"free_passwords", "DELETE FROM auth.password WHERE user_id <> ALL ($1::bigint[])"}, users);
        connection.execute({"free_second_factors", "DELETE FROM auth.mfa WHERE user_id <> ALL ($1::bigint[])"}, users);
        connection.execute({"free_recovery_codes", "DELETE FROM auth.mfa_recovery WHERE user_id <> ALL ($1::bigint[])"},
                           users);
        accounts = connection
                       .execute_sql(end_passwords ? "DELETE FROM auth.password RETURNING user_id"
                                                  : "SELECT user_id FROM auth.password")
                       .size();
        move_sequences(connection, facts);
        if (!with_read_models) return;
        for (auto const& table : *backup.keys.readModels) load_table(connection, table, backup.keys_directory);
        move_decision_numbers(connection, "projection");
    });
    return accounts;
}

/// So that no credential works while read models come to what ended it.
void mark_ends(core::Connection& connection, LogFacts const& facts, std::vector<core::Id> const& ended) {
    auto ends = facts.standing;
    ends.revoked = ended;
    for (auto const& [id, key] : facts.api_keys) {
        if (key.revoked) ends.revoked.push_back(id);
    }
    events::mark_ends(connection, ends);
}

/// Who was erased as far as the backup's own log does not tell: the log that goes on tells it, which ends their API
/// keys and takes them off shifts. Returns how many these are.
int record_erasures(workers::Runtime& runtime, Backup const& backup, LogFacts const& facts) {
    int count = 0;
    for (auto const& person : backup.destroyed) {
        auto const found = facts.persons.find(person);
        if (found == facts.persons.end() || facts.erased.contains(person)) continue;
        api::ErasePersonRequest request;
        request.reason =
            fmt::format("erased before; restored from the backup of {}", core::to_string(backup.manifest.createdAt));
        request.requestedBy = user_name();
        request.organizationId = found->second.organization;
        request.sandbox = found->second.sandbox;
        request.person = person;
        run_here(runtime, [&](workers::Runtime& here) { return erase_person(here, request); });
        ++count;
    }
    return count;
}

/// API keys that the backup's own log does not end: the log that goes on does.
void record_revocations(workers::Runtime& runtime, Backup const& backup, LogFacts const& facts,
                        std::vector<core::Id> const& keys) {
    auto const time = core::to_string(backup.manifest.createdAt);
    auto const reason =
        core::ShortText(backup.end_all_keys ? fmt::format("may have been revoked after the backup of {}", time)
                                            : fmt::format("revoked before; restored from the backup of {}", time));
    run_here(runtime, [&](workers::Runtime& here) -> boost::asio::awaitable<core::Result<bool>> {
        for (auto const key : keys) {
            auto const done = co_await api::revoke_api_key(here, facts.api_keys.at(key).organization, key, reason);
            if (!done) co_return tl::unexpected(done.error());
        }
        co_return true;
    });
}

/// Revokes every OAuth grant that the restored log has: no backup holds tokens, or knows which grants ended after it.
void end_grants(workers::Runtime& runtime, LogFacts const& facts) {
    run_here(runtime, [&](workers::Runtime& here) -> boost::asio::awaitable<core::Result<bool>> {
        for (auto const& [grant, organization] : facts.grants) {
            auto const done = co_await api::end_oauth_grant(here, organization, grant);
            if (!done) co_return tl::unexpected(done.error());
        }
        co_return true;
    });
}

/// Says who signs in now that a backup came back: it knows nothing of what happened to accounts after it.
void tell_of_accounts(Backup const& backup, std::size_t accounts, bool end_passwords) {
    auto const time = core::to_string(backup.manifest.createdAt);
    if (end_passwords) {
        fmt::print(
            "{} accounts have no password any more: POST /api/auth/forgot mails a link, once mails are resumed\n",
            accounts);
    } else {
        fmt::print(
            "{} accounts sign in by the passwords of {}, also where there was another one since: restore with "
            "--end-passwords where that must not be\n",
            accounts, time);
    }
    fmt::print(
        "users and organizations that were deactivated after {} are active again: end them by `workforce users "
        "deactivate` and `workforce organizations deactivate` before clients come\n",
        time);
}

int restore(core::Config const& config, RestoreArguments const& arguments) {
    auto backup = open_backup(arguments, events::read_master_keys(config));
    auto const status = schemas::schema_state(config.database_url);
    if (status.state != schemas::SchemaState::current) throw std::runtime_error(schemas::describe(status));
    if (backup.manifest.schemaVersion > status.program_version) {
        throw std::runtime_error(fmt::format("the backup is of a newer program (schema {}, this program's {})",
                                             backup.manifest.schemaVersion, status.program_version));
    }
    auto const keys = check_keys(backup);
    auto const log = open_for_audit(config);
    auto options = workers::session(config, "", "workforce restore");
    options.statement_timeout = std::chrono::milliseconds(0);
    core::Connection connection(options);
    events::SoleUse sole(config.database_url);
    require_nothing_runs(config, "restore");
    require_empty(connection, *log);

    BackupLog source(backup.directory, backup.manifest.partitions);
    source.set_key({backup.manifest.installation, backup.master_keys.public_keys()});
    auto const total = count_events(source, events::choose_partitions(source.partitions(), -1));
    auto facts = [&] {
        ProgressLine progress("read", "events", total);
        return read_facts(source, [&](std::int64_t events) { progress.add(events); });
    }();
    require_keys_for(facts, keys, backup.destroyed);
    raise_highest(facts, keys);
    raise_highest(facts, backup.destroyed);
    auto const ending = keys_to_end(backup, facts);
    for (auto const id : backup.revoked) raise(facts, {events::Kind::api_key, id});
    bool const with_read_models = may_load_read_models(backup, facts, status.program_version);

    sole.begin_restore(backup.manifest.installation);
    auto const accounts = load_rows(connection, backup, facts, with_read_models, arguments.end_passwords);
    mark_ends(connection, facts, ending);
    events::CopyCounts copied;
    {
        ProgressLine progress("restore", "events", total);
        copied = events::copy_log(source, *log, [&](std::int64_t events) { progress.add(events); });
    }
    log->stop();
    workers::record_reactor_starts(config);
    workers::Runtime runtime(config, workers::Ownership::sole);
    int const erasures = record_erasures(runtime, backup, facts);
    record_revocations(runtime, backup, facts, ending);
    end_grants(runtime, facts);
    runtime.stop();
    sole.end_restore();
    fmt::print("restored {} events and {} claims of {}; {} keys, {} persons erased, {} of them after the backup\n",
               copied.events, copied.claims, backup.manifest.installation, keys.size(),
               facts.erased.size() + static_cast<std::size_t>(erasures), erasures);
    if (!ending.empty()) {
        fmt::print("{} API keys were revoked{}\n", ending.size(),
                   backup.end_all_keys ? ", all there were: make new ones with `workforce keys create`" : "");
    }
    if (!facts.grants.empty()) {
        fmt::print("{} OAuth grants were ended: people consent again\n", facts.grants.size());
    }
    tell_of_accounts(backup, accounts, arguments.end_passwords);
    fmt::print("reactors and due jobs stand still until `workforce reactors resume`\n");
    return 0;
}

}  // namespace

void add_restore(CommandLine& line) {
    auto const arguments = std::make_shared<RestoreArguments>();
    auto* command = line.app.add_subcommand(
        "restore",
        "Read a backup into an empty, migrated database; with the log in Kafka also into a new topic, which `migrate` "
        "makes by the name in kafka_topic: one that holds anything is refused");
    command->add_option("DIR", arguments->directory, "What `workforce backup` wrote")->required();
    command->add_option("--keys", arguments->keys, "Directory of the keys (default: DIR-keys)");
    command->add_option(
        "--tombstones", arguments->tombstones,
        "The latest there are, of tombstones_file or of a later backup's keys: who was erased and which "
        "API keys were revoked by then are so here, too");
    command->add_flag("--no-later-erasures", arguments->no_later_erasures,
                      "Instead of --tombstones: nobody was erased after this backup. All API keys end");
    command->add_flag("--no-later-revocations", arguments->no_later_revocations,
                      "With --no-later-erasures: no API key was revoked after this backup either. Keys go on");
    command->add_flag("--end-passwords", arguments->end_passwords,
                      "No password of the backup opens anything: who signs in sets a new one by a link that is mailed");
    command->callback([&line, arguments] {
        line.run = [arguments](core::LoadedConfig const& loaded) { return restore(loaded.config, *arguments); };
    });
}

}  // namespace workforce::cli
