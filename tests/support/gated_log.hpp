// A log for tests that hold back appends and reads, count appends, and lose an append or its answer on the way.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/completion.hpp"
#include "events/log/log.hpp"

namespace workforce::tests {

/// What happens to an append or a confirmation: nothing, or its request or its answer is lost.
enum class InjectedFault : std::uint8_t { none, request_lost, answer_lost };

/// Passes all on to a real engine. Appends and confirmations go through a gate, which is open at first. Thread-safe.
class GatedLog final : public events::EventLog {
   public:
    /// The engine outlives this.
    explicit GatedLog(events::EventLog& engine) : engine_(engine) {}

    /// Shuts the gate: what comes from now on waits before it.
    void hold() {
        std::lock_guard const lock(mutex_);
        held_ = true;
    }
    /// Opens the gate for what waits and what comes.
    void release() {
        std::deque<core::Completion<bool>> waiting;
        {
            std::lock_guard const lock(mutex_);
            held_ = false;
            waiting.swap(waiting_);
        }
        for (auto& each : waiting) each(true);
    }
    /// Returns once something waits at the gate; throws std::runtime_error when nothing comes in half a minute.
    void await_held() {
        std::unique_lock lock(mutex_);
        if (!arrived_.wait_for(lock, std::chrono::seconds(30), [this] { return !waiting_.empty(); })) {
            throw std::runtime_error("nothing came to the gate");
        }
    }
    /// Lets reads wait (true), and lets those that wait go on (false).
    void hold_reads(bool hold) {
        std::lock_guard const lock(mutex_);
        reads_held_ = hold;
        arrived_.notify_all();
    }
    /// Returns once so many reads wait; throws std::runtime_error when that takes half a minute.
    void await_held_reads(int count) {
        std::unique_lock lock(mutex_);
        if (!arrived_.wait_for(lock, std::chrono::seconds(30), [&] { return reads_waiting_ >= count; })) {
            throw std::runtime_error("nobody reads");
        }
    }
    /// Has these happen to those that pass the gate next, in their order; further ones arrive.
    void inject(std::deque<InjectedFault> faults) {
        std::lock_guard const lock(mutex_);
        faults_ = std::move(faults);
    }
    /// The number of records of each append that passed since the last call; 0 stands for a confirmation.
    std::vector<std::size_t> take_passed() {
        std::lock_guard const lock(mutex_);
        return std::exchange(passed_, {});
    }

    [[nodiscard]] int partitions() const override { return engine_.partitions(); }
    boost::asio::awaitable<events::Claim> claim_from(int partition, std::string owner,
                                                     std::int64_t least_epoch) override {
        return engine_.claim_from(partition, std::move(owner), least_epoch);
    }
    std::unique_ptr<events::LogScan> scan(int partition, std::int64_t from) override {
        return engine_.scan(partition, from);
    }
    boost::asio::awaitable<tl::expected<void, events::AppendFault>> append(events::Claim const& claim,
                                                                           events::Head before, events::Head after,
                                                                           std::vector<std::string> bodies) override {
        auto const fault = co_await pass(bodies.size());
        if (fault == InjectedFault::request_lost) co_return tl::unexpected(events::AppendFault::unknown);
        auto result = co_await engine_.append(claim, std::move(before), std::move(after), std::move(bodies));
        if (fault == InjectedFault::answer_lost) co_return tl::unexpected(events::AppendFault::unknown);
        co_return result;
    }
    boost::asio::awaitable<tl::expected<void, events::AppendFault>> confirm(events::Claim const& claim) override {
        if (co_await pass(0) != InjectedFault::none) co_return tl::unexpected(events::AppendFault::unknown);
        co_return co_await engine_.confirm(claim);
    }
    std::vector<events::Record> read(int partition, std::int64_t from, std::size_t max_records,
                                     std::size_t max_bytes) override {
        {
            std::unique_lock lock(mutex_);
            ++reads_waiting_;
            arrived_.notify_all();
            arrived_.wait(lock, [this] { return !reads_held_; });
            --reads_waiting_;
        }
        return engine_.read(partition, from, max_records, max_bytes);
    }
    void wait(int partition, std::int64_t position, std::chrono::milliseconds timeout) override {
        engine_.wait(partition, position, timeout);
    }
    events::Head head(int partition) override { return engine_.head(partition); }
    std::chrono::milliseconds silence() override { return engine_.silence(); }
    void stop() override { engine_.stop(); }

   private:
    /// Waits while the gate is shut. Returns what is injected.
    boost::asio::awaitable<InjectedFault> pass(std::size_t records) {
        co_await core::await_completion<bool>([this](core::Completion<bool> done) {
            {
                std::lock_guard const lock(mutex_);
                if (held_) {
                    waiting_.push_back(std::move(done));
                    arrived_.notify_all();
                    return;
                }
            }
            done(true);
        });
        std::lock_guard const lock(mutex_);
        passed_.push_back(records);
        if (faults_.empty()) co_return InjectedFault::none;
        auto const fault = faults_.front();
        faults_.pop_front();
        co_return fault;
    }

    events::EventLog& engine_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    bool held_ = false;
    bool reads_held_ = false;
    int reads_waiting_ = 0;
    std::deque<core::Completion<bool>> waiting_;
    std::deque<InjectedFault> faults_;
    std::vector<std::size_t> passed_;
};

}  // namespace workforce::tests
