// Owner records, read and written outside the engine's fold.
#include "events/log/kafka/ownership.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/crypto.hpp"
#include "core/json_io.hpp"
#include "core/time.hpp"
#include "events/attributes.hpp"
#include "events/log/kafka/records.hpp"
#include "events/log/kafka/tail.hpp"

namespace workforce::events::kafka {
namespace {

constexpr std::string_view kOpening = R"({"specversion":"1.0","type":"log.owned",)";

/// Where records at known offsets are read, each partition for itself.
class Peeker {
   public:
    explicit Peeker(ClientOptions const& options) : options_(options), client_(options, Role::peek) {}
    Peeker(Peeker const&) = delete;
    Peeker& operator=(Peeker const&) = delete;
    ~Peeker() {
        for (int const partition : begun_) rd_kafka_consume_stop(client_.topic(), partition);
    }

    std::vector<std::optional<std::string>> read(std::vector<std::int64_t> const& offsets) {
        std::vector<std::optional<std::string>> found(offsets.size());
        std::vector<bool> settled(offsets.size());
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            start_reading(client_, static_cast<int>(i), offsets[i], queue_.get());
            begun_.push_back(static_cast<int>(i));
        }
        auto left = offsets.size();
        auto const deadline = Clock::now() + options_.timeout;
        while (left > 0) {
            for (auto const& message : poll(queue_.get(), kSlice)) {
                auto const index = static_cast<std::size_t>(message->partition);
                if (message->rkt == nullptr || index >= offsets.size() || settled[index]) continue;
                if (!settles(*message)) continue;
                settled[index] = true;
                --left;
                bool const there = message->err == RD_KAFKA_RESP_ERR_NO_ERROR && message->offset == offsets[index];
                if (there) found[index] = body_of(*message);
            }
            rd_kafka_poll(client_.get(), 0);
            if (left == 0 || (Clock::now() < deadline && !client_.all_down())) continue;
            auto const why = client_.trouble();
            throw LogUnavailable(unavailable(fmt::format("topic {} can't be read", options_.topic),
                                             why.empty() ? "nothing comes" : why));
        }
        return found;
    }

   private:
    static constexpr std::chrono::milliseconds kSlice{50};

    /// Whether the message tells what stands there: a record, or that there is none.
    static bool settles(rd_kafka_message_t const& message) {
        return message.err == RD_KAFKA_RESP_ERR_NO_ERROR || message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF ||
               message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET || is_damage(message.err);
    }

    ClientOptions const& options_;
    Client client_;
    Queue queue_{rd_kafka_queue_new(client_.get())};
    std::vector<int> begun_;
};

}  // namespace

std::string make_owner_record(OwnerRecord const& record) {
    core::JsonWriter w;
    w.begin_object();
    w.member("specversion", "1.0");
    w.member("type", "log.owned");
    w.member("id", core::random_base62(22));
    w.member("source", record.source);
    w.member("time", core::to_string(core::now()));
    w.member("incarnation", record.incarnation);
    w.member("partition", record.partition);
    if (!record.formerly.empty()) w.member("formerly", record.formerly);
    if (!record.signature.empty()) w.member("signature", record.signature);
    w.end_object();
    return w.take();
}

std::optional<OwnerRecord> owner_record_of(std::string_view body) {
    if (!body.starts_with(kOpening)) return std::nullopt;
    OwnerRecord record;
    record.partition = -1;
    AttributeWalk attributes(body);
    while (auto const each = attributes.next()) {
        if (each->name == "incarnation") record.incarnation = each->value();
        if (each->name == "formerly") record.formerly = each->value();
        if (each->name == "source") record.source = each->value();
        if (each->name == "signature") record.signature = each->value();
        if (each->name != "partition") continue;
        std::from_chars(each->raw.data(), each->raw.data() + each->raw.size(), record.partition);
    }
    if (attributes.damaged() || record.incarnation.empty() || record.partition < 0) return std::nullopt;
    return record;
}

