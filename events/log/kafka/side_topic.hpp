// A topic beside the log's, for records that may be lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "events/log/kafka/client.hpp"

namespace workforce::events::kafka {

/// Sends CloudEvents to a topic, without the promises of the log: what the brokers do not take in a minute is given up
/// and counted, and so is what comes while too many wait. Thread-safe.
class SideTopic {
   public:
    /// Records that wait for the brokers at most.
    static constexpr int kMostWaiting = 32'768;

    /// Does not connect yet; the options name the topic. Errors: std::runtime_error when the configuration is not
    /// taken.
    explicit SideTopic(ClientOptions options);
    SideTopic(SideTopic const&) = delete;
    SideTopic& operator=(SideTopic const&) = delete;
    /// Waits for the brokers to take what was sent, for two seconds at most.
    ~SideTopic();

    /// Hands a CloudEvent as JSON over, to the partition that its subject has. Does not block.
    void send(std::string body) noexcept;
    /// Hears what became of records; to be called from time to time. Does not block.
    void poll();

    [[nodiscard]] std::uint64_t delivered() const { return delivered_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::uint64_t> delivered_{0};
    std::atomic<std::uint64_t> lost_{0};
    ClientOptions const options_;
    Client client_;
};

}  // namespace workforce::events::kafka
