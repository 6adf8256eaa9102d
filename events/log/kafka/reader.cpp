// Cursor consumers.
#include "events/log/kafka/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/logging.hpp"
#include "events/log/kafka/tail.hpp"

namespace workforce::events::kafka {
namespace {

constexpr std::chrono::milliseconds kSoon{5};
constexpr std::chrono::milliseconds kSlice{50};
constexpr std::chrono::seconds kIdle{10};

}  // namespace

void Reader::stop() {
    if (partition_ >= 0) rd_kafka_consume_stop(client_.topic(), partition_);
    partition_ = -1;
    unread_.clear();
    queue_.reset();
}

void Reader::aim(int partition, Mark const& mark) {
    stop();
    queue_.reset(rd_kafka_queue_new(client_.get()));
    next_offset_ = std::max(mark.offset, std::int64_t{0});
    start_reading(client_, partition, next_offset_, queue_.get());
    partition_ = partition;
    unproved_ = mark.offset >= 0 ? std::optional(mark) : std::nullopt;
    arbiter_ = Arbiter(mark.epoch, mark.head);
}

void Reader::start_over() {
    core::log(core::Level::warn, "a mark does not fit the topic; the partition is read from its beginning",
              {{"partition", partition_}, {"offset", unproved_->offset}, {"position", unproved_->head.position}});
    aim(partition_, {});
}

bool Reader::advance(std::int64_t until, std::vector<Ruling>& rulings) {
    if (unproved_ && unproved_->offset >= until) start_over();
    auto const deadline = Clock::now() + options_.timeout;
    bool advanced = false;
    bool nudged = false;
    while (next_offset_ < until) {
        if (unread_.empty()) {
            if (advanced) return true;
            for (auto& message : poll(queue_.get(), nudged ? kSlice : kSoon)) unread_.push_back(std::move(message));
            if (!unread_.empty()) {
                client_.reached();
                continue;
            }
            if (!std::exchange(nudged, true)) nudge(client_, partition_);
            rd_kafka_poll(client_.get(), 0);
            if (Clock::now() < deadline) continue;
            auto const why = client_.trouble();
            throw LogUnavailable(unavailable(fmt::format("partition {} can't be read", partition_),
                                             why.empty() ? "nothing comes" : why));
        }
        auto const message = std::move(unread_.front());
        unread_.pop_front();
        auto const before = next_offset_;
        take(*message, rulings);
        advanced = advanced || next_offset_ > before;
    }
    return advanced;
}

void Reader::take(rd_kafka_message_t const& message, std::vector<Ruling>& rulings) {
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) return on_error(message);
    if (message.offset < next_offset_) return;
    if (unproved_) {
        if (!stands_at(*unproved_, message.offset, body_of(message))) return start_over();
        unproved_.reset();
    } else {
        arbiter_.fold(message.offset, body_of(message), rulings);
    }
    next_offset_ = message.offset + 1;
}

void Reader::on_error(rd_kafka_message_t const& message) {
    std::string const why = rd_kafka_message_errstr(&message);
    bool const end = message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
    bool const outside = message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET;
    if (unproved_ && (end || outside)) return start_over();
    if (end) {
        next_offset_ = std::max(next_offset_, message.offset);
    } else if (outside || is_damage(message.err)) {
        throw LogUnfit(fmt::format("topic {}: partition {} can't be read at offset {}: {}", options_.topic, partition_,
                                   std::max(next_offset_, message.offset), why));
    }
}

std::shared_ptr<ReaderPool::Slot> ReaderPool::take(int partition, std::int64_t from, Mark const& mark) {
    std::shared_ptr<Slot> slot;
    bool fits = false;
    {
        std::unique_lock lock(mutex_);
        for (;;) {
            for (auto const& each : slots_) {
                if (each->busy) continue;
                fits = each->reader->partition() == partition && each->next == from;
                if (fits || !slot || each->used < slot->used) slot = each;
                if (fits) break;
            }
            if (!fits && slots_.size() < limit_) slot = slots_.emplace_back(std::make_shared<Slot>());
            if (slot) break;
            freed_.wait(lock);
        }
        slot->busy = true;
    }
    if (fits) return slot;
    try {
        if (!slot->reader) slot->reader = std::make_unique<Reader>(options_, Role::cursor);
        slot->ready.clear();
        slot->next = mark.head.position + 1;
        slot->reader->aim(partition, mark);
    } catch (...) {
        give_back(slot, false);
        throw;
    }
    return slot;
}

void ReaderPool::give_back(std::shared_ptr<Slot> const& slot, bool usable) {
    {
        std::lock_guard const lock(mutex_);
        slot->busy = false;
        slot->used = Clock::now();
        if (!usable) std::erase(slots_, slot);
    }
    freed_.notify_one();
}

void ReaderPool::tidy() {
    std::vector<std::shared_ptr<Slot>> idle;  // destroyed without the lock
    std::lock_guard const lock(mutex_);
    std::erase_if(slots_, [&](std::shared_ptr<Slot> const& each) {
        if (each->busy || Clock::now() - each->used < kIdle) return false;
        idle.push_back(each);
        return true;
    });
}

std::vector<Record> ReaderPool::read(int partition, std::int64_t from, Mark const& mark, std::int64_t until,
                                     std::size_t max_records, std::size_t max_bytes) {
    auto const slot = take(partition, from, mark);
    std::vector<Record> records;
    try {
        std::size_t bytes = 0;
        std::vector<Ruling> rulings;
        for (;;) {
            while (!slot->ready.empty() && slot->ready.front().position < from) slot->ready.pop_front();
            while (!slot->ready.empty() && records.size() < max_records) {
                auto& next = slot->ready.front();
                bytes += next.body.size();
                if (!records.empty() && bytes > max_bytes) break;
                slot->next = next.position + 1;
                records.push_back(std::move(next));
                slot->ready.pop_front();
            }
            if (!slot->ready.empty() || records.size() == max_records || bytes >= max_bytes) break;
            rulings.clear();
            if (!slot->reader->advance(until, rulings)) break;
            for (auto& ruling : rulings) {
                if (ruling.kind == Ruling::Kind::counts) {
                    slot->ready.push_back({ruling.position, std::move(ruling.body)});
                }
            }
        }
        if (records.empty()) slot->next = slot->reader->arbiter().head().position + 1;
    } catch (...) {
        give_back(slot, false);
        throw;
    }
    give_back(slot, true);
    return records;
}

}  // namespace workforce::events::kafka
