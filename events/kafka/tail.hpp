// One thread a process that follows the end of every partition in use.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "events/kafka/client.hpp"
#include "events/kafka/partition.hpp"

namespace workforce::events::kafka {

/// Reads with a connection of its own from offset 0 on and feeds the partitions; also ends operations whose time is up.
class Tail {
   public:
    /// `tidy` is called some ten times a second, on the tail's thread. Errors: std::runtime_error of the client.
    Tail(ClientOptions const& options, Client& asker, std::deque<Partition>& partitions, std::function<void()> tidy);
    Tail(Tail const&) = delete;
    Tail& operator=(Tail const&) = delete;
    /// Stops reading.
    ~Tail();

    /// Begins to follow a partition; nothing when it is followed already. Thread-safe.
    void follow(int partition);

   private:
    void run();
    void take(std::vector<Message> const& messages);
    void drained();
    void on_error(rd_kafka_message_t const& message);
    /// Whether a partition from which the broker gave nothing for our offset may be read on.
    void examine(int partition);

    ClientOptions const& options_;
    Client& asker_;
    std::deque<Partition>& partitions_;
    std::function<void()> const tidy_;
    Client client_;
    Queue queue_;
    std::mutex mutex_;
    std::vector<bool> followed_;
    // Of the tail's thread only:
    std::map<int, Clock::time_point> doubtful_;  // partitions to examine, and when
    std::set<int> behind_;                       // partitions whose messages came since the queue was empty
    std::size_t backlog_ = 0;                    // the bytes of those messages
    std::atomic<bool> stopping_ = false;
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
