// Metadata of the topic, and lines about it.
#include "events/log/kafka/broker_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::events::kafka {
namespace {

constexpr int kReplicated = 3;  // with so many, min.insync.replicas is at least 2 (topic.cpp)

/// What it means for writes, for people.
std::string meaning_of(ClusterView const& view) {
    if (view.blocked == 0) return "writes go on";
    if (view.blocked == view.partitions) return "writes are answered with 503: too few replicas; reads go on";
    return fmt::format("writes to {} of {} partitions are answered with 503: too few replicas", view.blocked,
                       view.partitions);
}

}  // namespace

std::optional<ClusterView> view_cluster(Client& asker, int milliseconds) {
    rd_kafka_metadata_t const* metadata = nullptr;
    if (rd_kafka_metadata(asker.get(), 0, asker.topic(), &metadata, milliseconds) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return std::nullopt;
    }
    std::unique_ptr<rd_kafka_metadata_t const, Release<rd_kafka_metadata_destroy>> const owner(metadata);
    if (metadata->topic_cnt != 1 || metadata->broker_cnt == 0) return std::nullopt;  // it has just begun to serve
    std::set<std::int32_t> up;
    for (int i = 0; i < metadata->broker_cnt; ++i) up.insert(metadata->brokers[i].id);
    auto known = up;
    auto const& topic = metadata->topics[0];
    if (topic.partition_cnt == 0) return std::nullopt;
    ClusterView view{.partitions = topic.partition_cnt};
    for (int i = 0; i < topic.partition_cnt; ++i) {
        auto const& partition = topic.partitions[i];
        known.insert(partition.replicas, partition.replicas + partition.replica_cnt);
        int const needed = partition.replica_cnt < kReplicated ? 1 : 2;
        if (partition.leader < 0 || partition.isr_cnt < needed) ++view.blocked;
    }
    view.known = static_cast<int>(known.size());
    view.up = static_cast<int>(up.size());
    return view;
}

void BrokerWatch::answered(Clock::time_point asked, std::optional<ClusterView> const& view, std::string_view trouble,
                           std::string_view lasting) {
    if (!quiet_) core::broker_outage().answered(asked);
    std::lock_guard const lock(mutex_);
    unanswered_ = 0;
    if (!view) return;
    view_ = view;
    if (quiet_) return;
    tell(now_(), *view, trouble);
    if (view->up == view->known && !lasting.empty()) tell_lasting(now_(), lasting);
}

void BrokerWatch::tell_lasting(Clock::time_point now, std::string_view lasting) {
    if (last_lasting_line_ != Clock::time_point() && now - last_lasting_line_ < kRepeat) return;
    last_lasting_line_ = now;
    core::log(core::Level::warn, "a Kafka broker of the cluster can't be reached from this process",
              {{"error", lasting}});
}

void BrokerWatch::tell(Clock::time_point now, ClusterView const& seen, std::string_view trouble) {
    if (seen.up == seen.known) {
        if (!told_) return;
        told_.reset();
        core::log(core::Level::info, fmt::format("all {} Kafka brokers are back", seen.known),
                  {{"after_seconds", std::chrono::duration<double>(now - away_since_).count()}});
        return;
    }
    if (!told_) away_since_ = now;
    bool const same =
        told_ && told_->up == seen.up && told_->known == seen.known && (told_->blocked == 0) == (seen.blocked == 0);
    if (same && now - last_line_ < kRepeat) return;
    told_ = seen;
    last_line_ = now;
    core::log(core::Level::warn, fmt::format("{} of {} Kafka brokers are away", seen.known - seen.up, seen.known),
              {{"means", meaning_of(seen)},
               {"seconds", std::chrono::duration<double>(now - away_since_).count()},
               {"error", trouble}});
}

void BrokerWatch::unanswered(Clock::time_point asked, std::string_view trouble, bool certain) {
    std::string_view const why = trouble.empty() ? "no answer in time" : trouble;
    {
        std::lock_guard const lock(mutex_);
        ++unanswered_;
        if (certain) unanswered_ = std::max(unanswered_, kUnanswered);
        if (unanswered_ < kUnanswered) {
            if (!quiet_) core::broker_outage().doubt();
            return;
        }
    }
    if (!quiet_) core::broker_outage().failed(why, asked);
}

std::optional<ClusterView> BrokerWatch::view() const {
    std::lock_guard const lock(mutex_);
    auto view = view_;
    if (view && unanswered_ >= kUnanswered) {
        view->up = 0;
        view->blocked = view->partitions;
    }
    return view;
}

}  // namespace workforce::events::kafka
