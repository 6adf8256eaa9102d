// The tail's loop.
#include "events/log/kafka/tail.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/post.hpp>
#include <utility>

#include "core/logging.hpp"
#include "core/outage.hpp"

namespace workforce::events::kafka {
namespace {

constexpr std::chrono::milliseconds kTick{50};
constexpr std::chrono::milliseconds kTidyEvery{200};
constexpr std::chrono::milliseconds kExamineTime{1000};
constexpr std::chrono::seconds kSaveEvery{1};
constexpr std::chrono::seconds kSavePause{60};  // after a failure
constexpr std::chrono::milliseconds kAskEvery{1000};
constexpr int kAnswerTime = 1000;  // milliseconds
constexpr std::size_t kHelpers = 3;
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

Tail::Tail(ClientOptions const& options, Client& asker, std::deque<Partition>& partitions, MarkTable* marks,
           std::function<void()> tidy)
    : options_(options),
      asker_(asker),
      partitions_(partitions),
      marks_(marks),
      tidy_(std::move(tidy)),
      client_(options, Role::tail),
      queue_(rd_kafka_queue_new(client_.get())),
      brokers_(options.quiet),
      followed_(partitions.size()),
      helpers_(kHelpers),
      thread_([this] { run(); }) {}

Tail::~Tail() {
    stopping_ = true;
    thread_.join();
    helpers_.stop();
    helpers_.join();
    for (std::size_t i = 0; i < followed_.size(); ++i) {
        if (followed_[i]) rd_kafka_consume_stop(client_.topic(), static_cast<int>(i));
    }
}

void Tail::follow(int partition) {
    {
        std::lock_guard const lock(mutex_);
        auto const index = static_cast<std::size_t>(partition);
        if (followed_.at(index)) return;
        followed_[index] = true;
    }
    help(Job::begin, partition);
}

std::chrono::milliseconds Tail::silence() {
    ask_when_due(Clock::now());
    return silence_.lasts();
}

void Tail::ask_when_due(Clock::time_point now) {
    bool due = false;
    {
        std::lock_guard const lock(mutex_);
        due = now >= next_question_;
        if (due) next_question_ = now + kAskEvery;
    }
    if (due) help(Job::ask, 0);
}

// ---- the thread

void Tail::run() {
    auto next_tick = Clock::now();
    while (!stopping_) {
        if (backlog_ >= kBacklog && rd_kafka_queue_length(queue_.get()) == 0) drained();
        take(poll(queue_.get(), kTick));
        auto const now = Clock::now();
        if (now < next_tick) continue;
        next_tick = now + kTick;
        tick(now);
    }
}

void Tail::tick(Clock::time_point now) {
    rd_kafka_poll(client_.get(), 0);
    if (!options_.quiet) ask_when_due(now);  // a service tells of brokers that are away, whoever else asks
    auto const trouble = client_.trouble();
    for (auto& partition : partitions_) {
        if (!trouble.empty()) partition.set_trouble(trouble);
        partition.expire(now);
    }
    std::vector<int> due;
    {
        std::lock_guard const lock(mutex_);
        // What is examined just now stays: it was put there after that had looked.
        std::erase_if(doubtful_, [&](auto const& each) {
            if (now < each.second || !under_way_.emplace(Job::examine, each.first).second) return false;
            due.push_back(each.first);
            return true;
        });
    }
    for (int const partition : due) set_to(Job::examine, partition);
    if (now < next_tidy_) return;
    next_tidy_ = now + kTidyEvery;
    help(Job::tidy, 0);
}

void Tail::drained() {
    for (auto const partition : behind_) help(Job::nudge, partition);
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
    std::set<int> restarted;  // what else came for them is from where they were read before
    int of = -1;
    auto const flush = [&] {
        if (run.empty()) return;
        if (partitions_.at(static_cast<std::size_t>(of)).fold(std::exchange(run, {}))) return;
        restarted.insert(of);
        start_over(of);
    };
    for (auto const& message : messages) {
        if (message->partition != of) flush();
        of = message->partition;
        if (restarted.contains(of)) continue;
        if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            flush();
            if (!restarted.contains(of) && !on_error(*message)) {
                restarted.insert(of);
                start_over(of);
            }
            continue;
        }
        behind_.insert(of);
        backlog_ += message->len;
        run.push_back({message->offset, body_of(*message)});
    }
    flush();
}

bool Tail::on_error(rd_kafka_message_t const& message) {
    std::string const why = rd_kafka_message_errstr(&message);
    if (message.rkt == nullptr || message.partition < 0 || message.partition >= static_cast<int>(partitions_.size())) {
        return true;  // about brokers: the client keeps what it says
    }
    auto& partition = partitions_[static_cast<std::size_t>(message.partition)];
    if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return partition.reached_end(message.offset);
    if (message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
        std::lock_guard const lock(mutex_);
        doubtful_.emplace(message.partition, Clock::now());
    } else if (is_damage(message.err)) {
        partition.break_off(fmt::format("topic {}: partition {} is damaged at offset {}: {}", options_.topic,
                                        message.partition, message.offset, why));
    } else {
        partition.set_trouble(why);
    }
    return true;
}

void Tail::read_on(int partition) {
    auto& ours = partitions_[static_cast<std::size_t>(partition)];
    try {
        start_reading(client_, partition, ours.resume_offset(), queue_.get());
    } catch (std::runtime_error const& failed) {
        ours.break_off(failed.what());
    }
}

void Tail::start_over(int partition) {
    partitions_[static_cast<std::size_t>(partition)].start_over();
    help(Job::forget, partition);
    rd_kafka_consume_stop(client_.topic(), partition);
    read_on(partition);
}

// ---- the helpers

void Tail::help(Job job, int partition) {
    {
        std::lock_guard const lock(mutex_);
        if (!under_way_.emplace(job, partition).second) return;
    }
    set_to(job, partition);
}

void Tail::set_to(Job job, int partition) {
    boost::asio::post(helpers_, [this, job, partition] {
        if (!stopping_) work(job, partition);
        std::lock_guard const lock(mutex_);
        under_way_.erase({job, partition});
    });
}

void Tail::work(Job job, int partition) {
    try {
        switch (job) {
            case Job::begin:
                return begin(partition);
            case Job::nudge:
                return nudge(client_, partition);
            case Job::examine:
                return examine(partition);
            case Job::forget:
                if (marks_ != nullptr) marks_->forget(partition);
                return;
            case Job::tidy:
                tidy_();
                return save_marks();
            case Job::ask:
                return ask_brokers();
        }
    } catch (std::exception const& failed) {
        core::log(core::quiet_while_away(core::Level::warn), "the log's tail failed",
                  {{"topic", options_.topic}, {"partition", partition}, {"why", failed.what()}});
    }
}

void Tail::ask_brokers() {
    auto const asked = Clock::now();
    silence_.asked();
    if (is_there(asker_, asked_, kAnswerTime)) {
        silence_.answered();
        auto const view = view_cluster(asker_, kAnswerTime);
        brokers_.answered(asked, view, client_.trouble(), lasting_trouble(Clock::now()));
        if (view && view->up < view->known) forget_trouble();
    } else {
        bool const certain = asker_.all_down();  // which has it say why
        brokers_.unanswered(asked, asker_.trouble(), certain);
        forget_trouble();
    }
    // Another leader each time, so that one broker that hangs is not taken for the log.
    asked_ = (asked_ + 1) % static_cast<int>(partitions_.size());
}

void Tail::begin(int partition) {
    auto& ours = partitions_[static_cast<std::size_t>(partition)];
    std::vector<Mark> known;
    try {
        if (marks_ != nullptr) known = marks_->load(partition);
    } catch (std::exception const& failed) {
        core::log(core::quiet_while_away(core::Level::warn),
                  "marks can't be had; the partition is read from its beginning",
                  {{"partition", partition}, {"why", failed.what()}});
    }
    ours.begin(std::move(known));
    read_on(partition);
    try {
        auto const first = offset_of(asker_, partition, RD_KAFKA_OFFSET_BEGINNING, kExamineTime);
        auto const end = offset_of(asker_, partition, RD_KAFKA_OFFSET_END, kExamineTime);
        if (first > 0) return went_back(partition, first, end);
        ours.expect_end(end);
    } catch (LogUnavailable const&) {
        // The end is noticed when it is reached, if somewhat later.
    }
}

void Tail::went_back(int partition, std::int64_t first, std::int64_t end) {
    auto& ours = partitions_[static_cast<std::size_t>(partition)];
    ours.break_off(
        fmt::format("topic {}: partition {} went back: it has offsets {} to {}, and was read from 0 to {} before",
                    options_.topic, partition, first, end, ours.resume_offset()));
}

void Tail::examine(int partition) {
    auto& ours = partitions_[static_cast<std::size_t>(partition)];
    try {
        auto const first = offset_of(asker_, partition, RD_KAFKA_OFFSET_BEGINNING, kExamineTime);
        auto const end = offset_of(asker_, partition, RD_KAFKA_OFFSET_END, kExamineTime);
        if (first > 0 || (end < ours.resume_offset() && !ours.unproved())) return went_back(partition, first, end);
        if (ours.unproved() && end < ours.resume_offset()) return start_over(partition);
        rd_kafka_consume_stop(client_.topic(), partition);
        read_on(partition);  // a leader that lagged said so; it is right again
    } catch (std::exception const& failed) {
        ours.set_trouble(failed.what());
        std::lock_guard const lock(mutex_);
        doubtful_.emplace(partition, Clock::now() + kExamineTime);
    }
}

void Tail::save_marks() {
    if (marks_ == nullptr || Clock::now() < next_save_) return;
    next_save_ = Clock::now() + kSaveEvery;
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
        auto const fresh = partitions_[i].unsaved_marks();
        if (fresh.empty()) continue;
        try {
            marks_->save(static_cast<int>(i), fresh);
            partitions_[i].saved(fresh.size());
        } catch (std::exception const& failed) {
            next_save_ = Clock::now() + kSavePause;
            core::log(core::quiet_while_away(core::Level::warn), "marks of the log can't be kept",
                      {{"why", failed.what()}});
            return;
        }
    }
}

}  // namespace workforce::events::kafka