std::string owner_text(std::string_view topic, OwnerRecord const& record) {
    return fmt::format("workforce log owner 1\n{}\n{}\n{}\n{}\n", topic, record.partition, record.formerly,
                       record.incarnation);
}

bool takes_over(OwnerRecord const& record, int partition, std::string_view topic, Owner const& owner) {
    if (record.partition != partition || record.formerly != owner.incarnation) return false;
    auto const signature = core::hex_decode(record.signature);
    return signature && std::ranges::any_of(owner.public_keys, [&](std::string const& key) {
               auto const raw = core::hex_decode(key);
               return raw && core::ed25519_verify(*raw, owner_text(topic, record), *signature);
           });
}

std::vector<std::optional<std::string>> records_at(ClientOptions const& options,
                                                   std::vector<std::int64_t> const& offsets) {
    return Peeker(options).read(offsets);
}

std::int64_t append_record(ClientOptions const& options, int partition, std::string body) {
    std::optional<rd_kafka_resp_err_t> failed;
    std::int64_t offset = -1;
    Client client(options, Role::producer, [&](rd_kafka_message_t const& message) {
        failed = message.err;
        offset = message.offset;
    });
    auto const what = fmt::format("partition {} of topic {} can't be written to", partition, options.topic);
    if (auto* const refused = produce(client, partition, outgoing(std::move(body)), 0)) {
        std::string const why = rd_kafka_error_string(refused);
        rd_kafka_error_destroy(refused);
        throw LogUnavailable(unavailable(what, why));
    }
    rd_kafka_flush(client.get(), static_cast<int>(options.timeout.count()) + 1000);
    if (failed == RD_KAFKA_RESP_ERR_NO_ERROR && offset >= 0) return offset;
    auto const trouble = client.trouble();
    throw LogUnavailable(unavailable(what, !trouble.empty() ? trouble
                                           : failed         ? rd_kafka_err2str(*failed)
                                                            : "the brokers do not answer in time"));
}

std::string describe_partitions(std::string_view topic, int there, int recorded) {
    auto const what = fmt::format("topic {} has {} partitions, this installation's log {}", topic, there, recorded);
    if (there > recorded) {
        return fmt::format(
            "{}: Kafka can't take partitions away; to take the new ones into the log run `workforce migrate` with "
            "partitions = {}",
            what, there);
    }
    return what + ": it is another topic (kafka_topic, kafka_brokers), or was made anew and lacks a part of the log";
}

std::string describe_other(OwnerRecord const& record, std::string_view incarnation) {
    return fmt::format(
        "belongs to another database (incarnation {} of {}; this one is {}): give this one a topic of its own "
        "(kafka_topic)",
        record.incarnation, record.source, incarnation.empty() ? "new" : incarnation);
}

std::string describe_lack(std::int64_t offset) {
    return fmt::format(
        "lacks the record at offset {} that made it this database's: topic or partition were made anew, or it is "
        "another cluster's (kafka_brokers)",
        offset);
}

void require_owner(ClientOptions const& options, Owner const& owner, int partitions) {
    auto const recorded = static_cast<int>(owner.offsets.size());
    if (partitions != recorded) throw LogUnfit(describe_partitions(options.topic, partitions, recorded));
    auto const found = records_at(options, owner.offsets);
    for (int i = 0; i < partitions; ++i) {
        auto const index = static_cast<std::size_t>(i);
        auto const record = found[index] ? owner_record_of(*found[index]) : std::nullopt;
        if (record && record->incarnation == owner.incarnation && record->partition == i) continue;
        throw LogUnfit(
            fmt::format("partition {} of topic {} {}", i, options.topic,
                        record ? describe_other(*record, owner.incarnation) : describe_lack(owner.offsets[index])));
    }
}

}  // namespace workforce::events::kafka
