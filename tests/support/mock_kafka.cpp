// The mock broker's life and faults.
#include "tests/support/mock_kafka.hpp"

#include <array>
#include <stdexcept>

namespace workforce::tests {
namespace {

constexpr std::int16_t kProduce = 0;  // Kafka's number of the request

void require(rd_kafka_resp_err_t error) {
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(rd_kafka_err2str(error));
}

}  // namespace

MockKafka::MockKafka(int partitions) {
    std::array<char, 256> problem{};
    auto* const settings = rd_kafka_conf_new();
    rd_kafka_conf_set(settings, "log_level", "4", problem.data(), problem.size());  // not that it has no broker
    handle_ = rd_kafka_new(RD_KAFKA_PRODUCER, settings, problem.data(), problem.size());
    if (handle_ == nullptr) throw std::runtime_error(problem.data());
    cluster_ = rd_kafka_mock_cluster_new(handle_, 1);
    if (cluster_ == nullptr) throw std::runtime_error("no mock broker");
    options_.brokers = rd_kafka_mock_cluster_bootstraps(cluster_);
    options_.topic = "mock";
    require(rd_kafka_mock_topic_create(cluster_, options_.topic.c_str(), partitions, 1));
}

MockKafka::~MockKafka() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(handle_);
}

void MockKafka::refuse_appends(std::vector<rd_kafka_resp_err_t> const& errors) const {
    rd_kafka_mock_push_request_errors_array(cluster_, kProduce, errors.size(), errors.data());
}

void MockKafka::delay_append(std::chrono::milliseconds delay) const {
    require(rd_kafka_mock_broker_push_request_error_rtts(cluster_, 1, kProduce, 1, RD_KAFKA_RESP_ERR_NO_ERROR,
                                                         static_cast<int>(delay.count())));
}

}  // namespace workforce::tests
