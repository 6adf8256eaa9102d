// Raw producers, consumers and admin requests.
#include "tests/support/test_topic.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "core/crypto.hpp"
#include "events/log/kafka/records.hpp"
#include "events/log/kafka/topic.hpp"

namespace workforce::tests {
namespace {

using namespace events::kafka;
using Event = std::unique_ptr<rd_kafka_event_t, Release<rd_kafka_event_destroy>>;

constexpr int kPatience = 30'000;  // milliseconds

void require(rd_kafka_resp_err_t error, char const* what) {
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
        throw std::runtime_error(std::string(what) + ": " + rd_kafka_err2str(error));
}

/// The answer to an admin request that `send` sends to a queue.
template <class Send>
Event administer(Client& client, Send send) {
    Queue const queue(rd_kafka_queue_new(client.get()));
    send(queue.get());
    Event event(rd_kafka_queue_poll(queue.get(), kPatience));
    if (!event) throw std::runtime_error("an admin request has no answer");
    require(rd_kafka_event_error(event.get()), "admin request");
    return event;
}

}  // namespace

std::string kafka_brokers() {
    char const* const named = std::getenv("WORKFORCE_TEST_KAFKA_BROKERS");  // NOLINT(concurrency-mt-unsafe)
    if (named == nullptr) throw std::runtime_error("WORKFORCE_TEST_KAFKA_BROKERS is not set");
    return named;
}

TestTopic::TestTopic(std::string const& brokers) {
    options_.brokers = brokers;
    options_.topic = "test." + core::random_base62(12);
}

TestTopic::~TestTopic() {
    try {
        Client client(options_, Role::asker);
        std::unique_ptr<rd_kafka_DeleteTopic_t, Release<rd_kafka_DeleteTopic_destroy>> const topic(
            rd_kafka_DeleteTopic_new(options_.topic.c_str()));
        administer(client, [&](rd_kafka_queue_t* queue) {
            auto* one = topic.get();
            rd_kafka_DeleteTopics(client.get(), &one, 1, nullptr, queue);
        });
    } catch (std::exception const&) {
        // Brokers that are gone take their topics along.
    }
}

void TestTopic::make(int partitions, std::map<std::string, std::string> const& settings, int replicas) const {
    Client client(options_, Role::asker);
    std::array<char, 256> problem{};
    std::unique_ptr<rd_kafka_NewTopic_t, Release<rd_kafka_NewTopic_destroy>> const topic(
        rd_kafka_NewTopic_new(options_.topic.c_str(), partitions, replicas, problem.data(), problem.size()));
    for (auto const& [name, value] : settings) rd_kafka_NewTopic_set_config(topic.get(), name.c_str(), value.c_str());
    auto const event = administer(client, [&](rd_kafka_queue_t* queue) {
        auto* one = topic.get();
        rd_kafka_CreateTopics(client.get(), &one, 1, nullptr, queue);
    });
    std::size_t count = 0;
    auto const* const* const made =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
    require(rd_kafka_topic_result_error(made[0]), "CreateTopics");
}

void TestTopic::grow(int partitions) const {
    Client client(options_, Role::asker);
    std::array<char, 256> problem{};
    std::unique_ptr<rd_kafka_NewPartitions_t, Release<rd_kafka_NewPartitions_destroy>> const more(
        rd_kafka_NewPartitions_new(options_.topic.c_str(), static_cast<std::size_t>(partitions), problem.data(),
                                   problem.size()));
    auto const event = administer(client, [&](rd_kafka_queue_t* queue) {
        auto* one = more.get();
        rd_kafka_CreatePartitions(client.get(), &one, 1, nullptr, queue);
    });
    std::size_t count = 0;
    auto const* const* const made =
        rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event.get()), &count);
    require(rd_kafka_topic_result_error(made[0]), "CreatePartitions");
    for (int known = 0; known < partitions;) known = count_partitions(options_);
}

