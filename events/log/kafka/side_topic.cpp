// Producing without the log's promises.
#include "events/log/kafka/side_topic.hpp"

#include <exception>
#include <memory>
#include <utility>

#include "events/log/kafka/records.hpp"

namespace workforce::events::kafka {
namespace {

constexpr std::chrono::seconds kSideTopicPatience{60};
constexpr int kFlushMilliseconds = 2000;

ClientOptions patient(ClientOptions options) {
    options.timeout = kSideTopicPatience;
    options.quiet = true;  // the log's clients say what there is to say of the brokers
    return options;
}

}  // namespace

SideTopic::SideTopic(ClientOptions options)
    : options_(patient(std::move(options))),
      client_(options_, Role::producer, [this](rd_kafka_message_t const& message) {
          auto& count = message.err == RD_KAFKA_RESP_ERR_NO_ERROR ? delivered_ : lost_;
          count.fetch_add(1, std::memory_order_relaxed);
      }) {}

SideTopic::~SideTopic() {
    rd_kafka_flush(client_.get(), kFlushMilliseconds);
    rd_kafka_purge(client_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    poll();
}

void SideTopic::send(std::string body) noexcept {
    auto const hand_over = [&] {
        if (rd_kafka_outq_len(client_.get()) >= kMostWaiting) return false;
        std::unique_ptr<rd_kafka_error_t, Release<rd_kafka_error_destroy>> const refused(
            produce(client_, RD_KAFKA_PARTITION_UA, outgoing(std::move(body)), 0));
        return !refused;
    };
    try {
        if (hand_over()) return;
    } catch (std::exception const&) {  // out of memory: one more that is lost
        lost_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    lost_.fetch_add(1, std::memory_order_relaxed);
}

void SideTopic::poll() { rd_kafka_poll(client_.get(), 0); }

}  // namespace workforce::events::kafka
