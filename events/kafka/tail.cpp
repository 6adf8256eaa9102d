// The tail's loop.
#include "events/kafka/tail.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/logging.hpp"

namespace workforce::events::kafka {
namespace {

constexpr std::chrono::milliseconds kTick{50};
constexpr std::chrono::milliseconds kExamineTime{1000};
constexpr std::size_t kBacklog = std::size_t{4} << 20;  // below what fills the queue

}  // namespace

std::vector<Message> poll(rd_kafka_queue_t* queue, std::chrono::milliseconds wait) {
    constexpr std::size_t kBatch = 1000;
    std::array<rd_kafka_message_t*, kBatch> batch{};
    std::vector<Message> messages;
    auto take = [&] {
        auto const count = rd_kafka_consume_batch_queue(queue, 0, batch.data(), batch.size());
        for (ssize_t i = 0; i < count; ++i) messages.emplace_back(batch[static_cast<std::size_t>(i)]);
    };
    take();
    if (messages.empty()) {
        // Only the call for one message returns as soon as there is one.
        if (auto* const one = rd_kafka_consume_queue(queue, static_cast<int>(wait.count()))) {
            messages.emplace_back(one);
            take();
        }
    }
    return messages;
}

void nudge(Client& client, int partition) {
    constexpr int kPatience = 100;  // milliseconds
    std::int64_t ignored = 0;
    ask_offset(client, partition, RD_KAFKA_OFFSET_END, kPatience, ignored);
}

std::string body_of(rd_kafka_message_t const& message) {
    return message.payload == nullptr ? std::string()
                                      : std::string(static_cast<char const*>(message.payload), message.len);
}

bool is_damage(rd_kafka_resp_err_t error) {
    return error == RD_KAFKA_RESP_ERR__BAD_MSG || error == RD_KAFKA_RESP_ERR__BAD_COMPRESSION;
}

void start_reading(Client& client, int partition, std::int64_t offset, rd_kafka_queue_t* queue) {
    if (rd_kafka_consume_start_queue(client.topic(), partition, offset, queue) == 0) return;
    throw std::runtime_error(fmt::format("topic {}: partition {} can't be read: {}",
                                         rd_kafka_topic_name(client.topic()), partition,
                                         rd_kafka_err2str(rd_kafka_last_error())));
}

Tail::Tail(ClientOptions const& options, Client& asker, std::deque<Partition>& partitions, std::function<void()> tidy)
    : options_(options),
      asker_(asker),
      partitions_(partitions),
      tidy_(std::move(tidy)),
      client_(options, Role::tail),
      queue_(rd_kafka_queue_new(client_.get())),
      followed_(partitions.size()),
      thread_([this] { run(); }) {}

Tail::~Tail() {
    stopping_ = true;
    thread_.join();
    for (std::size_t i = 0; i < followed_.size(); ++i) {
        if (followed_[i]) rd_kafka_consume_stop(client_.topic(), static_cast<int>(i));
    }
}

void Tail::follow(int partition) {
    std::lock_guard const lock(mutex_);
    auto const index = static_cast<std::size_t>(partition);
    if (followed_.at(index)) return;
    start_reading(client_, partition, 0, queue_.get());
    followed_[index] = true;
}

void Tail::run() {
    auto next_tick = Clock::now();
    while (!stopping_) {
        if (backlog_ >= kBacklog && rd_kafka_queue_length(queue_.get()) == 0) drained();
        take(poll(queue_.get(), kTick));
        auto const now = Clock::now();
        if (now < next_tick) continue;
        next_tick = now + kTick;
        rd_kafka_poll(client_.get(), 0);
        auto const trouble = client_.trouble();
        for (auto& partition : partitions_) {
            if (!trouble.empty()) partition.set_trouble(trouble);
            partition.expire(now);
        }
        for (auto const& [partition, when] : std::exchange(doubtful_, {})) {
            if (now >= when) {
                examine(partition);
            } else {
                doubtful_.emplace(partition, when);
            }
        }
        tidy_();
    }
}

void Tail::drained() {
    for (auto const partition : behind_) nudge(client_, partition);
    behind_.clear();
    backlog_ = 0;
}

void Tail::take(std::vector<Message> const& messages) {
    if (messages.empty()) {
        behind_.clear();
        backlog_ = 0;
        return;
    }
    client_.reached();
    std::vector<Partition::Raw> run;
    int of = -1;
    auto const flush = [&] {
        if (!run.empty()) partitions_.at(static_cast<std::size_t>(of)).fold(std::exchange(run, {}));
    };
    for (auto const& message : messages) {
        if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            flush();
            on_error(*message);
            continue;
        }
        if (message->partition != of) flush();
        of = message->partition;
        behind_.insert(of);
        backlog_ += message->len;
        run.push_back({message->offset, body_of(*message)});
    }
    flush();
}

void Tail::on_error(rd_kafka_message_t const& message) {
    std::string const why = rd_kafka_message_errstr(&message);
    if (message.rkt == nullptr || message.partition < 0 || message.partition >= static_cast<int>(partitions_.size())) {
        return;  // about brokers: the client keeps what it says
    }
    auto& partition = partitions_[static_cast<std::size_t>(message.partition)];
    if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return partition.reached_end(message.offset);
    if (message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
        doubtful_.emplace(message.partition, Clock::now());
        return;
    }
    if (is_damage(message.err)) {
        return partition.break_off(fmt::format("topic {}: partition {} is damaged at offset {}: {}", options_.topic,
                                               message.partition, message.offset, why));
    }
    partition.set_trouble(why);
}

void Tail::examine(int partition) {
    auto& ours = partitions_[static_cast<std::size_t>(partition)];
    auto const next = ours.view().next_offset;
    try {
        auto const first = offset_of(asker_, partition, RD_KAFKA_OFFSET_BEGINNING, kExamineTime);
        auto const end = offset_of(asker_, partition, RD_KAFKA_OFFSET_END, kExamineTime);
        if (first > 0 || end < next) {
            return ours.break_off(
                fmt::format("topic {}: partition {} went back: it has offsets {} to {}, and was read "
                            "from 0 to {} before",
                            options_.topic, partition, first, end, next));
        }
        // A leader that lagged said so; it is right again.
        rd_kafka_consume_stop(client_.topic(), partition);
        start_reading(client_, partition, next, queue_.get());
    } catch (std::exception const& failed) {
        ours.set_trouble(failed.what());
        doubtful_.emplace(partition, Clock::now() + kExamineTime);
    }
}

}  // namespace workforce::events::kafka
