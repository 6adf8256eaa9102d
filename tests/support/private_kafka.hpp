// Kafka brokers of its own, for tests that take them away.
#pragma once

#include <string>

namespace workforce::tests {

/// Starts brokers in a new directory through scripts/kafka, and removes both at the end.
class PrivateKafka {
   public:
    explicit PrivateKafka(int nodes);
    PrivateKafka(PrivateKafka const&) = delete;
    PrivateKafka& operator=(PrivateKafka const&) = delete;
    ~PrivateKafka();

    /// SIGKILL for a node, 1 or more. Returns once it is gone.
    void kill(int node) const;
    /// Runs it again. Returns once it serves. Throws std::runtime_error when it does not start.
    void start(int node) const;

    /// How many batches the first node keeps of a partition, in its first segment: what a producer sent as one request
    /// is one.
    [[nodiscard]] int batches(std::string const& topic, int partition) const;

    /// host:port, separated by commas.
    [[nodiscard]] std::string const& brokers() const { return brokers_; }

   private:
    std::string directory_;
    std::string brokers_;
};

}  // namespace workforce::tests
