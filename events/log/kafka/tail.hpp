// One thread a process that follows the end of every partition in use, and others that block in its stead.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "events/log/kafka/broker_watch.hpp"
#include "events/log/kafka/client.hpp"
#include "events/log/kafka/partition.hpp"
#include "events/log/silence.hpp"

namespace workforce::events::kafka {

/// Reads with a connection of its own, from the last mark or offset 0 on, and feeds the partitions; also ends
/// operations whose time is up. Its thread completes what writers of all partitions wait for, so it asks nobody: what
/// blocks on brokers or the database is done by a few helpers.
class Tail {
   public:
    /// `marks` may be null. `tidy` is called some times a second, on a helper. Errors: std::runtime_error of the
    /// client.
    Tail(ClientOptions const& options, Client& asker, std::deque<Partition>& partitions, MarkTable* marks,
         std::function<void()> tidy);
    Tail(Tail const&) = delete;
    Tail& operator=(Tail const&) = delete;
    /// Stops reading.
    ~Tail();

    /// Begins to follow a partition soon; nothing when it is followed already. Thread-safe; does not block.
    void follow(int partition);

    /// As EventLog::silence. A service asks each second whether any broker answers; with ClientOptions::quiet the tail
    /// asks only when this is called, at most once a second.
    std::chrono::milliseconds silence();

    /// The cluster as it was found by the last of these questions. Thread-safe.
    [[nodiscard]] std::optional<ClusterView> cluster() const { return brokers_.view(); }

   private:
    enum class Job : std::uint8_t { begin, nudge, examine, forget, tidy, ask };

    void run();
    void tick(Clock::time_point now);
    void take(std::vector<Message> const& messages);
    void drained();
    /// False when the partition has to be read from its beginning.
    [[nodiscard]] bool on_error(rd_kafka_message_t const& message);
    /// Has the client read the partition from where it stands.
    void read_on(int partition);
    /// The same from the beginning, for its mark does not fit.
    void start_over(int partition);

    /// Has a helper do it, unless one is at it.
    void help(Job job, int partition);
    /// Has a helper do what was put among `under_way_`.
    void set_to(Job job, int partition);
    void work(Job job, int partition);
    void begin(int partition);
    /// Whether a partition from which the broker gave nothing for our offset may be read on.
    void examine(int partition);
    /// Breaks the partition off: the topic has less of it than it must have.
    void went_back(int partition, std::int64_t first, std::int64_t end);
    void save_marks();
    /// Whether a broker answers, and how many are there.
    void ask_brokers();
    void ask_when_due(Clock::time_point now);

    ClientOptions const& options_;
    Client& asker_;
    std::deque<Partition>& partitions_;
    MarkTable* const marks_;
    std::function<void()> const tidy_;
    Client client_;
    Queue queue_;
    Silence silence_;
    BrokerWatch brokers_;
    std::mutex mutex_;  // guards these four
    std::vector<bool> followed_;
    std::map<int, Clock::time_point> doubtful_;  // partitions to examine, and when
    std::set<std::pair<Job, int>> under_way_;
    Clock::time_point next_question_;
    int asked_ = 0;  // the partition whose leader is asked next; of the one question under way
    // Of the tail's thread only:
    Clock::time_point next_tidy_;
    std::set<int> behind_;     // partitions whose messages came since the queue was empty
    std::size_t backlog_ = 0;  // the bytes of those messages
    // Of the one that tidies:
    Clock::time_point next_save_;
    std::atomic<bool> stopping_ = false;
    boost::asio::thread_pool helpers_;
    std::thread thread_;
};

/// The messages that a queue has, or the first one that comes within `wait`.
std::vector<Message> poll(rd_kafka_queue_t* queue, std::chrono::milliseconds wait);

/// Has librdkafka look now whether a queue that was full has room again: by itself it does so once a second. Blocks for
/// a request to the partition's leader, at most a tenth of a second.
void nudge(Client& client, int partition);

/// A message's bytes.
std::string body_of(rd_kafka_message_t const& message);

/// Whether the error says that records are damaged in the broker's files.
bool is_damage(rd_kafka_resp_err_t error);

/// Begins to read a partition into the queue. Errors: std::runtime_error.
void start_reading(Client& client, int partition, std::int64_t offset, rd_kafka_queue_t* queue);

}  // namespace workforce::events::kafka
