// librdkafka behind owners: configuration, handles, and what it says about its brokers.
#pragma once

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/log.hpp"

namespace workforce::events::kafka {

using Clock = std::chrono::steady_clock;

/// Destroys what librdkafka made.
template <auto Destroy>
struct Release {
    template <class T>
    void operator()(T* object) const {
        Destroy(object);
    }
};
using Queue = std::unique_ptr<rd_kafka_queue_t, Release<rd_kafka_queue_destroy>>;
using Message = std::unique_ptr<rd_kafka_message_t, Release<rd_kafka_message_destroy>>;

/// A librdkafka property, and where it was set, for people.
struct Property {
    std::string name;
    std::string value;
    std::string origin;
};

/// Reads a file of `name=value` lines; `#` begins a comment line. Errors: std::runtime_error with file and line when it
/// can't be read or librdkafka does not take a property.
std::vector<Property> read_properties(std::string const& path);

/// Where the topic is and how to reach it.
struct ClientOptions {
    std::string brokers;  ///< host:port, separated by commas
    std::string topic;
    std::string compression = "lz4";
    std::vector<Property> properties;  ///< of the operator
    /// What librdkafka says is not logged, for trouble() has it, nor are void records, for scans and voids() have them:
    /// a command that ends soon says what it was asked for, and services have told the rest.
    bool quiet = false;
    /// After this without a sign of life from the brokers an operation fails.
    std::chrono::milliseconds timeout{10'000};
};

/// What a client is for; it decides its configuration.
enum class Role : std::uint8_t {
    producer,
    tail,    ///< follows the end of partitions
    cursor,  ///< reads some pages
    scan,    ///< reads as fast as it can
    asker,   ///< asks for metadata and offsets; a connection that no long fetch holds up
    peek,    ///< reads a record or two of many partitions
};

/// A librdkafka instance with its topic. Thread-safe.
class Client {
   public:
    /// Called by librdkafka's polls with each message that was delivered, or was not (its `err`).
    using Reported = std::function<void(rd_kafka_message_t const&)>;

    /// Does not connect yet. Errors: std::runtime_error when the configuration is not taken.
    Client(ClientOptions const& options, Role role, Reported reported = nullptr);
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;
    ~Client();

    [[nodiscard]] rd_kafka_t* get() const { return handle_; }
    [[nodiscard]] rd_kafka_topic_t* topic() const { return topic_; }

    /// What it said last about brokers that it can't reach; empty when nothing.
    [[nodiscard]] std::string trouble() const;
    /// Whether none of the brokers could be reached when it last said something about that. Serves callbacks.
    [[nodiscard]] bool all_down();
    /// The brokers answered: what was said before is over.
    void reached();

   private:
    static void on_log(rd_kafka_t const* handle, int level, char const* facility, char const* text);
    static void on_error(rd_kafka_t* handle, int code, char const* reason, void* self);
    static void on_report(rd_kafka_t* handle, rd_kafka_message_t const* message, void* self);
    void set_trouble(std::string_view text);

    Reported const reported_;
    bool const quiet_;
    mutable std::mutex mutex_;
    std::string trouble_;
    bool all_down_ = false;
    rd_kafka_t* handle_ = nullptr;
    rd_kafka_topic_t* topic_ = nullptr;
};

/// What clients of this process say of a broker that they have failed to reach again and again for at least 20 s, and
/// still do; empty when there is none. The cluster may know nothing of that. Thread-safe.
std::string lasting_trouble(Clock::time_point now);
/// What clients have said so far is explained, by brokers that are away. Thread-safe.
void forget_trouble();

/// Repeats a request, which is given milliseconds to take, until it succeeds. Blocks for at most `timeout`, and not
/// much longer than a second while no broker can be reached. Errors: LogUnavailable, "Kafka: <what>: <why>".
void ask(Client& asker, std::string_view what, std::chrono::milliseconds timeout,
         std::function<rd_kafka_resp_err_t(int)> const& request);

/// One request to the partition's leader for the offset of its first record (`place` is RD_KAFKA_OFFSET_BEGINNING) or
/// past its last one (RD_KAFKA_OFFSET_END). Not rd_kafka_query_watermark_offsets: that waits for ever for a broker that
/// is gone, whatever its time-out.
rd_kafka_resp_err_t ask_offset(Client& client, int partition, std::int64_t place, int milliseconds,
                               std::int64_t& offset);
/// The same until it is answered. Blocks, for at most `timeout`. Errors: LogUnavailable.
std::int64_t offset_of(Client& asker, int partition, std::int64_t place, std::chrono::milliseconds timeout);

/// Whether a broker answers a small question: the partition's leader, or else one of librdkafka's choice, which goes on
/// choosing one that hangs. Blocks, for at most twice `milliseconds`.
bool is_there(Client& asker, int partition, int milliseconds);

/// "Kafka: <what>: <why>", for one line to the operator.
std::string unavailable(std::string_view what, std::string_view why);

}  // namespace workforce::events::kafka
