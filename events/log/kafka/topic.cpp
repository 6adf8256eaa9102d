// Metadata, CreateTopics and DescribeConfigs.
#include "events/log/kafka/topic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <thread>
#include <utility>

namespace workforce::events::kafka {
namespace {

using Event = std::unique_ptr<rd_kafka_event_t, Release<rd_kafka_event_destroy>>;
using AdminOptions = std::unique_ptr<rd_kafka_AdminOptions_t, Release<rd_kafka_AdminOptions_destroy>>;
using NewTopic = std::unique_ptr<rd_kafka_NewTopic_t, Release<rd_kafka_NewTopic_destroy>>;
using Resource = std::unique_ptr<rd_kafka_ConfigResource_t, Release<rd_kafka_ConfigResource_destroy>>;

/// Within this every broker knows of a topic that one of them made.
constexpr std::chrono::seconds kPropagation{2};
constexpr std::chrono::milliseconds kPause{50};

constexpr std::int64_t kMaxMessageBytes = 2 << 20;  // a record of kMaxRecordBytes with key and headers

struct Shape {
    int partitions = 0;  // 0: no such topic
    int replicas = 0;    // of the partition that has the fewest
    int brokers = 0;
    bool led = false;  // whether every partition has a leader
};

Shape shape_of(Client& asker, ClientOptions const& options) {
    rd_kafka_metadata_t const* metadata = nullptr;
    ask(asker, fmt::format("{} can't be reached", options.brokers), options.timeout,
        [&](int milliseconds) { return rd_kafka_metadata(asker.get(), 0, asker.topic(), &metadata, milliseconds); });
    std::unique_ptr<rd_kafka_metadata_t const, Release<rd_kafka_metadata_destroy>> const owner(metadata);
    Shape shape;
    shape.brokers = metadata->broker_cnt;
    if (metadata->topic_cnt != 1) return shape;
    auto const& topic = metadata->topics[0];
    if (topic.err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
        throw LogUnfit(fmt::format("topic {}: {}", options.topic, rd_kafka_err2str(topic.err)));
    }
    shape.partitions = topic.partition_cnt;
    shape.led = topic.partition_cnt > 0;
    for (int i = 0; i < topic.partition_cnt; ++i) {
        auto const& partition = topic.partitions[i];
        shape.replicas = i == 0 ? partition.replica_cnt : std::min(shape.replicas, partition.replica_cnt);
        shape.led = shape.led && partition.leader >= 0;
    }
    return shape;
}

/// Sends an admin request and gives its answer. Errors: LogUnavailable.
template <class Send>
Event administer(Client& asker, rd_kafka_admin_op_t operation, ClientOptions const& options, std::string_view what,
                 Send send) {
    AdminOptions const admin(rd_kafka_AdminOptions_new(asker.get(), operation));
    auto const milliseconds = static_cast<int>(options.timeout.count());
    std::array<char, 256> ignored{};
    rd_kafka_AdminOptions_set_request_timeout(admin.get(), milliseconds, ignored.data(), ignored.size());
    if (operation == RD_KAFKA_ADMIN_OP_CREATETOPICS) {
        rd_kafka_AdminOptions_set_operation_timeout(admin.get(), milliseconds, ignored.data(), ignored.size());
    }
    Queue const answers(rd_kafka_queue_new(asker.get()));
    send(admin.get(), answers.get());
    Event event(rd_kafka_queue_poll(answers.get(), milliseconds + 1000));
    if (!event) throw LogUnavailable(unavailable(what, "no answer in time"));
    if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw LogUnavailable(unavailable(what, rd_kafka_event_error_string(event.get())));
    }
    return event;
}

std::map<std::string, std::string> settings_of(Client& asker, ClientOptions const& options) {
    auto const what = fmt::format("topic {} can't be examined", options.topic);
    auto const deadline = Clock::now() + kPropagation;
    for (;;) {
        Resource const resource(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, options.topic.c_str()));
        auto const event = administer(asker, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, options, what,
                                      [&](rd_kafka_AdminOptions_t const* admin, rd_kafka_queue_t* answers) {
                                          auto* one = resource.get();
                                          rd_kafka_DescribeConfigs(asker.get(), &one, 1, admin, answers);
                                      });
        std::size_t count = 0;
        auto const* const* const resources =
            rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event.get()), &count);
        if (count != 1) throw LogUnavailable(unavailable(what, "an answer without the topic"));
        auto const failed = rd_kafka_ConfigResource_error(resources[0]);
        if (failed == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART && Clock::now() < deadline) {
            std::this_thread::sleep_for(kPause);
            continue;
        }
        if (failed != RD_KAFKA_RESP_ERR_NO_ERROR) {
            throw LogUnfit(fmt::format("{}: {}", what, rd_kafka_ConfigResource_error_string(resources[0])));
        }
        std::map<std::string, std::string> settings;
        auto const* const* const entries = rd_kafka_ConfigResource_configs(resources[0], &count);
        for (std::size_t i = 0; i < count; ++i) {
            char const* const value = rd_kafka_ConfigEntry_value(entries[i]);
            settings.emplace(rd_kafka_ConfigEntry_name(entries[i]), value == nullptr ? "" : value);
        }
        return settings;
    }
}

