// Which of the topic's brokers are there, and the log lines that tell an operator when they are not.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "events/log/kafka/client.hpp"
#include "events/log/log.hpp"

namespace workforce::events::kafka {

/// The cluster as one of its brokers describes it.
struct ClusterView {
    int known = 0;    ///< brokers that the cluster lists, and those that should have a replica of the topic
    int up = 0;       ///< of these, those that the cluster lists
    int blocked = 0;  ///< partitions that take no writes: no leader, or too few replicas in step
    int partitions = 0;
};

/// Asks any broker. Nothing when none answers in time. Blocks, for at most `milliseconds`.
std::optional<ClusterView> view_cluster(Client& asker, int milliseconds);

/// Keeps what was seen last, and logs changes: "1 of 3 Kafka brokers are away", and their return. That no broker can be
/// reached at all goes to core::broker_outage(). Thread-safe.
class BrokerWatch {
   public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kRepeat{60};  ///< between lines about the same state
    /// Questions in a row that nobody answered, until the brokers count as away.
    static constexpr int kUnanswered = 2;

    /// `quiet`: no lines. `now` is for tests.
    explicit BrokerWatch(bool quiet, Clock::time_point (*now)() = &Clock::now) : quiet_(quiet), now_(now) {}

    /// A broker answered a question of `asked`; its view of the cluster, where it could be had. `trouble` is what the
    /// client said last about brokers that it can't reach.
    /// `lasting` is as lasting_trouble().
    void answered(Clock::time_point asked, std::optional<ClusterView> const& view, std::string_view trouble,
                  std::string_view lasting = {});
    /// Nobody answered a question of `asked`. `certain`: the client has no connection to any broker.
    void unanswered(Clock::time_point asked, std::string_view trouble, bool certain);

    /// The last view; none are up after kUnanswered questions without an answer. Nothing before the first view.
    [[nodiscard]] std::optional<ClusterView> view() const;

   private:
    void tell(Clock::time_point now, ClusterView const& seen, std::string_view trouble);
    void tell_lasting(Clock::time_point now, std::string_view lasting);

    bool const quiet_;
    Clock::time_point (*const now_)();
    mutable std::mutex mutex_;  // guards what follows
    std::optional<ClusterView> view_;
    int unanswered_ = 0;
    std::optional<ClusterView> told_;  // the state of the last line while brokers are away
    Clock::time_point away_since_;
    Clock::time_point last_line_;
    Clock::time_point last_lasting_line_;
};

}  // namespace workforce::events::kafka
