// What stands in each partition against what the database says of it.
#include "events/log/own_topic.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/crypto.hpp"
#include "events/attributes.hpp"
#include "events/log/installation.hpp"
#include "events/log/kafka/kafka_log.hpp"
#include "events/log/kafka/topic.hpp"

namespace workforce::events {
namespace {

using Records = std::vector<std::optional<std::string>>;

class Taking {
   public:
    Taking(core::Config const& config, kafka::ClientOptions const& options)
        : config_(config),
          options_(options),
          installation_(read_installation(config.database_url)),
          kept_here_(installation_.log == "kafka"),
          folded_(kept_here_ ? read_folded(config.database_url) : std::map<int, std::int64_t>{}),
          known_(read_topic_records(config.database_url, options.topic)) {}

    void run() {
        make_topic();
        judge();
        require_written_here();
        name_database();
        mark();
        record_topic(config_.database_url, options_.topic, known_);
        record_partitions(config_.database_url, config_.partitions);
    }

   private:
    [[noreturn]] void refuse(int partition, std::string const& why) const {
        throw LogUnfit(fmt::format("partition {} of topic {} {}", partition, options_.topic, why));
    }

    [[nodiscard]] std::int64_t folded(int partition) const {
        auto const found = folded_.find(partition);
        return found == folded_.end() ? -1 : found->second;
    }

    void make_topic() const {
        auto const there = kafka::count_partitions(options_);
        auto const recorded = kept_here_ ? installation_.partitions : 0;
        if (there == 0) {
            for (auto const& [partition, position] : folded_) {
                if (position >= 0) refuse(partition, fmt::format("is not there, and {}", behind(position)));
            }
        } else if (recorded > 0 && there != recorded && (there < recorded || config_.partitions != there)) {
            throw LogUnfit(kafka::describe_partitions(options_.topic, there, recorded));
        }
        kafka::create_topic(options_, config_.partitions, config_.kafka_replication);
    }

    [[nodiscard]] static std::string behind(std::int64_t position) {
        return fmt::format(
            "this database has folded its events up to position {}: is it the right topic (kafka_topic, "
            "kafka_brokers)?",
            position);
    }

    /// Decides for each partition whether it is to get an owner record.
    void judge() {
        std::vector<std::int64_t> offsets(static_cast<std::size_t>(config_.partitions), 0);
        for (auto const& [partition, offset] : known_) {
            if (partition < config_.partitions) offsets[static_cast<std::size_t>(partition)] = offset;
        }
        auto const there = kafka::records_at(options_, offsets);
        for (int i = 0; i < config_.partitions; ++i) {
            auto const& body = there[static_cast<std::size_t>(i)];
            auto const record = body ? kafka::owner_record_of(*body) : std::nullopt;
            bool const ours = record && record->incarnation == installation_.incarnation && record->partition == i;
            if (record && !ours) refuse(i, kafka::describe_other(*record, installation_.incarnation));
            if (!record && known_.contains(i)) refuse(i, kafka::describe_lack(known_.at(i)));
            if (!record && !body && folded(i) >= 0) refuse(i, "is empty, and " + behind(folded(i)));
            if (!record) to_mark_.push_back(i);
            if (record) known_.emplace(i, 0);
            if (!record && body) written_.emplace(i, *body);
        }
    }

    /// Of partitions that hold records but no owner record: they have to be this database's, from before there were
    /// such.
    void require_written_here() const {
        if (written_.empty()) return;
        if (!kept_here_ || !installation_.unmarked) {
            refuse(written_.begin()->first,
                   "holds records of a log that is not this database's: give it a topic of its own (kafka_topic)");
        }
        KafkaLogOptions options;
        options.client = options_;
        options.database_url = config_.database_url;
        KafkaLog log(options, config_.partitions);
        auto const source = "urn:workforce:" + installation_.name;
        for (auto const& [partition, first] : written_) {
            // Who else marked it did so after whatever this database knows of the partition: it stands behind its
            // marks.
            auto const other = log.owner_seen(partition);
            if (other && other->incarnation != installation_.incarnation) {
                refuse(partition, kafka::describe_other(*other, installation_.incarnation));
            }
            auto const head = log.head(partition).position;
            if (head < folded(partition)) {
                refuse(partition, fmt::format("ends at position {}, and {}", head, behind(folded(partition))));
            }
            auto const last = head < 0 ? std::vector<Record>{} : log.read(partition, head, 1, kMaxRecordBytes);
            auto const named = attribute(last.empty() ? first : last.front().body, "source");
            if (named && *named != source) {
                refuse(partition, fmt::format("is the log of {}, not of {}", *named, source));
            }
        }
        log.stop();
    }

    void name_database() {
        bool const anew = installation_.incarnation.empty() || (installation_.copied && !kept_here_);
        if (!anew) return;
        constexpr std::size_t kLength = 22;  // 130 bits
        record_incarnation(config_.database_url, core::random_base62(kLength));
        installation_ = read_installation(config_.database_url);
    }

    void mark() {
        auto const name = installation_.name.empty() ? config_.installation : installation_.name;
        for (int const partition : to_mark_) {
            auto const offset = kafka::append_record(options_, partition,
                                                     kafka::make_owner_record({.incarnation = installation_.incarnation,
                                                                               .formerly = {},
                                                                               .source = "urn:workforce:" + name,
                                                                               .signature = {},
                                                                               .partition = partition}));
            known_[partition] = offset;
        }
        if (to_mark_.size() > written_.size()) require_first();
    }

    /// Two databases may have found the partition empty: it belongs to the one whose record is the first.
    void require_first() {
        auto const there =
            kafka::records_at(options_, std::vector<std::int64_t>(static_cast<std::size_t>(config_.partitions), 0));
        for (int const partition : to_mark_) {
            if (written_.contains(partition)) continue;
            auto const& body = there[static_cast<std::size_t>(partition)];
            auto const record = body ? kafka::owner_record_of(*body) : std::nullopt;
            if (!record) refuse(partition, "got a record of somebody else just now: give this database another topic");
            if (record->incarnation != installation_.incarnation) {
                refuse(partition, kafka::describe_other(*record, installation_.incarnation));
            }
            known_[partition] = 0;
        }
    }

    core::Config const& config_;
    kafka::ClientOptions const& options_;
    Installation installation_;
    bool const kept_here_;  // its log is in Kafka now, not on the way there
    std::map<int, std::int64_t> const folded_;
    std::map<int, std::int64_t> known_;  // offsets of owner records
    std::vector<int> to_mark_;
    std::map<int, std::string> written_;  // first records of partitions without an owner record
};

}  // namespace

void own_topic(core::Config const& config, kafka::ClientOptions const& options) { Taking(config, options).run(); }

}  // namespace workforce::events