std::int64_t number(std::string const& text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// What a topic's setting must be.
struct Wanted {
    char const* name;
    char const* wanted;  // as people read it
    bool (*fits)(std::string const& value, Shape const& shape);
    std::string (*fresh)(int replicas);  // what a new topic gets
};

constexpr int kSafeReplicas = 3;

constexpr Wanted kWanted[] = {
    {"cleanup.policy", "delete", [](std::string const& value, Shape const&) { return value == "delete"; },
     [](int) { return std::string("delete"); }},
    {"retention.ms", "-1", [](std::string const& value, Shape const&) { return value == "-1"; },
     [](int) { return std::string("-1"); }},
    {"retention.bytes", "-1", [](std::string const& value, Shape const&) { return value == "-1"; },
     [](int) { return std::string("-1"); }},
    {"max.message.bytes", "2097152 or more",
     [](std::string const& value, Shape const&) { return number(value) >= kMaxMessageBytes; },
     [](int) { return std::to_string(kMaxMessageBytes); }},
    {"unclean.leader.election.enable", "false", [](std::string const& value, Shape const&) { return value == "false"; },
     [](int) { return std::string("false"); }},
    {"min.insync.replicas", "2 or more, with three replicas or more",
     [](std::string const& value, Shape const& shape) { return shape.replicas < kSafeReplicas || number(value) >= 2; },
     [](int replicas) { return std::string(replicas < kSafeReplicas ? "1" : "2"); }},
};

void check_settings(Client& asker, ClientOptions const& options, Shape const& shape) {
    auto const settings = settings_of(asker, options);
    for (auto const& each : kWanted) {
        auto const found = settings.find(each.name);
        auto const value = found == settings.end() ? "" : found->second;
        if (each.fits(value, shape)) continue;
        throw LogUnfit(
            fmt::format("topic {}: {} is {}; the log needs {}", options.topic, each.name, value, each.wanted));
    }
}

/// What the topic is for decides its settings.
enum class Purpose : std::uint8_t { log, side };

void make(Client& asker, ClientOptions const& options, int partitions, int replicas, Purpose purpose) {
    auto const what = fmt::format("topic {} can't be made", options.topic);
    std::array<char, 256> problem{};
    NewTopic const topic(
        rd_kafka_NewTopic_new(options.topic.c_str(), partitions, replicas, problem.data(), problem.size()));
    if (!topic) throw std::runtime_error(fmt::format("{}: {}", what, problem.data()));
    if (purpose == Purpose::log) {
        for (auto const& each : kWanted) {
            rd_kafka_NewTopic_set_config(topic.get(), each.name, each.fresh(replicas).c_str());
        }
        // Broker time: offsets can then be found by when a record came, whatever the writers' clocks said.
        rd_kafka_NewTopic_set_config(topic.get(), "message.timestamp.type", "LogAppendTime");
    }
    auto const event = administer(asker, RD_KAFKA_ADMIN_OP_CREATETOPICS, options, what,
                                  [&](rd_kafka_AdminOptions_t const* admin, rd_kafka_queue_t* answers) {
                                      auto* one = topic.get();
                                      rd_kafka_CreateTopics(asker.get(), &one, 1, admin, answers);
                                  });
    std::size_t count = 0;
    auto const* const* const results =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
    auto const failed = count == 1 ? rd_kafka_topic_result_error(results[0]) : RD_KAFKA_RESP_ERR_UNKNOWN;
    if (failed == RD_KAFKA_RESP_ERR_NO_ERROR || failed == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) return;
    char const* const text = count == 1 ? rd_kafka_topic_result_error_string(results[0]) : nullptr;
    throw std::runtime_error(fmt::format("{}: {}", what, text == nullptr ? rd_kafka_err2str(failed) : text));
}

int replicas_of(int wanted, Shape const& shape) { return wanted > 0 ? wanted : std::min(kSafeReplicas, shape.brokers); }

}  // namespace

void create_side_topic(ClientOptions const& options, int partitions, int replicas) {
    Client asker(options, Role::asker);
    auto const shape = shape_of(asker, options);
    if (shape.partitions > 0) return;
    make(asker, options, partitions, replicas_of(replicas, shape), Purpose::side);
}

void create_topic(ClientOptions const& options, int partitions, int replicas) {
    Client asker(options, Role::asker);
    auto shape = shape_of(asker, options);
    auto const until = Clock::now() + options.timeout;
    // A broker that has just begun to serve may answer before it knows of any broker.
    while (shape.brokers == 0) {
        if (Clock::now() > until) throw LogUnavailable(unavailable("the cluster", "no broker is known"));
        std::this_thread::sleep_for(kPause);
        shape = shape_of(asker, options);
    }
    if (shape.partitions == 0) {
        make(asker, options, partitions, replicas_of(replicas, shape), Purpose::log);
        auto const deadline = Clock::now() + options.timeout;
        for (shape = shape_of(asker, options); !shape.led; shape = shape_of(asker, options)) {
            if (Clock::now() > deadline) throw LogUnavailable(unavailable("the new topic", "it has no leader in time"));
            std::this_thread::sleep_for(kPause);
        }
    }
    if (shape.partitions != partitions) {
        throw std::runtime_error(
            fmt::format("The log has {} partitions, which is fixed; {} were asked for.", shape.partitions, partitions));
    }
    check_settings(asker, options, shape);
}

int count_partitions(ClientOptions const& options) {
    Client asker(options, Role::asker);
    return shape_of(asker, options).partitions;
}

int check_topic(Client& asker, ClientOptions const& options) {
    auto const deadline = Clock::now() + kPropagation;
    auto shape = shape_of(asker, options);
    for (; shape.partitions == 0 && Clock::now() < deadline; shape = shape_of(asker, options)) {
        std::this_thread::sleep_for(kPause);
    }
    if (shape.partitions == 0) {
        throw std::runtime_error(
            fmt::format("Kafka at {} has no topic {} yet: run `workforce migrate`.", options.brokers, options.topic));
    }
    check_settings(asker, options, shape);
    return shape.partitions;
}

}  // namespace workforce::events::kafka
