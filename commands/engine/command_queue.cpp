// Admission, fairness, keys in flight, and the turn.
#include "commands/engine/command_queue.hpp"

namespace workforce::commands {

core::Problem clock_off() {
    return {Code::service_unavailable, "The clock of this process is wrong; nothing was changed.", {}};
}

core::Problem other_request() {
    return {Code::idempotency_key_conflict, "The Idempotency-Key was used for another request.", {}};
}

core::Problem CommandQueue::not_served() const {
    if (!clock_.now()) return clock_off();
    return {Code::service_unavailable, "Another process serves this organization's partition.", {}};
}

std::optional<core::Problem> CommandQueue::admit(Submission const& submission) {
    if (!open_) return not_served();
    if (!queue_.has_room({submission.context.organization, submission.context.sandbox})) {
        return core::Problem{
            Code::service_unavailable, "Too many commands wait for this organization's partition.", {}};
    }
    if (!submission.idempotency) return std::nullopt;
    auto const& asked = *submission.idempotency;
    auto const [found, added] = in_flight_.emplace(asked.key, asked.fingerprint);
    if (added) return std::nullopt;
    if (!asked.repeats(found->second)) return other_request();
    return core::Problem{
        Code::idempotency_in_progress, "The first request with the Idempotency-Key is still running.", {}};
}

bool CommandQueue::submit(Submission submission, core::Completion<Reply> done) {
    std::unique_lock lock(mutex_);
    if (auto const problem = admit(submission)) {
        lock.unlock();
        done(refusal(submission, *problem));
        return false;
    }
    queue_.push({std::move(submission), std::move(done)});
    stats_.queued_ever.fetch_add(1, std::memory_order_relaxed);
    show_size();
    return !std::exchange(busy_, true);
}

boost::asio::awaitable<void> CommandQueue::enter() {
    co_await core::await_completion<bool>([this](core::Completion<bool> done) {
        {
            std::lock_guard const lock(mutex_);
            if (std::exchange(busy_, true)) {
                entering_.push_back(std::move(done));
                return;
            }
        }
        done(true);
    });
}

bool CommandQueue::try_enter() {
    std::lock_guard const lock(mutex_);
    return !std::exchange(busy_, true);
}

std::vector<Pending> CommandQueue::take(std::size_t most) {
    std::vector<Pending> batch;
    std::unique_lock lock(mutex_);
    while (!queue_.empty() && batch.size() < most) batch.push_back(queue_.pop());
    show_size();
    if (!batch.empty()) return batch;
    busy_ = !entering_.empty();
    if (!busy_) return batch;
    auto next = std::move(entering_.front());
    entering_.pop_front();
    lock.unlock();
    next(true);
    return batch;
}

void CommandQueue::put_back(std::vector<Pending>& batch, std::size_t from) {
    std::lock_guard const lock(mutex_);
    for (auto i = batch.size(); i > from; --i) queue_.put_back(std::move(batch[i - 1]));
    batch.resize(from);
    show_size();
}

void CommandQueue::finish(Pending& pending, Reply reply) {
    if (pending.submission.idempotency) {
        std::lock_guard const lock(mutex_);
        in_flight_.erase(pending.submission.idempotency->key);
    }
    stats_.commands.fetch_add(1, std::memory_order_relaxed);
    pending.done(std::move(reply));
}

}  // namespace workforce::commands
