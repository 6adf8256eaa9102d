// A topic that changes hands.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/crypto.hpp"
#include "events/attributes.hpp"
#include "events/log/installation.hpp"
#include "events/log/kafka/kafka_log.hpp"
#include "events/log/kafka/topic.hpp"
#include "events/log/own_topic.hpp"

namespace workforce::events {
namespace {

/// Whose each partition is: as the last owner record there says, or the one at the offset that the database knows.
std::vector<kafka::OwnerRecord> owners_of(KafkaLog& log, kafka::ClientOptions const& options,
                                          std::string const& database_url) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(log.partitions()));
    for (auto const& [partition, offset] : read_topic_records(database_url, options.topic)) {
        if (partition < log.partitions()) offsets[static_cast<std::size_t>(partition)] = offset;
    }
    auto const there = kafka::records_at(options, offsets);
    auto const first =
        kafka::records_at(options, std::vector<std::int64_t>(static_cast<std::size_t>(log.partitions()), 0));
    std::vector<kafka::OwnerRecord> owners;
    for (int i = 0; i < log.partitions(); ++i) {
        auto owner = log.owner_seen(i);
        for (auto const* found : {&there, &first}) {
            auto const& body = (*found)[static_cast<std::size_t>(i)];
            if (!owner && body) owner = kafka::owner_record_of(*body);
        }
        if (!owner) throw LogUnfit(fmt::format("partition {} of topic {} has no owner record", i, options.topic));
        owners.push_back(*std::move(owner));
    }
    return owners;
}

void require_same_log(KafkaLog& log, Installation const& installation, std::map<int, std::int64_t> const& folded) {
    auto const source = "urn:workforce:" + installation.name;
    for (int i = 0; i < log.partitions(); ++i) {
        auto const head = log.head(i).position;
        auto const furthest = folded.find(i);
        if (furthest != folded.end() && furthest->second > head) {
            throw LogUnfit(
                fmt::format("partition {} ends at position {}, and this database has folded its events up to {}", i,
                            head, furthest->second));
        }
        if (head < 0) continue;
        auto const named = attribute(log.read(i, head, 1, kMaxRecordBytes).at(0).body, "source").value_or("nobody");
        if (named != source) throw LogUnfit(fmt::format("partition {} is the log of {}, not of {}", i, named, source));
    }
}

}  // namespace

void take_topic(core::Config const& config, kafka::ClientOptions const& options, HeadSigner const& signer,
                std::string const& from) {
    auto const installation = read_installation(config.database_url);
    auto const there = kafka::count_partitions(options);
    if (there != installation.partitions) {
        throw LogUnfit(kafka::describe_partitions(options.topic, there, installation.partitions));
    }
    KafkaLogOptions log_options;
    log_options.client = options;
    log_options.database_url = config.database_url;
    KafkaLog log(log_options, there);
    auto const owners = owners_of(log, options, config.database_url);
    // One that was interrupted left some partitions with an owner that no database knows.
    bool const begun = std::any_of(owners.begin(), owners.end(), [&](auto const& o) { return o.incarnation == from; });
    for (auto const& owner : owners) {
        if (owner.incarnation == from || (begun && owner.formerly == from)) continue;
        throw LogUnfit(
            fmt::format("partition {} of topic {} belongs to incarnation {} of {}: if that database is to write no "
                        "more, name it (--from {})",
                        owner.partition, options.topic, owner.incarnation, owner.source, owner.incarnation));
    }
    if (!installation.copied && from != installation.incarnation) {
        throw LogUnfit("this database is no copy of the one that the topic belongs to, and never wrote to it");
    }
    require_same_log(log, installation, read_folded(config.database_url));
    constexpr std::size_t kLength = 22;  // 130 bits
    auto const incarnation = core::random_base62(kLength);
    std::map<int, std::int64_t> records;
    for (int i = 0; i < there; ++i) {
        kafka::OwnerRecord record{.incarnation = incarnation,
                                  .formerly = owners[static_cast<std::size_t>(i)].incarnation,
                                  .source = "urn:workforce:" + installation.name,
                                  .signature = {},
                                  .partition = i};
        record.signature = signer.signature_of(kafka::owner_text(options.topic, record));
        records[i] = kafka::append_record(options, i, kafka::make_owner_record(record));
    }
    log.stop();
    record_topic_taken(config.database_url, options.topic, incarnation, records);
}

}  // namespace workforce::events
