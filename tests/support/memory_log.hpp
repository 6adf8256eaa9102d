// A log in memory of one partition, for tests of who reads one.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "events/log/chain.hpp"
#include "events/log/log.hpp"

namespace workforce::tests {

/// Holds bodies as they are put there; claims are counted. Not thread-safe but for reads.
class MemoryLog final : public events::EventLog {
   public:
    /// Puts a record behind the last one.
    void put(std::string body) { bodies_.push_back(std::move(body)); }
    /// Reads find no record from that position on, though the head tells of them.
    void hide_from(std::int64_t position) { hidden_from_ = static_cast<std::size_t>(position); }
    /// The present epoch, 1 at first, and where it ends now.
    [[nodiscard]] events::Claim claim() { return {.partition = 0, .epoch = epoch_, .head = head(0)}; }

    [[nodiscard]] int partitions() const override { return 1; }
    boost::asio::awaitable<events::Claim> claim_from(int, std::string, std::int64_t least_epoch) override {
        epoch_ = std::max(epoch_ + 1, least_epoch);
        co_return claim();
    }
    boost::asio::awaitable<tl::expected<void, events::AppendFault>> append(events::Claim const&, events::Head,
                                                                           events::Head,
                                                                           std::vector<std::string>) override {
        throw std::logic_error("nobody writes here");
    }
    boost::asio::awaitable<tl::expected<void, events::AppendFault>> confirm(events::Claim const&) override {
        throw std::logic_error("nobody writes here");
    }
    std::vector<events::Record> read(int, std::int64_t from, std::size_t max_records, std::size_t) override {
        std::vector<events::Record> records;
        auto const end = std::min(bodies_.size(), hidden_from_);
        for (auto i = static_cast<std::size_t>(from); i < end && records.size() < max_records; ++i) {
            records.push_back({static_cast<std::int64_t>(i), bodies_[i]});
        }
        return records;
    }
    void wait(int, std::int64_t, std::chrono::milliseconds) override {}
    std::unique_ptr<events::LogScan> scan(int, std::int64_t from) override {
        auto scan = std::make_unique<Scan>();
        for (auto const& record : read(0, from, bodies_.size(), 0)) {
            scan->entries.push_back({.kind = events::LogEntry::Kind::event,
                                     .offset = record.position,
                                     .position = record.position,
                                     .epoch = 0,
                                     .text = record.body,
                                     .fault = {}});
        }
        return scan;
    }
    events::Head head(int) override {
        if (bodies_.empty()) return {};
        return {static_cast<std::int64_t>(bodies_.size()) - 1, events::record_hash(bodies_.back())};
    }
    std::chrono::milliseconds silence() override { return {}; }
    void stop() override {}

   private:
    struct Scan final : events::LogScan {
        std::vector<events::LogEntry> next(std::size_t) override { return std::exchange(entries, {}); }
        std::vector<events::LogEntry> entries;
    };

    std::vector<std::string> bodies_;
    std::int64_t epoch_ = 1;
    std::size_t hidden_from_ = SIZE_MAX;
};

}  // namespace workforce::tests
