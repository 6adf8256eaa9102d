// The run of records at a partition's end, and waiting for more.
#include "events/log/partition_tail.hpp"

#include <algorithm>
#include <utility>

namespace workforce::events {

std::size_t tail_limit(std::size_t partitions, std::size_t most) {
    constexpr std::size_t kAll = std::size_t{64} << 20;
    return std::min(most, kAll / std::max<std::size_t>(partitions, 1));
}

void PartitionTail::appended(std::int64_t first, std::vector<std::string> bodies) {
    {
        std::lock_guard const lock(mutex_);
        auto const last = first + static_cast<std::int64_t>(bodies.size()) - 1;
        seen_ = std::max(seen_, last);
        // Acknowledgements may overtake each other; an older one than the run's must not replace it.
        if (run_.empty() || first > end()) {
            run_.clear();
            bytes_ = 0;
            first_ = first;
        }
        if (first == end()) {
            for (auto& body : bodies) {
                bytes_ += body.size();
                run_.push_back(std::move(body));
            }
        }
        while (bytes_ > limit_) {
            bytes_ -= run_.front().size();
            run_.pop_front();
            ++first_;
        }
    }
    moved_.notify_all();
}

void PartitionTail::drop() {
    std::lock_guard const lock(mutex_);
    run_.clear();
    bytes_ = 0;
}

void PartitionTail::seen(std::int64_t position) {
    {
        std::lock_guard const lock(mutex_);
        if (position <= seen_) return;
        seen_ = position;
    }
    moved_.notify_all();
}

std::optional<std::vector<Record>> PartitionTail::read(std::int64_t from, std::size_t max_records,
                                                       std::size_t max_bytes) const {
    std::lock_guard const lock(mutex_);
    if (from < first_ || from >= end()) return std::nullopt;
    std::vector<Record> records;
    std::size_t bytes = 0;
    for (auto position = from; position < end() && records.size() < max_records; ++position) {
        auto const& body = run_[static_cast<std::size_t>(position - first_)];
        bytes += body.size();
        if (!records.empty() && bytes > max_bytes) break;
        records.push_back({position, body});
    }
    return records;
}

void PartitionTail::wait(std::int64_t position, std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    moved_.wait_for(lock, timeout, [&] { return stopped_ || seen_ >= position; });
}

void PartitionTail::stop() {
    {
        std::lock_guard const lock(mutex_);
        stopped_ = true;
    }
    moved_.notify_all();
}

}  // namespace workforce::events
