// librdkafka's mock broker, for faults that a real broker can't be made to have when a test wants them.
#pragma once

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <chrono>
#include <vector>

#include "events/log/kafka/client.hpp"

namespace workforce::tests {

/// One broker in this process, with one topic. It does not tell repeated batches of an idempotent producer from new
/// ones, and can't describe its topic.
class MockKafka {
   public:
    explicit MockKafka(int partitions);
    MockKafka(MockKafka const&) = delete;
    MockKafka& operator=(MockKafka const&) = delete;
    ~MockKafka();

    /// The next requests to append fail one by one with these errors, and nothing is appended.
    void refuse_appends(std::vector<rd_kafka_resp_err_t> const& errors) const;
    /// The next request to append is carried out and answered only after `delay`.
    void delay_append(std::chrono::milliseconds delay) const;

    [[nodiscard]] events::kafka::ClientOptions const& options() const { return options_; }

   private:
    rd_kafka_t* handle_ = nullptr;
    rd_kafka_mock_cluster_t* cluster_ = nullptr;
    events::kafka::ClientOptions options_;
};

}  // namespace workforce::tests
