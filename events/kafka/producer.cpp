// Producing, and a thread a producer that serves its callbacks.
#include "events/kafka/producer.hpp"

#include <array>
#include <utility>

#include "core/logging.hpp"
#include "events/kafka/records.hpp"

namespace workforce::events::kafka {

Producer::Producer(ClientOptions const& options, Reported reported)
    : reported_(std::move(reported)),
      client_(std::make_unique<Client>(options, Role::producer,
                                       [this](rd_kafka_message_t const& message) { take(message); })),
      thread_([this] { run(); }) {}

Producer::~Producer() {
    close();
    thread_.join();
}

bool Producer::send(int partition, std::uint64_t operation, std::string_view body) {
    std::unique_ptr<rd_kafka_error_t, Release<rd_kafka_error_destroy>> const refused(
        produce(*client_, partition, {key_of(body), body, headers_of(body)}, operation));
    if (!refused) return true;
    set_suspect();
    core::log(core::Level::warn, "kafka producer takes no records", {{"why", rd_kafka_error_string(refused.get())}});
    return false;
}

void Producer::take(rd_kafka_message_t const& message) {
    auto const operation = reinterpret_cast<std::uint64_t>(message._private);
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        suspect_ = true;
        return reported_({message.partition, operation, 0});
    }
    bool const another = delivered_.empty() || delivered_.back().operation != operation ||
                         delivered_.back().partition != message.partition;
    if (another) delivered_.push_back({message.partition, operation, 0});
    ++delivered_.back().delivered;
}

void Producer::poll(int milliseconds) {
    rd_kafka_poll(client_->get(), milliseconds);
    for (auto const& each : delivered_) reported_(each);
    delivered_.clear();
}

void Producer::run() {
    constexpr int kSlice = 100;  // milliseconds
    // The topic's leaders are looked up now: a first record that asks for them itself waits a third of a second.
    rd_kafka_metadata_t const* metadata = nullptr;
    while (!closing_ && rd_kafka_metadata(client_->get(), 0, client_->topic(), &metadata, kSlice) != 0) {
        poll(0);
    }
    if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
    while (!closing_) {
        poll(kSlice);
        std::array<char, 256> text{};
        if (!suspect_ && rd_kafka_fatal_error(client_->get(), text.data(), text.size()) != 0) {
            set_suspect();
            core::log(core::Level::warn, "kafka producer failed and is replaced", {{"why", text.data()}});
        }
    }
    rd_kafka_purge(client_->get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    poll(0);
    client_.reset();
    closed_ = true;
}

std::shared_ptr<Producer> Producers::current() {
    std::lock_guard const lock(mutex_);
    if (current_ && current_->suspect()) replaced_.push_back(std::exchange(current_, nullptr));
    if (!current_) current_ = std::make_shared<Producer>(options_, reported_);
    return current_;
}

void Producers::tidy() {
    std::lock_guard const lock(mutex_);
    std::erase_if(replaced_, [](std::shared_ptr<Producer> const& each) {
        if (each.use_count() == 1) each->close();
        return each->closed();
    });
}

}  // namespace workforce::events::kafka
