// Engines by name.
#include "events/open_log.hpp"

#include "core/slow_note.hpp"
#include "events/kafka/kafka_log.hpp"
#include "events/postgres_log.hpp"

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

/// "Kafka 127.0.0.1:9092", for people.
std::string place_of_log(core::Config const& config) {
    return config.log == "kafka" ? "Kafka " + config.kafka_brokers
                                 : "database " + core::mask_passwords(config.database_url);
}

}  // namespace

std::unique_ptr<EventLog> open_log(core::Config const& config, Opener opener) {
    core::SlowNote const note(place_of_log(config));
    if (config.log == "kafka") {
        KafkaLogOptions options;
        options.client = kafka_options(config);
        options.client.quiet = opener == Opener::command;
        options.source = "urn:workforce:" + config.installation;
        options.database_url = config.database_url;
        return std::make_unique<KafkaLog>(options);
    }
    PostgresLogOptions options;
    options.database_url = config.database_url;
    return std::make_unique<PostgresLog>(std::move(options));
}

void create_log(core::Config const& config) {
    core::SlowNote const note(place_of_log(config));
    if (config.log == "kafka") {
        auto options = kafka_options(config);
        options.quiet = true;
        return KafkaLog::initialize(options, config.partitions, config.kafka_replication);
    }
    PostgresLog::initialize(config.database_url, config.partitions);
}

}  // namespace workforce::events
