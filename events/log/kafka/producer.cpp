// Producing, and a thread a producer that serves its callbacks.
#include "events/log/kafka/producer.hpp"

#include <array>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::events::kafka {

Producer::Producer(ClientOptions const& options, Reported reported)
    : reported_(std::move(reported)),
      client_(std::make_unique<Client>(options, Role::producer,
                                       [this](rd_kafka_message_t const& message) { take(message); })),
      main_(rd_kafka_queue_get_main(client_->get())),
      thread_([this] { run(); }) {}

Producer::~Producer() {
    close();
    thread_.join();
}

bool Producer::send(int partition, std::uint64_t operation, std::vector<Outgoing> records) {
    for (auto& record : records) {
        std::unique_ptr<rd_kafka_error_t, Release<rd_kafka_error_destroy>> const refused(
            produce(*client_, partition, std::move(record), operation));
        if (!refused) continue;
        set_suspect();
        core::log(core::quiet_while_away(core::Level::warn), "kafka producer takes no records",
                  {{"why", rd_kafka_error_string(refused.get())}});
        return false;
    }
    if (!handed_over_.exchange(true)) rd_kafka_queue_yield(main_.get());
    return true;
}

void Producer::take(rd_kafka_message_t const& message) {
    auto const operation = reinterpret_cast<std::uint64_t>(message._private);
    bool const delivered = message.err == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (!delivered) suspect_ = true;
    reported_({message.partition, operation, delivered});
}

void Producer::run() {
    constexpr int kSlice = 100;  // milliseconds
    // The topic's leaders are looked up now: a first record that asks for them itself waits a third of a second.
    rd_kafka_metadata_t const* metadata = nullptr;
    while (!closing_ && rd_kafka_metadata(client_->get(), 0, client_->topic(), &metadata, kSlice) != 0) {
        rd_kafka_poll(client_->get(), 0);
    }
    if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
    while (!closing_) {
        // Without a linger, librdkafka's thread would wake at an operation's first record, and send what it finds then
        // as one request and the rest as a second. So it lingers, and is told when all is there. For a moment only:
        // another partition's records that are handed over meanwhile are not waited for. Flush serves callbacks too.
        constexpr int kMoment = 1;  // millisecond
        if (handed_over_.exchange(false)) {
            rd_kafka_flush(client_->get(), kMoment);
        } else {
            rd_kafka_poll(client_->get(), kSlice);
        }
        std::array<char, 256> text{};
        if (!suspect_ && rd_kafka_fatal_error(client_->get(), text.data(), text.size()) != 0) {
            set_suspect();
            core::log(core::quiet_while_away(core::Level::warn), "kafka producer failed and is replaced",
                      {{"why", text.data()}});
        }
    }
    rd_kafka_purge(client_->get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    rd_kafka_poll(client_->get(), 0);
    main_.reset();
    client_.reset();
    closed_ = true;
}

std::shared_ptr<Producer> Producers::current() {
    std::lock_guard const lock(mutex_);
    if (current_ && current_->suspect()) replaced_.push_back(std::exchange(current_, nullptr));
    if (!current_) current_ = std::make_shared<Producer>(options_, reported_);
    return current_;
}

std::size_t Producers::queued() {
    std::lock_guard const lock(mutex_);
    return current_ ? current_->queued() : 0;
}

void Producers::tidy() {
    std::lock_guard const lock(mutex_);
    std::erase_if(replaced_, [](std::shared_ptr<Producer> const& each) {
        if (each.use_count() == 1) each->close();
        return each->closed();
    });
}

}  // namespace workforce::events::kafka
