// A Kafka topic of its own for a test, and ways to disturb it that no writer of ours has.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "events/log/kafka/client.hpp"

namespace workforce::tests {

/// The brokers that WORKFORCE_TEST_KAFKA_BROKERS names. Throws std::runtime_error when it is not set.
std::string kafka_brokers();

/// A name that no other topic has; made when told so, deleted at the end.
class TestTopic {
   public:
    explicit TestTopic(std::string const& brokers = kafka_brokers());
    TestTopic(TestTopic const&) = delete;
    TestTopic& operator=(TestTopic const&) = delete;
    ~TestTopic();

    /// Makes it with these settings, whether or not they suit the log.
    void make(int partitions, std::map<std::string, std::string> const& settings, int replicas = 1) const;
    /// Gives it more partitions. Returns once the brokers know.
    void grow(int partitions) const;
    /// The node that leads the partition, 1 or more; 0 for none.
    [[nodiscard]] int leader(int partition) const;
    /// Writes a record as it is, past the engine. Returns once the brokers have it.
    void put(int partition, std::string const& body, std::map<std::string, std::string> const& headers = {}) const;
    /// A partition's records as any consumer gets them.
    struct Stored {
        std::string key;
        std::string body;
        std::map<std::string, std::string> headers;
    };
    [[nodiscard]] std::vector<Stored> stored(int partition) const;
    /// Deletes the records before `offset`.
    void truncate(int partition, std::int64_t offset) const;

    [[nodiscard]] events::kafka::ClientOptions const& options() const { return options_; }

   private:
    events::kafka::ClientOptions options_;
};

/// Breaks this process's TCP connections to these brokers (host:port, …, on this machine) as they are.
void sever_connections(std::string const& brokers);

}  // namespace workforce::tests
