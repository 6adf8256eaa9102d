// The log in Kafka: the engine of an installation that outgrows one machine.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/log/kafka/client.hpp"
#include "events/log/kafka/ownership.hpp"
#include "events/log/kafka/partition.hpp"
#include "events/log/kafka/producer.hpp"
#include "events/log/kafka/reader.hpp"
#include "events/log/kafka/tail.hpp"
#include "events/log/log.hpp"

namespace workforce::events {

/// How a KafkaLog works.
struct KafkaLogOptions {
    kafka::ClientOptions client;
    std::string source = "urn:workforce:local";     ///< CloudEvents source of claims
    std::optional<kafka::Owner> owner;              ///< whose the topic has to be; nothing: not checked
    std::size_t tail_bytes = std::size_t{4} << 20;  ///< bodies kept in memory a partition, as tail_limit() bounds it
    std::size_t readers = 16;                       ///< consumers for reads of what is not in memory; more wait
    std::string database_url;                       ///< where marks are kept (log.kafka_mark); empty: nowhere
};

/// The log's rules rest on one fold that every reader makes alike (events/log/kafka/arbiter.hpp): Kafka only orders
/// what comes. What a writer appended is done once its own tail has read it back as counting and the brokers have
/// reported it as delivered. Destroy it while the io_contexts of those that await it still exist.
class KafkaLog final : public EventLog {
   public:
    /// Makes the topic with that many partitions and `replicas` (0: as many as there are brokers, at most 3); of one
    /// that is there it checks number and settings. Blocks.
    /// Errors: LogUnavailable; LogUnfit; std::runtime_error when the topic has another number of partitions.
    static void initialize(kafka::ClientOptions const& options, int partitions, int replicas);

    /// Connects and checks the topic, and that it is the owner's. Blocks. Errors: LogUnavailable; LogUnfit;
    /// std::runtime_error when there is no topic, or librdkafka does not take a property. A partition that another
    /// database takes over later is LogUnfit from then on, where the owner's public key is given.
    explicit KafkaLog(KafkaLogOptions const& options);
    /// The same for a topic that is known to be fit and to have that many partitions. Does not block. Errors:
    /// std::runtime_error when librdkafka does not take a property.
    KafkaLog(KafkaLogOptions options, int partitions);
    ~KafkaLog() override;

    [[nodiscard]] int partitions() const override { return static_cast<int>(partitions_.size()); }
    /// Further errors: LogUnfit.
    boost::asio::awaitable<Claim> claim_from(int partition, std::string owner, std::int64_t least_epoch) override;
    /// Bodies must stand where they are appended: std::invalid_argument when epoch, position, index or count do not
    /// say so.
    boost::asio::awaitable<tl::expected<void, AppendFault>> append(Claim const& claim, Head before, Head after,
                                                                   std::vector<std::string> bodies) override;
    boost::asio::awaitable<tl::expected<void, AppendFault>> confirm(Claim const& claim) override;
    /// Further errors, as of scan and head: LogUnfit when the partition is damaged or went back.
    std::vector<Record> read(int partition, std::int64_t from, std::size_t max_records, std::size_t max_bytes) override;
    void wait(int partition, std::int64_t position, std::chrono::milliseconds timeout) override;
    std::unique_ptr<LogScan> scan(int partition, std::int64_t from) override;
    Head head(int partition) override;
    std::chrono::milliseconds silence() override { return tail_.silence(); }
    std::map<std::string_view, std::int64_t> voids(int partition) const override;
    std::optional<Brokers> brokers() override;
    void stop() override;

    /// The last owner record between the last mark and the partition's end. Blocks. Errors: as head.
    std::optional<kafka::OwnerRecord> owner_seen(int partition);

    /// The producer that the next claim gets, for tests that inject faults.
    std::shared_ptr<kafka::Producer> producer() { return producers_.current(); }

   private:
    /// The partition, followed by the tail.
    kafka::Partition& followed(int partition);
    /// The same once its marks are known. Blocks. Errors: LogUnavailable.
    kafka::Partition& begun(int partition);
    /// The offset past the partition's last record. Errors: LogUnavailable.
    std::int64_t end_of(int partition);

    KafkaLogOptions const options_;
    kafka::Client asker_;
    std::deque<kafka::Partition> partitions_;
    kafka::Producers producers_;
    kafka::ReaderPool readers_;
    std::unique_ptr<kafka::MarkTable> const marks_;
    kafka::Tail tail_;  // last: its thread calls into all the others
};

}  // namespace workforce::events