int TestTopic::leader(int partition) const {
    Client client(options_, Role::asker);
    rd_kafka_metadata_t const* found = nullptr;
    require(rd_kafka_metadata(client.get(), 0, client.topic(), &found, kPatience), "metadata");
    std::unique_ptr<rd_kafka_metadata_t const, Release<rd_kafka_metadata_destroy>> const metadata(found);
    return std::max(metadata->topics[0].partitions[partition].leader, 0);
}

void TestTopic::put(int partition, std::string const& body, std::map<std::string, std::string> const& headers) const {
    rd_kafka_resp_err_t failed = RD_KAFKA_RESP_ERR_NO_ERROR;
    Client client(options_, Role::producer, [&](rd_kafka_message_t const& message) { failed = message.err; });
    Headers list(rd_kafka_headers_new(headers.size()));
    for (auto const& [name, value] : headers) {
        rd_kafka_header_add(list.get(), name.data(), -1, value.data(), static_cast<ssize_t>(value.size()));
    }
    if (auto* const refused = produce(client, partition, {"", body, std::move(list)}, 0)) {
        std::string const why = rd_kafka_error_string(refused);
        rd_kafka_error_destroy(refused);
        throw std::runtime_error("produce: " + why);
    }
    require(rd_kafka_flush(client.get(), kPatience), "flush");
    require(failed, "delivery");
}

std::vector<TestTopic::Stored> TestTopic::stored(int partition) const {
    Client client(options_, Role::scan);
    Queue const queue(rd_kafka_queue_new(client.get()));
    rd_kafka_consume_start_queue(client.topic(), partition, 0, queue.get());
    std::vector<Stored> all;
    for (;;) {
        Message const message(rd_kafka_consume_queue(queue.get(), kPatience));
        if (!message) throw std::runtime_error("the topic gives nothing");
        if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) break;
        require(message->err, "consume");
        auto& record = all.emplace_back();
        record.key.assign(static_cast<char const*>(message->key), message->key_len);
        record.body.assign(static_cast<char const*>(message->payload), message->len);
        rd_kafka_headers_t* headers = nullptr;
        if (rd_kafka_message_headers(message.get(), &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
        char const* name = nullptr;
        void const* value = nullptr;
        std::size_t size = 0;
        for (std::size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == 0; ++i) {
            record.headers.emplace(name, std::string(static_cast<char const*>(value), size));
        }
    }
    rd_kafka_consume_stop(client.topic(), partition);
    return all;
}

void TestTopic::truncate(int partition, std::int64_t offset) const {
    Client client(options_, Role::asker);
    std::unique_ptr<rd_kafka_topic_partition_list_t, Release<rd_kafka_topic_partition_list_destroy>> const offsets(
        rd_kafka_topic_partition_list_new(1));
    rd_kafka_topic_partition_list_add(offsets.get(), options_.topic.c_str(), partition)->offset = offset;
    std::unique_ptr<rd_kafka_DeleteRecords_t, Release<rd_kafka_DeleteRecords_destroy>> const request(
        rd_kafka_DeleteRecords_new(offsets.get()));
    administer(client, [&](rd_kafka_queue_t* queue) {
        auto* one = request.get();
        rd_kafka_DeleteRecords(client.get(), &one, 1, nullptr, queue);
    });
}

void sever_connections(std::string const& brokers) {
    std::set<int> ports;
    std::istringstream list(brokers);
    for (std::string broker; std::getline(list, broker, ',');) {
        ports.insert(std::stoi(broker.substr(broker.rfind(':') + 1)));
    }
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        int const fd = std::stoi(entry.path().filename());
        sockaddr_storage peer{};
        socklen_t size = sizeof peer;
        if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
        auto const port = peer.ss_family == AF_INET    ? reinterpret_cast<sockaddr_in const&>(peer).sin_port
                          : peer.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6 const&>(peer).sin6_port
                                                       : in_port_t{0};
        if (ports.contains(ntohs(port))) ::shutdown(fd, SHUT_RDWR);
    }
}

}  // namespace workforce::tests
