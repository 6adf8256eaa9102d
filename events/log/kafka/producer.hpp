// The idempotent producers of a process: one at a time, replaced once it is in doubt.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "events/log/kafka/client.hpp"
#include "events/log/kafka/records.hpp"

namespace workforce::events::kafka {

/// Sends records in order. Thread-safe.
class Producer {
   public:
    /// What the brokers said about one record of an operation.
    struct Report {
        int partition = 0;
        std::uint64_t operation = 0;
        bool delivered = false;  ///< false also where it may have been
    };
    /// Called on the producer's thread.
    using Reported = std::function<void(Report const&)>;

    Producer(ClientOptions const& options, Reported reported);
    Producer(Producer const&) = delete;
    Producer& operator=(Producer const&) = delete;
    /// Drops what was not sent. Blocks until librdkafka is gone, for which close() may have been called long before.
    ~Producer();

    /// Hands an operation's records to librdkafka, to be sent together; false when it does not take all of them. Does
    /// not block.
    bool send(int partition, std::uint64_t operation, std::vector<Outgoing> records);

    /// Whether it is to be replaced: something about it is in doubt, or it reported a fatal error.
    [[nodiscard]] bool suspect() const { return suspect_; }
    void set_suspect() { suspect_ = true; }

    /// Begins to end; closed() tells when destroying no longer blocks.
    void close() { closing_ = true; }
    [[nodiscard]] bool closed() const { return closed_; }

    /// Records that no broker has acknowledged yet. Not to be called after close().
    [[nodiscard]] std::size_t queued() const {
        return static_cast<std::size_t>(std::max(rd_kafka_outq_len(client_->get()), 0));
    }

    /// The instance, for tests that inject faults.
    [[nodiscard]] rd_kafka_t* get() const { return client_->get(); }

   private:
    void run();
    void take(rd_kafka_message_t const& message);

    Reported const reported_;
    std::unique_ptr<Client> client_;
    Queue main_;                             // of librdkafka's callbacks
    std::atomic<bool> handed_over_ = false;  // records, that the thread has not yet had sent
    std::atomic<bool> suspect_ = false;
    std::atomic<bool> closing_ = false;
    std::atomic<bool> closed_ = false;
    std::thread thread_;
};

/// Gives each new claim the producer of the day. Claims keep theirs; the last one that has it lets it go, and tidy()
/// destroys it. Thread-safe.
class Producers {
   public:
    Producers(ClientOptions const& options, Producer::Reported reported)
        : options_(options), reported_(std::move(reported)) {}

    /// A producer without doubt, made when there is none. Errors: std::runtime_error when librdkafka makes none.
    std::shared_ptr<Producer> current();
    /// Records that were handed over and that no broker has acknowledged yet.
    std::size_t queued();
    /// Ends those that nobody has any more. To be called from time to time; does not block.
    void tidy();

   private:
    ClientOptions const& options_;
    Producer::Reported const reported_;
    std::mutex mutex_;
    std::shared_ptr<Producer> current_;
    std::vector<std::shared_ptr<Producer>> replaced_;
};

}  // namespace workforce::events::kafka
