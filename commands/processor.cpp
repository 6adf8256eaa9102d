// Start, stop and routing of partitions.
#include "commands/processor.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/logging.hpp"

namespace workforce::commands {
namespace {

Reply unavailable(Submission const& submission, std::string message) {
    return refusal(submission, {Code::service_unavailable, std::move(message), {}});
}

}  // namespace

Processor::Processor(events::EventLog& log, events::Encoder const& encoder, events::Keyring& keyring,
                     core::Database& database, core::CheckedClock const& clock, std::string const& owner,
                     std::function<boost::asio::awaitable<bool>(int)> const& may_claim,
                     std::function<boost::asio::awaitable<void>()> const& require_writable)
    : ids_(database), homes_(database, log.partitions()), work_(boost::asio::make_work_guard(context_)) {
    for (int number = 0; number < log.partitions(); ++number) {
        partitions_.push_back(std::make_unique<Partition>(
            number,
            PartitionContext{log, encoder, keyring, clock, folding_, storing_, owner, may_claim, require_writable},
            context_.get_executor()));
    }
    thread_ = std::thread([this] { context_.run(); });
}

Processor::~Processor() { stop(); }

boost::asio::awaitable<void> Processor::acquire(int partition) {
    auto& taken = *partitions_.at(static_cast<std::size_t>(partition));
    co_await boost::asio::co_spawn(context_, taken.acquire(), boost::asio::use_awaitable);
}

boost::asio::awaitable<void> Processor::release(int partition) {
    auto& given = *partitions_.at(static_cast<std::size_t>(partition));
    co_await boost::asio::co_spawn(context_, given.release(), boost::asio::use_awaitable);
}

bool Processor::owns(int partition) const {
    return partition >= 0 && static_cast<std::size_t>(partition) < partitions_.size() &&
           partitions_[static_cast<std::size_t>(partition)]->served();
}

boost::asio::awaitable<Reply> Processor::submit(Submission submission) {
    int home = -1;
    std::optional<std::string> fault;
    try {
        home = co_await homes_.find(submission.context.organization);
    } catch (std::exception const& error) {
        fault = error.what();
    }
    if (fault) {
        homes_unknown_.met(core::Level::error, {{"error", *fault}});
        co_return unavailable(submission, "The database can't be reached.");
    }
    homes_unknown_.over();
    if (home < 0) co_return unavailable(submission, "The organization has no partition.");
    auto& partition = *partitions_.at(static_cast<std::size_t>(home));
    co_return co_await core::await_completion<Reply>(
        [&](core::Completion<Reply> done) { partition.submit(std::move(submission), std::move(done)); });
}

void Processor::stop() {
    if (!thread_.joinable()) return;
    work_.reset();
    thread_.join();
    folding_.join();
    storing_.join();
}

}  // namespace workforce::commands
