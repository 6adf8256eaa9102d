// Engines by name.
#include "events/log/open_log.hpp"

#include <fmt/format.h>

#include "core/crypto.hpp"
#include "core/slow_note.hpp"
#include "events/log/copy.hpp"
#include "events/log/installation.hpp"
#include "events/log/kafka/kafka_log.hpp"
#include "events/log/kafka/topic.hpp"
#include "events/log/own_topic.hpp"
#include "events/log/postgres/postgres_log.hpp"

namespace workforce::events {
namespace {

kafka::ClientOptions kafka_options(core::Config const& config) {
    kafka::ClientOptions options;
    options.brokers = config.kafka_brokers;
    options.topic = config.kafka_topic;
    options.compression = config.kafka_compression;
    if (!config.kafka_properties_file.empty()) {
        options.properties = kafka::read_properties(config.kafka_properties_file);
    }
    return options;
}

bool has_usage_topic(core::Config const& config) { return config.log == "kafka" && !config.kafka_usage_topic.empty(); }

kafka::ClientOptions usage_topic_options(core::Config const& config) {
    auto options = kafka_options(config);
    options.topic = config.kafka_usage_topic;
    return options;
}

/// "Kafka 127.0.0.1:9092", for people.
std::string place_of_log(core::Config const& config) {
    return config.log == "kafka" ? "Kafka " + config.kafka_brokers
                                 : "database " + core::mask_passwords(config.database_url);
}

std::unique_ptr<EventLog> open_topic(core::Config const& config, Installation const& installation, bool quiet,
                                     std::vector<std::string> owner_keys) {
    if (installation.topic != config.kafka_topic || installation.incarnation.empty()) {
        throw LogUnfit(
            fmt::format("topic {} is not this database's log yet: run `workforce migrate`", config.kafka_topic));
    }
    KafkaLogOptions options;
    options.client = kafka_options(config);
    options.client.quiet = quiet;
    options.source = "urn:workforce:" + (installation.name.empty() ? config.installation : installation.name);
    options.database_url = config.database_url;
    auto& owner = options.owner.emplace(kafka::Owner{installation.incarnation, {}, std::move(owner_keys)});
    owner.offsets.resize(static_cast<std::size_t>(installation.partitions));
    for (auto const& [partition, offset] : read_topic_records(config.database_url, config.kafka_topic)) {
        if (partition < installation.partitions) owner.offsets[static_cast<std::size_t>(partition)] = offset;
    }
    return std::make_unique<KafkaLog>(options);
}

void require_partitions(int there, int recorded) {
    if (recorded == 0 || there == recorded) return;
    throw LogUnfit(
        fmt::format("log.partition has {} rows, this installation's log {} partitions: it is not as the program left "
                    "it; restore a backup",
                    there, recorded));
}

}  // namespace

std::unique_ptr<EventLog> open_log(core::Config const& config, Opener opener,
                                   std::vector<std::string> const& owner_keys) {
    core::SlowNote const note(place_of_log(config));
    auto const installation = read_installation(config.database_url);
    std::unique_ptr<EventLog> log;
    if (config.log == "kafka") {
        log = open_topic(config, installation, opener == Opener::command, owner_keys);
    } else {
        PostgresLogOptions options;
        options.database_url = config.database_url;
        log = std::make_unique<PostgresLog>(std::move(options));
        require_partitions(log->partitions(), installation.partitions);
    }
    LogKey key{installation.name, owner_keys};
    auto& keys = key.public_keys;
    if (keys.empty() && !installation.public_key.empty()) keys.push_back(installation.public_key);
    keys.insert(keys.end(), installation.former_public_keys.begin(), installation.former_public_keys.end());
    log->set_key(std::move(key));
    return log;
}

void create_log(core::Config const& config) {
    core::SlowNote const note(place_of_log(config));
    if (config.log == "kafka") {
        auto options = kafka_options(config);
        options.quiet = true;
        own_topic(config, options);
        if (has_usage_topic(config)) {
            options.topic = config.kafka_usage_topic;
            kafka::create_side_topic(options, config.partitions, config.kafka_replication);
        }
        return;
    }
    auto const recorded = read_installation(config.database_url).partitions;
    if (recorded > 0 && recorded != config.partitions) {
        throw std::runtime_error(
            fmt::format("The log has {} partitions, which is fixed; {} were asked for.", recorded, config.partitions));
    }
    PostgresLog::initialize(config.database_url, config.partitions);
    record_partitions(config.database_url, config.partitions);
}

std::unique_ptr<kafka::SideTopic> open_usage_topic(core::Config const& config) {
    if (!has_usage_topic(config)) return nullptr;
    return std::make_unique<kafka::SideTopic>(usage_topic_options(config));
}

void adopt_log(core::Config const& config, HeadSigner const& signer, std::string const& from,
               std::string const& claimant) {
    auto options = kafka_options(config);
    options.quiet = true;
    take_topic(config, options, signer, from);
    auto const log = open_log(config);
    fence_writers(*log, claimant);
    log->stop();
}

}  // namespace workforce::events
